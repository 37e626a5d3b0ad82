public import Logging
public import ServiceLifecycle
package import ServiceRuntime

/// Gives players what their ended adventures brought them, within seconds.
///
/// Any number of nodes may run a worker, because an award is given once. Another worker with the same award waits for the
/// player's row, and finds the award given.
public struct AwardWorker: Service {
    private static let interval = Duration.seconds(1)
    /// The number of awards read at once, and so the maximum per transaction.
    private static let batch = 200

    private let commands: GameCommands
    private let logger: Logger

    /// Creates a worker.
    /// - Parameters:
    ///   - commands: the commands that give the awards.
    ///   - logger: the logger for failures.
    public init(commands: GameCommands, logger: Logger) {
        self.commands = commands
        self.logger = logger
    }

    /// Gives awards until graceful shutdown or cancellation.
    public func run() async throws { await perform([work], every: Self.interval, logger: logger) }

    /// Gives awards until cancellation.
    package func runUntilCancelled(in runtime: Runtime) async {
        await performUntilCancelled([work], every: Self.interval, sleeping: runtime.sleep, logger: logger)
    }

    private var work: RepeatedWork {
        RepeatedWork(failing: "players could not be given all experience") { [commands] in
            _ = try await commands.giveAwards(limit: Self.batch)
        }
    }
}
