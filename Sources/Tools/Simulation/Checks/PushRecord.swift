import APNsClient
package import Foundation
package import GameCore

/// The identifiers of a device and its player.
struct DeviceReference: Hashable, Comparable, Sendable, CustomStringConvertible {
    let playerID: PlayerID
    let deviceID: DeviceID

    var description: String { "device \(deviceID) of \(playerID)" }

    static func < (left: Self, right: Self) -> Bool {
        (left.playerID, left.deviceID) < (right.playerID, right.deviceID)
    }
}

/// The identifiers of an activity and its adventure.
package struct ActivityReference: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The adventure that the activity shows.
    package let adventureID: AdventureID
    /// The identifier that the app chose.
    package let activityID: ActivityID

    package init(adventureID: AdventureID, activityID: ActivityID) {
        self.adventureID = adventureID
        self.activityID = activityID
    }

    package var description: String { "\(activityID) of \(adventureID)" }

    package static func < (left: Self, right: Self) -> Bool {
        (left.adventureID, left.activityID) < (right.adventureID, right.activityID)
    }
}

/// A push that a node has written, and its outcome.
///
/// Times are microseconds since the run began.
package struct PushRecord: Sendable {
    /// The result of the push at APNs.
    package enum Outcome: Sendable {
        /// The push has not arrived, or is lost.
        case inFlight
        case accepted
        /// Rejected for a reason that is or may be transient.
        case rejected
        /// Rejected with status 410: the token is certainly dead.
        case deadToken
    }

    static let alertMark = Array(#""alert":{"#.utf8)
    private static let stateMark = Array(#","content-state":"#.utf8)

    /// The activity of the token; nil for an unknown token.
    package var activity: ActivityReference?
    /// The device of the token, of an ordinary alert or a push to widgets.
    var device: DeviceReference?
    /// The `apns-push-type`.
    var type = APNsPush.PushType.liveactivity
    /// The token, in hexadecimal digits.
    package let token: String
    /// The node that sent the push.
    package let node: String
    /// The time by which the node's clock was ahead of the true time when the node sent the push.
    package let clockError: Duration
    /// The `apns-id`.
    package let id: UUID
    /// The payload's `timestamp`.
    package let timestamp: Int64
    /// Whether the push ends the activity.
    package let isEnd: Bool
    /// Whether it has priority 10.
    package let isHigh: Bool
    /// The payload as JSON, or its beginning after ``discardState()``.
    package internal(set) var payload: [UInt8]
    package let writtenAt: Int64
    package var arrivedAt: Int64?
    /// The time at which the sender received the response; nil if the response was lost.
    package var responseReceivedAt: Int64?
    package var outcome = Outcome.inFlight

    /// Creates the record of a push that a host writes now.
    init(
        _ push: APNsPush,
        to activity: ActivityReference?,
        on device: DeviceReference?,
        from host: SimulatedHost,
        at now: Int64
    ) {
        self.init(
            activity: activity,
            token: push.deviceToken.hex,
            node: host.name,
            clockError: host.clockError.value,
            id: push.id,
            payload: push.payload,
            isHigh: push.priority == .high,
            writtenAt: now
        )
        self.device = device
        type = push.pushType
    }

    /// Creates the record of a push.
    ///
    /// Timestamp and event are read from the payload: `LiveActivityPayload` encodes them as its first members.
    package init(
        activity: ActivityReference?,
        token: String,
        node: String,
        clockError: Duration = .zero,
        id: UUID,
        payload: [UInt8],
        isHigh: Bool = false,
        writtenAt: Int64,
        outcome: Outcome = .inFlight
    ) {
        self.activity = activity
        self.token = token
        self.node = node
        self.clockError = clockError
        self.id = id
        self.payload = payload
        self.isHigh = isHigh
        self.writtenAt = writtenAt
        self.outcome = outcome
        arrivedAt = outcome == .inFlight ? nil : writtenAt
        responseReceivedAt = arrivedAt
        let digits = payload.drop { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            .prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        timestamp = digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        isEnd = payload.prefix(64).contains(Array(#""event":"end""#.utf8))
    }
}

extension PushRecord {
    /// Discards the payload except for an alert, to save memory in long runs.
    package mutating func discardState() {
        guard let state = payload.firstIndex(of: Self.stateMark), payload[..<state].contains(Self.alertMark) else {
            payload = []
            return
        }
        payload = Array(payload[..<state])
    }

    /// Returns whether this push is an earlier one that was not processed and that the client has written again
    /// unchanged.
    func isRetransmission(of earlier: Self) -> Bool {
        earlier.outcome == .inFlight && earlier.id == id && earlier.timestamp == timestamp
    }
}

extension PushRecord: CustomStringConvertible {
    /// A description in one line, for the trace.
    package var description: String {
        if type != .liveactivity {
            return "\(node) push \(id) for \(type.rawValue) on \(device.map(\.description) ?? "an unknown token")"
        }
        let activity = activity.map(\.description) ?? "an unknown token"
        return "\(node) push \(id) \(isEnd ? "ends" : "updates") \(activity) with timestamp \(timestamp)"
    }
}

/// A Live Activity as a phone shows it.
package struct ShownActivity: Sendable {
    /// The payload on display; nil before the first push.
    package private(set) var payload: [UInt8]?
    /// The timestamp of that payload.
    package private(set) var timestamp: Int64 = 0
    /// Whether the activity has ended.
    package private(set) var hasEnded = false

    package init() {}

    /// Applies a push: a phone ignores pushes without a newer timestamp, and all pushes after an end.
    package mutating func show(_ push: PushRecord) {
        guard !hasEnded, push.timestamp > timestamp else { return }
        payload = push.payload
        timestamp = push.timestamp
        hasEnded = push.isEnd
    }
}

extension Collection<UInt8> {
    /// Returns whether a sequence of bytes occurs in the collection.
    package func contains(_ part: [UInt8]) -> Bool { firstIndex(of: part) != nil }

    /// Returns the start of the first occurrence of a sequence of bytes.
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
