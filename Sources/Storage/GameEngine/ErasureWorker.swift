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
        let erasures = RepeatedWork(failing: "erasures could not be completed") { [commands] in
            _ = try await commands.finishErasures(limit: Self.batch)
        }
        let changes = RepeatedWork(failing: "parties could not show all changed names and heroes") { [commands] in
            _ = try await commands.finishProfileChanges(limit: Self.batch)
        }
        await perform([erasures, changes], every: Self.interval, logger: logger)
    }
}
