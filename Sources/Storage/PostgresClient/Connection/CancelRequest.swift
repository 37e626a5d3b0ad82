import CLibpq
import Foundation
import Synchronization

/// A cancellation request to the server, sent from a thread of its own.
///
/// libpq opens a second connection for it and blocks until the server has closed it, so the connection's own thread,
/// which must wait for the reply, cannot send it. The request identifies the connection, not the statement: until the
/// request has finished, no further statement may be sent on the connection.
final class CancelRequest: Sendable {
    private let finished = Atomic(false)

    /// Whether the server has processed the request, or could not be reached.
    var isFinished: Bool { finished.load(ordering: .acquiring) }

    /// Creates a request and sends it.
    /// - Parameters:
    ///   - handle: the connection to cancel.
    ///   - poller: woken when the request has finished.
    init(_ handle: CancelHandle, waking poller: SocketPoller) {
        let thread = Thread {
            handle.send()
            self.finished.store(true, ordering: .releasing)
            poller.wake()
        }
        thread.name = "postgres-cancel"
        thread.start()
    }
}

/// Owns one request to cancel.
///
/// `@unchecked Sendable` because the object is independent of its connection (libpq's manual, "Canceling Queries in
/// Progress"), and only the request's thread uses it after the initializer.
@safe final class CancelHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Takes ownership of the result of `clibpq_cancel_create`.
    init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe clibpq_cancel_free(pointer)
    }

    /// Sends the request and blocks until the server has closed the second connection.
    ///
    /// Ignores failures: the exchange repeats the request until its grace period is over.
    func send() {
        unsafe clibpq_cancel_send(pointer)
    }
}
