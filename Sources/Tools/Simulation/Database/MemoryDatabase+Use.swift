import Foundation
import GameCore
package import GameStore
import Logging
import PostgresClient
package import ServiceRuntime

extension MemoryDatabase {
    /// Lets something use a database of its own, in a world in which nothing goes wrong and all 256 shards are there.
    /// - Parameter body: what uses it, with the world's clock and chance, and what lets time pass.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws.
    package static func use<Result: Sendable>(
        _ body: @escaping @Sendable (GameStore, Runtime) async throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                let world = World(seed: 1)
                let place = Place(in: world, named: "alone")
                let database = MemoryDatabase(in: world, shards: Shard.all.map { Int16($0.rawValue) })
                let logger = Logger(label: place.name) { _ in SwiftLogNoOpLogHandler() }
                let store = GameStore(pool: PostgresPool(standIn: database.door(from: place), logger: logger))
                let runtime = Runtime(of: world, at: place) { .zero }
                let end = End()
                // Awaited by the loop below.
                Task(executorPreference: place) {
                    do {
                        let result = try await body(store, runtime)
                        continuation.resume(returning: result)
                    } catch {
                        continuation.resume(throwing: error)
                    }
                    end.isHere = true
                }
                world.run(until: .seconds(3_600)) { end.isHere }
                precondition(end.isHere, "what uses a database alone waits for nothing but it")
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// Unchecked but true: touched on the world's one thread only.
    private final class End: @unchecked Sendable {
        var isHere = false
    }
}
