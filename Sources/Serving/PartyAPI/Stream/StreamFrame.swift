import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import NIOCore

/// A part of an event stream that is written as a whole (WHATWG HTML, section 9.2, "Server-sent events").
enum StreamFrame: Sendable {
    /// The reason for the end of a stream, contained in its final event.
    enum End: String, Sendable {
        /// All events were sent and no more will follow; clients should not reconnect.
        case adventureOver
        /// The player is no longer a member of the party.
        case membershipEnded
        /// The token was revoked.
        case tokenRevoked
        /// The party is closed to spectators.
        case closed
        /// The server is shutting down; clients should reconnect to another one, or later.
        case serverStopping
    }

    /// An event of the adventure.
    struct EventText: Sendable {
        let sequence: Int
        /// Whether spectators get it.
        let isPublic: Bool
        let text: ByteBuffer

        /// Renders an event.
        init(_ event: StreamEvent) {
            sequence = event.stored.sequence
            isPublic = event.stored.event.isPublic
            text = ByteBuffer(string: "id: \(event.id)\ndata: \(String(json: EventView(event.stored)))\n\n")
        }
    }

    /// The next events, and before them perhaps some that the stream has already; `isLast` if the adventure is over.
    case events([EventText], isLast: Bool)
    /// What the client has seen is not so any more, since the database has lost commits: all events follow from the first.
    case reset
    /// A comment after an interval without events; writing it reveals whether the client is still connected.
    case heartbeat
    /// The end of the stream with its reason.
    case end(End)
    /// This node cannot play the adventure any further, or the database has lost entries that the node has read. The stream
    /// ends; a client that reconnects may reach a newer server.
    case undecodable

    /// Returns the beginning of a stream, with the delay before clients reconnect.
    static func opening(retryAfter: Duration) -> ByteBuffer {
        ByteBuffer(string: "retry: \(retryAfter.wholeMicroseconds / 1_000)\n\n")
    }

    /// The event before those of another history.
    ///
    /// With its identifier a client begins with the first event again, even if it opened the stream after another one.
    static let resetText = ByteBuffer(string: "event: reset\nid: 0\ndata: {}\n\n")

    /// A comment, which clients ignore.
    static let heartbeatText = ByteBuffer(string: ":\n\n")

    /// Returns the final event of a stream, with the reason for the end.
    ///
    /// It has no identifier, since it is not an event of the adventure.
    static func text(of end: End) -> ByteBuffer {
        ByteBuffer(string: "event: end\ndata: {\"reason\":\"\(end.rawValue)\"}\n\n")
    }
}

extension AdventureEvent {
    /// Whether spectators get the event: what happens, and not what a player has chosen for later.
    fileprivate var isPublic: Bool {
        if case .policyChosen = self { false } else { true }
    }
}
