import APNsClient
package import Foundation
package import GameCore

/// Names a card.
package struct ActivityName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The adventure that it shows.
    package let adventureID: AdventureID
    /// What the app calls it.
    package let activityID: ActivityID

    /// The card with that name.
    package init(adventureID: AdventureID, activityID: ActivityID) {
        self.adventureID = adventureID
        self.activityID = activityID
    }

    package var description: String { "\(activityID) of \(adventureID)" }

    package static func < (left: Self, right: Self) -> Bool {
        (left.adventureID, left.activityID) < (right.adventureID, right.activityID)
    }
}

/// One push that a node has written, and what became of it.
///
/// Moments are microseconds since the run began.
package struct PushRecord: Sendable {
    /// What APNs made of it.
    package enum Fate: Sendable {
        /// It has not arrived, or not yet.
        case underWay
        case accepted
        /// Refused, for a reason that passes, or may.
        case refused
        /// Refused, since the token is dead: status 410, which leaves no doubt.
        case deadToken
    }

    static let alertMark = Array(#""alert":{"#.utf8)
    private static let stateMark = Array(#","content-state":"#.utf8)

    /// The card that the token is, or was, of; nil when it never was a token.
    package var activity: ActivityName?
    /// The token, in hexadecimal digits.
    package let token: String
    /// Which node has sent it.
    package let node: String
    /// How far its clock was ahead of the true time then.
    package let clockError: Duration
    /// `apns-id`.
    package let id: UUID
    /// The payload's `timestamp`.
    package let timestamp: Int64
    /// Whether it ends the card.
    package let isEnd: Bool
    /// The JSON, or what is kept of it.
    package private(set) var payload: [UInt8]
    package let writtenAt: Int64
    package var arrivedAt: Int64?
    /// When the sender was told; nil when the answer was lost.
    package var toldAt: Int64?
    package var fate = Fate.underWay

    /// A push that is written now.
    init(_ push: APNsPush, to activity: ActivityName?, from place: Place, at now: Int64) {
        self.init(
            activity: activity,
            token: push.deviceToken.hex,
            node: place.name,
            clockError: place.clock.error,
            id: push.id,
            payload: push.payload,
            writtenAt: now
        )
    }

    /// A push with a payload as `LiveActivityPayload` makes it: its first members are timestamp and event.
    package init(
        activity: ActivityName?,
        token: String,
        node: String,
        clockError: Duration = .zero,
        id: UUID,
        payload: [UInt8],
        writtenAt: Int64,
        fate: Fate = .underWay
    ) {
        self.activity = activity
        self.token = token
        self.node = node
        self.clockError = clockError
        self.id = id
        self.payload = payload
        self.writtenAt = writtenAt
        self.fate = fate
        arrivedAt = fate == .underWay ? nil : writtenAt
        toldAt = arrivedAt
        let digits = payload.drop { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            .prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        timestamp = digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        isEnd = payload.prefix(64).contains(Array(#""event":"end""#.utf8))
    }
}

extension PushRecord {
    /// Keeps nothing of the payload but an alert, if it has one: a long run has many pushes.
    package mutating func forgetState() {
        guard let state = payload.firstIndex(of: Self.stateMark), payload[..<state].contains(Self.alertMark) else {
            payload = []
            return
        }
        payload = Array(payload[..<state])
    }

    /// Whether it is an earlier push once more that was not processed, and which the client has written again as it was.
    func isOnTheWayAgain(after earlier: Self) -> Bool {
        earlier.fate == .underWay && earlier.id == id && earlier.timestamp == timestamp
    }
}

extension PushRecord: CustomStringConvertible {
    /// One line for the trace.
    package var description: String {
        let card = activity.map(\.description) ?? "nobody"
        return "\(node) push \(id) \(isEnd ? "ends" : "updates") \(card) with timestamp \(timestamp)"
    }
}

/// What a phone shows of an adventure.
package struct Card: Sendable {
    /// The payload that it shows; nil before the first.
    package private(set) var payload: [UInt8]?
    /// The newest timestamp that it has seen.
    package private(set) var timestamp: Int64 = 0
    /// Whether it has had its end.
    package private(set) var hasEnded = false

    package init() {}

    /// A push comes in: a phone keeps what has the newest timestamp, and nothing after an end.
    package mutating func show(_ push: PushRecord) {
        guard !hasEnded, push.timestamp > timestamp else { return }
        payload = push.payload
        timestamp = push.timestamp
        hasEnded = push.isEnd
    }
}

extension Collection<UInt8> {
    /// Whether some bytes occur in it, one after the other.
    package func contains(_ part: [UInt8]) -> Bool { firstIndex(of: part) != nil }

    /// Where some bytes occur in it first, one after the other.
    package func firstIndex(of part: [UInt8]) -> Index? {
        guard let first = part.first else { return startIndex }
        var rest = self[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: part) { return start }
            rest = rest.dropFirst()
        }
        return nil
    }
}
