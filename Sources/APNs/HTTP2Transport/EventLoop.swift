/// One thread that waits for sockets and runs jobs, one after another.
///
/// Everything of a connection (socket, TLS, HTTP/2) is touched by this thread only, so that none of it
/// needs a lock and nghttp2 and OpenSSL see one thread. A turn of the loop is: what the sockets brought,
/// then the jobs that were posted, then what both asked to be done at the end of the turn (that is where new
/// requests are started and output is written, once for all of the turn), then timers.
///
/// The thread ends after the loop has been released.
final class EventLoop: Sendable {
    private let mailbox: Mailbox

    /// Starts the thread.
    ///
    /// - Parameter name: for debuggers and `top -H`; Linux keeps 15 bytes of it.
    /// - Throws: when the system has no thread or no descriptor left.
    init(name: String) throws(TransportError) {
        let mailbox = try Mailbox()
        let poll = try Poll()
        self.mailbox = mailbox
        try startThread(name: name) {
            Self.run(Selector(poll: poll, bell: mailbox.bellDescriptor), mailbox)
        }
    }

    deinit {
        mailbox.stop()
    }

    /// Runs a job on the loop's thread, after those that were posted before.
    ///
    /// It may be called from any thread.
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
