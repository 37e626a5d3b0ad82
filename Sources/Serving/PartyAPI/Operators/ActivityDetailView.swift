import Encodings
import GameCore
import GameStore
import PushCadence

/// A Live Activity with what it shows and what it waits for, as operators see it: the fields of ``ActivityView`` and
/// more.
struct ActivityDetailView: Encodable {
    let activity: ActivityView
    private let details: Details

    private struct Details: Encodable {
        let partyID: PartyID
        /// Nil when the party was disbanded.
        let partyName: String?
        /// Nil when the player has left the party.
        let playerName: String?
        /// Nil when the player has no hero in the adventure.
        let heroName: String?
        let heroAvatar: String?
        let adventureKind: AdventureKind
        /// `running` or `ended`.
        let adventureStatus: String
        /// Nil before the first push.
        let lastPushAt: String?
        /// A sentence.
        let waitsFor: String
        let waitsUntil: String?
    }

    init(_ activity: Activity, of stored: StoredAdventure, party: Party?, lastDecision: RecordedDecision?) {
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
            waitsFor: wait.sentence,
            waitsUntil: wait.until?.rfc3339
        )
    }

    private static func wait(
        of activity: Activity,
        after decision: RecordedDecision?
    ) -> (sentence: String, until: Timestamp?) {
        switch activity.state {
        case .live:
            guard let decision else { return ("Nothing has been decided for it yet", nil) }
            return (decision.waitsFor, decision.until)
        case .ended: return ("It waits for nothing: it has had its end", nil)
        case .released: return ("It waits for nothing: the phone has let go of it", nil)
        case .dead: return ("It waits for a new token from the phone: the old one is dead", nil)
        }
    }

    /// One object of the fields of both.
    func encode(to encoder: any Encoder) throws {
        try activity.encode(to: encoder)
        try details.encode(to: encoder)
    }
}
