import Encodings
import Foundation
import GameCore
import GameStore
import NIOCore

/// What is written to an event stream at once (WHATWG HTML, section 9.2, "Server-sent events").
enum StreamFrame: Sendable {
    /// Why a stream ends, as its last event says.
    enum End: String, Sendable {
        /// Every event was sent, and no more will come: clients need not come back.
        case adventureOver
        /// The player is no member of the party any more.
        case membershipEnded
        /// The token is nobody's any more.
        case tokenRevoked
        /// This server stops: clients go on at another, or at this one in a while.
        case serverStopping
    }

    /// An event of the adventure; `isLast` when the adventure ended with it.
    case event(sequence: Int, isLast: Bool, text: ByteBuffer)
    /// Nothing has happened for a while; who is not there any more is found out by it.
    case heartbeat
    /// The stream ends, and says why.
    case end(End)
    /// The next event cannot be read here: the stream ends, and a client that comes back may meet a newer server.
    case broken

    /// An event with its sequence as its identifier, by which clients resume.
    init(_ event: StoredEvent) throws {
        let text = "id: \(event.sequence)\ndata: \(try JSON.encode(EventView(event)))\n\n"
        self = .event(sequence: event.sequence, isLast: event.event.endsAdventure, text: ByteBuffer(string: text))
    }

    /// What an entry of the log is to the followers of its adventure; nil when it is nothing to them.
    init?(_ record: LogRecord) throws {
        switch record.entry {
        case .event(let event, let sequence):
            try self.init(StoredEvent(sequence: sequence, tick: record.tick, at: record.at, event: event))
        case .unreadable:
            self = .broken
        case .activityRegistered, .activityReleased, .activityPushAsked:
            return nil
        }
    }

    /// The first thing that a stream says: how long to wait before coming back.
    static func opening(retryAfter: Duration) -> ByteBuffer {
        ByteBuffer(string: "retry: \(retryAfter.wholeMicroseconds / 1_000)\n\n")
    }

    /// A comment, which clients pass over.
    static let heartbeatText = ByteBuffer(string: ":\n\n")

    /// The last event, without an identifier: it is no event of the adventure.
    static func text(of end: End) -> ByteBuffer {
        ByteBuffer(string: "event: end\ndata: {\"reason\":\"\(end.rawValue)\"}\n\n")
    }
}

extension Event {
    fileprivate var endsAdventure: Bool {
        if case .adventureEnded = self { true } else { false }
    }
}
