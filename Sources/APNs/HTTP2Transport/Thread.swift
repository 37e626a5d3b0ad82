import CLinuxLoop
import Glibc

/// Starts a detached thread, which ends when the closure returns.
///
/// Use this for calls that would block a thread of Swift's pool. Linux keeps 15 bytes of the name.
func startThread(name: String, _ body: @escaping @Sendable () -> Void) throws(TransportError) {
    let start = unsafe Unmanaged.passRetained(ThreadStart(name: name, body: body))
    var thread = pthread_t()
    let status = unsafe pthread_create(
        &thread,
        nil,
        { pointer in
            guard let pointer = unsafe pointer else { return nil }
            let start = unsafe Unmanaged<ThreadStart>.fromOpaque(pointer).takeRetainedValue()
            start.run()
            return nil
        },
        start.toOpaque()
    )
    guard status == 0 else {
        unsafe start.release()
        throw .systemResource("No thread: \(systemErrorText(status))")
    }
    pthread_detach(thread)
}

/// The arguments of a new thread, passed through C.
private final class ThreadStart: Sendable {
    private let name: String
    private let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    func run() {
        _ = unsafe rangers_prctl_set_name(name)
        // OpenSSL writes with write(2): a closed connection must be an error (EPIPE) and not end the process.
        // Blocking the signal in this thread keeps the process's own handling of SIGPIPE.
        var signals = sigset_t()
        _ = unsafe sigemptyset(&signals)
        _ = unsafe sigaddset(&signals, SIGPIPE)
        _ = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        body()
    }
}
