/// A thread that waits for sockets and runs jobs, one after another.
///
/// Only this thread accesses the parts of a connection (socket, TLS, HTTP/2), so that they need no locks and nghttp2
/// and OpenSSL are called on one thread. A turn of the loop handles the ready sockets, then the posted jobs, then the
/// actions that these scheduled for the end of the turn (start requests and write output, once for the whole turn),
/// then timers.
///
/// The thread ends after the loop is released.
final class EventLoop: Sendable {
    private let mailbox: Mailbox

    /// Starts the thread.
    ///
    /// - Parameter name: the name in debuggers and `top -H`; Linux keeps 15 bytes of it.
    /// - Throws: `TransportError.systemResource` if the system has no thread or no descriptor left.
    init(name: String) throws(TransportError) {
        let mailbox = try Mailbox()
        let poll = try Poll()
        self.mailbox = mailbox
        try startThread(name: name) {
            Self.run(Selector(poll: poll, wakeDescriptor: mailbox.wakeDescriptor), mailbox)
        }
    }

    deinit {
        mailbox.stop()
    }

    /// Runs a job on the loop's thread, after all previously posted jobs.
    ///
    /// May be called on any thread.
    func execute(_ job: @escaping Mailbox.Job) {
        mailbox.post(job)
    }

    private static func run(_ selector: Selector, _ mailbox: Mailbox) {
        var isStopped = false
        while !isStopped {
            if selector.awaitReadiness() {
                let taken = mailbox.take()
                for job in taken.jobs { job(selector) }
                isStopped = taken.isStopped
            }
            selector.finishTurn()
        }
    }
}
