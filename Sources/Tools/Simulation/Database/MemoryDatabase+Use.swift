import Foundation
import GameCore
import Logging
package import PostgresClient
package import ServiceRuntime

extension MemoryDatabase {
    /// Runs work on an empty in-memory database with all 256 shards, in a world without faults.
    /// - Parameter body: the work; it gets connections to the database and the world's runtime.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`.
    package static func use<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresPool, Runtime) async throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                let world = SimulatedWorld(seed: 1)
                let host = SimulatedHost(in: world, named: "alone")
                let database = MemoryDatabase(in: world, shards: Shard.all.map { Int16($0.rawValue) })
                let logger = Logger(label: host.name) { _ in SwiftLogNoOpLogHandler() }
                let pool = PostgresPool(standIn: database.connector(from: host), logger: logger)
                let runtime = Runtime(of: host, in: world)
                let result = WorldBound(Result<Value, any Error>?.none)
                // The loop below waits for it.
                Task(executorPreference: host) {
                    do {
                        result.value = .success(try await body(pool, runtime))
                    } catch {
                        result.value = .failure(error)
                    }
                }
                world.run(until: .seconds(3_600)) { result.value != nil }
                guard let result = result.value else {
                    preconditionFailure("the work waits for something outside of the simulated world")
                }
                continuation.resume(with: result)
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}
