import CLibpq
import Foundation
import Synchronization

/// A cancellation request to the server, sent from a thread of its own.
///
/// `PQcancel` opens a second connection and blocks until the server has closed it, so the connection's own thread,
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

/// Owns one `PGcancel`.
///
/// `@unchecked Sendable` because `PQcancel` only reads the object, and libpq's manual ("Canceling Queries in Progress")
/// allows calling it on any thread.
@safe final class CancelHandle: @unchecked Sendable {
    private static let messageBytes = 256
    private let pointer: OpaquePointer

    /// Takes ownership of the result of `PQgetCancel`.
    init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe PQfreeCancel(pointer)
    }

    /// Sends the request and blocks until the server has closed the second connection.
    ///
    /// Ignores failures: the exchange repeats the request until its grace period is over.
    func send() {
        var message = [CChar](repeating: 0, count: Self.messageBytes)
        _ = unsafe PQcancel(pointer, &message, Int32(message.count))
    }
}
