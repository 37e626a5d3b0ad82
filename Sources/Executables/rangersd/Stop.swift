import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// What SIGTERM and SIGINT do: the first one stops the node, the second one ends it.
struct Stop {
    let notice: StopNotice
    /// How long the node serves on, unready.
    let delay: Duration
    let serviceManager: ServiceManager
    let logger: Logger

    /// Waits for signals until it is cancelled.
    func run(_ services: ServiceGroup, on signals: UnixSignalsSequence) async {
        await withDiscardingTaskGroup { group in
            var isStopping = false
            for await signal in signals {
                guard !isStopping else { end(by: signal) }
                isStopping = true
                logger.notice("stopping", metadata: ["signal": "\(signal)", "delay": "\(delay)"])
                notice.give()
                serviceManager.tell(.stopping)
                group.addTask {
                    // Cancelled only when the services have ended by themselves.
                    try? await Task.sleep(for: delay)
                    await services.triggerGracefulShutdown()
                }
            }
            group.cancelAll()
        }
    }

    /// As if nobody had trapped the signal, so that whoever started the process sees what ended it.
    ///
    /// Nothing is lost by it that a crash would not lose: transactions are rolled back, and leases run out.
    private func end(by unixSignal: UnixSignal) -> Never {
        logger.warning("ending at once", metadata: ["signal": "\(unixSignal)"])
        let number = unixSignal == .sigint ? SIGINT : SIGTERM
        signal(number, SIG_DFL)
        // Dispatch reads signals from a descriptor, and blocks them elsewhere.
        var blocked = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, number)
        pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
        raise(number)
        _exit(128 + number)
    }
}
