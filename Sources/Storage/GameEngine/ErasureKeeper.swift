public import Logging
public import ServiceLifecycle

/// Finishes erasures of players: what a crash has interrupted, and what was under way when they were asked for.
///
/// Any number of nodes may run one, since every step may be repeated.
public struct ErasureKeeper: Service {
    private static let interval = Duration.seconds(60)
    /// How many erasures one round takes: a few, since each asks the database a few questions.
    private static let batch = 20

    private let commands: GameCommands
    private let logger: Logger

    /// A keeper on one node.
    /// - Parameters:
    ///   - commands: which erase.
    ///   - logger: for failures.
    public init(commands: GameCommands, logger: Logger) {
        self.commands = commands
        self.logger = logger
    }

    /// Finishes erasures until graceful shutdown or cancellation.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            // Ends by cancellation only.
            while (try? await Task.sleep(for: Self.interval)) != nil {
                do {
                    while try await commands.finishErasures(limit: Self.batch) == Self.batch {}
                } catch {
                    logger.error("erasures could not be finished", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
