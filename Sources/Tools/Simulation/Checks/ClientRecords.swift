package import Encodings
package import GameCore
package import GameLog
import GameStore

/// The response to a command with an idempotency key, as a client received it.
package struct ResponseRecord: Sendable {
    /// The adventure of the command.
    package let adventureID: AdventureID
    /// The idempotency key.
    package let key: String
    /// The body of the response.
    package let body: String

    package init(adventureID: AdventureID, key: String, body: String) {
        self.adventureID = adventureID
        self.key = key
        self.body = body
    }
}

/// The history of an activity's tokens on its phone.
///
/// Times are microseconds since the run began.
package struct ActivityRecord: Sendable {
    /// The owner of the phone.
    package let playerID: PlayerID
    /// The phone, or another device.
    package let deviceID: DeviceID
    /// When the phone starts the activity; nil if it is not scheduled.
    package let startsAt: Timestamp?
    /// Whether the phone takes frequent pushes.
    package let frequentPushesEnabled: Bool
    /// The times of each token change: when the phone got the token, and when the service confirmed its registration
    /// (nil until then).
    package var tokenChanges: [(from: Int64, until: Int64?)] = []
    /// Whether the phone no longer shows the activity, or the service may never have registered it.
    package var isAbandoned = false

    /// Creates the record of an activity without a token; by default the player has one device.
    package init(
        playerID: PlayerID,
        deviceID: DeviceID? = nil,
        startsAt: Timestamp? = nil,
        frequentPushesEnabled: Bool = false
    ) {
        self.playerID = playerID
        self.deviceID = deviceID ?? DeviceID(rawValue: playerID.rawValue)
        self.startsAt = startsAt
        self.frequentPushesEnabled = frequentPushesEnabled
    }
}

/// What clients were shown of an adventure, in responses, reads of its state and pages of its events.
package struct ShownAdventure: Sendable {
    /// The events, each as a line of text.
    package private(set) var events: Set<String> = []
    /// The states in their stored form.
    package private(set) var states: Set<String> = []

    package init() {}

    /// Adds what a client was shown: lines as of ``text(of:)``, and a state.
    package mutating func add(events lines: some Sequence<String>, state: String? = nil) {
        events.formUnion(lines)
        if let state { states.insert(state) }
    }

    /// Adds what another client was shown.
    mutating func add(_ other: Self) {
        events.formUnion(other.events)
        states.formUnion(other.states)
    }

    /// Returns everything about an event in one line.
    package static func text(of event: StoredEvent) -> String {
        let json = String(decoding: event.event.json, as: UTF8.self)
        return "\(event.sequence) \(event.tick) \(event.at.microseconds) \(json)"
    }
}
