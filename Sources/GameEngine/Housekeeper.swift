public import GameCore
public import GameStore
public import Logging
public import ServiceLifecycle

/// Removes what was kept for a time that is over: answers to repeatable requests.
///
/// Every node that plays does this, shard by shard; two that meet leave each other's rows alone.
public struct Housekeeper: Service {
    /// How long answers stay at most beyond their time, which nobody notices: expired ones are given to nobody.
    private static let interval = Duration.seconds(10 * 60)
    private let store: GameStore
    private let surroundings: Surroundings
    private let logger: Logger

    /// A housekeeper on one node.
    /// - Parameters:
    ///   - store: what is swept.
    ///   - surroundings: the clock.
    ///   - logger: for failures.
    public init(store: GameStore, surroundings: Surroundings, logger: Logger) {
        self.store = store
        self.surroundings = surroundings
        self.logger = logger
    }

    /// Sweeps now and then until graceful shutdown or cancellation.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    _ = try await sweep()
                } catch {
                    if !Task.isCancelled {
                        logger.error("what has expired could not be removed", metadata: ["error": "\(error)"])
                    }
                }
                // The sleep ends early only by cancellation, which the loop's condition sees.
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Removes everything that has expired by now.
    /// - Parameter batch: how many rows one transaction may remove; 500 are a few milliseconds' work.
    /// - Returns: how many rows were removed.
    /// - Throws: errors of the store; what was removed before stays removed.
    public func sweep(batch: Int = 500) async throws -> Int {
        let expiry = surroundings.now() - GameCommands.answersAreKept
        var removed = 0
        for shard in Shard.all {
            var last = batch
            while last == batch, !Task.isCancelled {
                last = try await store.removeAnswers(keptUntil: expiry, in: shard, atMost: batch)
                removed += last
            }
        }
        return removed
    }
}
