import Encodings
import GameCore
import GameLog
import GameStore
import PushDispatch

/// A Live Activity with its party, hero and next decision, as operators see it.
///
/// It has all fields of ``ActivityView``.
struct ActivityDetailView: Encodable {
    let activity: ActivityView
    private let details: Details

    private struct Details: Encodable {
        let partyID: PartyID
        /// The name of the party; nil if the party was disbanded.
        let partyName: String?
        /// The name of the player; nil if the player has left the party.
        let playerName: String?
        /// The name of the player's hero; nil if the player has none in the adventure.
        let heroName: String?
        let heroAvatar: String?
        let adventureKind: AdventureKind
        /// The state of the adventure: `running` or `ended`.
        let adventureStatus: String
        /// The time of the last push; nil before the first one.
        let lastPushAt: String?
        /// The reason why no push is sent now: a sentence without a full stop.
        let waitReason: String
        /// The end of the wait, if it is known.
        let waitsUntil: String?
        /// How many of the recorded pushes that APNs accepted the device has shown.
        let shown: ShownPushes
    }

    init(
        _ activity: Activity,
        of stored: StoredAdventure,
        party: Party?,
        lastDecision: DecisionRecord?,
        shown: ShownPushes
    ) {
        self.activity = ActivityView(activity)
        let hero = stored.adventure.heroes.first { $0.playerID == activity.playerID }
        let wait = Self.wait(of: activity, after: lastDecision)
        details = Details(
            partyID: stored.partyID,
            partyName: party?.name,
            playerName: party?.members.first { $0.playerID == activity.playerID }?.displayName,
            heroName: hero?.id.name,
            heroAvatar: hero?.id.avatar,
            adventureKind: stored.adventure.kind,
            adventureStatus: stored.endedAt == nil ? "running" : "ended",
            lastPushAt: activity.lastTimestamp > 0 ? Timestamp(epochSeconds: activity.lastTimestamp).rfc3339 : nil,
            waitReason: wait.sentence,
            waitsUntil: wait.until?.rfc3339,
            shown: shown
        )
    }

    private static func wait(
        of activity: Activity,
        after decision: DecisionRecord?
    ) -> (sentence: String, until: Timestamp?) {
        switch activity.state {
        case .live:
            guard let decision else { return ("No decision has been made for it yet", nil) }
            return (decision.waitText, decision.until)
        case .ended: return ("Nothing: it has ended", nil)
        case .released: return ("Nothing: the device has released it", nil)
        case .dead: return ("A new token from the device: the old one is dead", nil)
        }
    }

    /// Encodes the fields of the activity and its details as one object.
    func encode(to encoder: any Encoder) throws {
        try activity.encode(to: encoder)
        try details.encode(to: encoder)
    }
}
