package import Encodings
package import GameCore
package import GameLog
package import PushRules

/// A request to alert the players of an adventure on those of their devices that do not show it.
package struct FallbackRequest: Sendable {
    /// The maximum age of an event at which its alert is still sent.
    package static let maxAge = Duration.seconds(60)

    /// The alert of one player.
    package struct Alert: Sendable {
        package let playerID: PlayerID
        package let alert: PushAlert
        /// The sequence of the event in the adventure.
        package let sequence: Int
        /// The time until which APNs keeps the alert for a phone that is off.
        package let usefulUntil: Timestamp
    }

    package let adventureID: AdventureID
    /// The moment of the oldest event, from which the age of the request counts.
    package let at: Timestamp
    /// At most one alert for each player.
    package let alerts: [Alert]
    /// The devices with a live activity of the adventure, as far as they are known.
    private let covered: Set<DeviceKey>
    /// Whether activities may be unknown, because the events are observed again, or by a node that may have lost the lease.
    package let isRepeated: Bool

    init(adventureID: AdventureID, at: Timestamp, alerts: [Alert], covered: Set<DeviceKey>, isRepeated: Bool) {
        self.adventureID = adventureID
        self.at = at
        self.alerts = alerts
        self.covered = covered
        self.isRepeated = isRepeated
    }

    /// Creates the request for the beginning of an adventure, once activities were started; nil for a journey, which begins
    /// without an alert.
    /// - Parameters:
    ///   - stored: the adventure.
    ///   - usefulTime: how long APNs keeps the alert for a phone that is off.
    package init?(openingOf stored: StoredAdventure, usefulFor usefulTime: Duration) {
        guard let alert = PushAlert.opening(of: stored.adventure) else { return nil }
        let alerts = stored.adventure.heroes.filter { !$0.hasLeft }.map { hero in
            // The first event of any adventure: every later alert is newer.
            Alert(playerID: hero.playerID, alert: alert, sequence: 1, usefulUntil: stored.startedAt + usefulTime)
        }
        self.init(adventureID: stored.id, at: stored.startedAt, alerts: alerts, covered: [], isRepeated: true)
    }

    /// Whether the device has a live activity of the adventure, as far as it is known.
    package func isCovered(_ device: Device) -> Bool { covered.contains(DeviceKey(device.playerID, device.id)) }
}

extension Activity {
    /// Whether the activity makes ordinary alerts on its device unnecessary, after events that may be older than its end.
    package var coversDevice: Bool { state == .live || state == .ended }
}
