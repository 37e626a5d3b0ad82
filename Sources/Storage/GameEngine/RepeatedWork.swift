import GameStore
import Logging
import ServiceLifecycle
import ServiceRuntime

/// Something that a worker does again and again.
struct RepeatedWork: Sendable {
    /// What could not be done, for the log.
    let failure: String
    let perform: @Sendable () async throws -> Void

    init(failing failure: String, _ perform: @escaping @Sendable () async throws -> Void) {
        self.failure = failure
        self.perform = perform
    }
}

/// Performs works one after the other at an interval, until graceful shutdown or cancellation, and logs what fails.
func perform(_ works: [RepeatedWork], every interval: Duration, logger: Logger) async {
    await cancelWhenGracefulShutdown {
        await performUntilCancelled(works, every: interval, sleeping: Runtime.system.sleep, logger: logger)
    }
}

/// Performs works one after the other at an interval, until cancellation, and logs what fails.
func performUntilCancelled(
    _ works: [RepeatedWork],
    every interval: Duration,
    sleeping sleep: @Sendable (Duration) async throws -> Void,
    logger: Logger
) async {
    // The sleep throws only on cancellation.
    while (try? await sleep(interval)) != nil {
        for work in works {
            do {
                try await work.perform()
            } catch {
                // A stop cancels the query, and the sleep ends the loop.
                if !error.isFromStop { logger.error("\(work.failure)", metadata: ["error": "\(error)"]) }
            }
        }
    }
}
