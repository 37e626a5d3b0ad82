import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// Handles SIGTERM and SIGINT: the first one shuts the node down gracefully, the second one terminates it.
struct ShutdownController {
    let flag: ShutdownFlag
    /// The time for which the node keeps serving although it is not ready.
    let delay: Duration
    let serviceManager: ServiceNotifier
    let logger: Logger

    /// Handles signals until it is cancelled.
    func run(_ services: ServiceGroup, on signals: UnixSignalsSequence) async {
        await withDiscardingTaskGroup { group in
            var isStopping = false
            for await signal in signals {
                guard !isStopping else { terminate(by: signal) }
                isStopping = true
                logger.notice("stopping", metadata: ["signal": "\(signal)", "delay": "\(delay)"])
                flag.set()
                serviceManager.notify(.stopping)
                group.addTask {
                    // The sleep is cancelled only if the services have ended by themselves.
                    try? await Task.sleep(for: delay)
                    await services.triggerGracefulShutdown()
                }
            }
            group.cancelAll()
        }
    }

    /// Terminates the process by the signal's default action, so that its parent sees the signal as the cause.
    ///
    /// This is as safe as a crash: transactions are rolled back, and leases expire.
    private func terminate(by unixSignal: UnixSignal) -> Never {
        logger.warning("terminating at once", metadata: ["signal": "\(unixSignal)"])
        let number = unixSignal == .sigint ? SIGINT : SIGTERM
        signal(number, SIG_DFL)
        // Dispatch reads signals from a descriptor and blocks them in all threads.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, number)
        pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
        raise(number)
        _exit(128 + number)
    }
}
