import CLibpq
import Foundation
import Synchronization

/// A request to the server to stop what a connection is doing, sent from a thread of its own.
///
/// `PQcancel` opens a second connection and blocks until the server has closed it, so the connection's own thread,
/// which must notice the answer, cannot send it. The request names the connection, not the statement: until it has
/// finished, the connection may not be used for anything else.
final class CancelRequest: Sendable {
    private let finished = Atomic(false)

    /// Whether the server has passed the request on, or could not be reached.
    var isFinished: Bool { finished.load(ordering: .acquiring) }

    /// Sends the request.
    /// - Parameters:
    ///   - handle: what to cancel.
    ///   - wakeUp: woken when the request has finished.
    init(_ handle: CancelHandle, waking wakeUp: WakeUp) {
        let thread = Thread {
            handle.send()
            self.finished.store(true, ordering: .releasing)
            wakeUp.wake()
        }
        thread.name = "postgres-cancel"
        thread.start()
    }
}

/// Owns one `PGcancel`.
///
/// Unchecked but true: `PQcancel` only reads it, and libpq's manual ("Canceling Queries in Progress") allows to call
/// it on any thread.
@safe final class CancelHandle: @unchecked Sendable {
    private static let messageBytes = 256
    private let pointer: OpaquePointer

    /// Takes over what `PQgetCancel` has made.
    init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe PQfreeCancel(pointer)
    }

    /// Asks the server, and waits until it has taken notice.
    ///
    /// A failure has no consequence of its own: the exchange asks again until it gives up.
    func send() {
        var message = [CChar](repeating: 0, count: Self.messageBytes)
        _ = unsafe PQcancel(pointer, &message, Int32(message.count))
    }
}
