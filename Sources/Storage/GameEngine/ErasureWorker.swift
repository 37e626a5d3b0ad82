import GameStore
public import Logging
public import ServiceLifecycle

/// Completes pending erasures and profile changes of players: finishes those that a crash interrupted, and repeats each for
/// requests that were in progress when it began.
///
/// Any number of nodes may run a worker, because every step is idempotent.
public struct ErasureWorker: Service {
    private static let interval = Duration.seconds(60)
    /// The number of erasures read at once; each needs several queries.
    private static let batch = 20

    private let commands: GameCommands
    private let logger: Logger

    /// Creates a worker.
    /// - Parameters:
    ///   - commands: the commands that perform the erasures.
    ///   - logger: the logger for failures.
    public init(commands: GameCommands, logger: Logger) {
        self.commands = commands
        self.logger = logger
    }

    /// Completes erasures until graceful shutdown or cancellation.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            // The sleep throws only on cancellation.
            while (try? await Task.sleep(for: Self.interval)) != nil {
                await attempt("erasures could not be completed") {
                    try await commands.finishErasures(limit: Self.batch)
                }
                await attempt("parties could not show all changed names and heroes") {
                    try await commands.finishProfileChanges(limit: Self.batch)
                }
            }
        }
    }

    private func attempt(_ failure: String, _ work: () async throws -> Int) async {
        do {
            _ = try await work()
        } catch {
            // A stop cancels the query, and the sleep ends the loop.
            if !error.isFromStop { logger.error("\(failure)", metadata: ["error": "\(error)"]) }
        }
    }
}
