import Encodings
import GameCore
import GameStore
import LiveActivityContent
import PushRules

/// A card of an adventure that is wanted on the phones of its players who have none.
struct CardWish: Sendable {
    /// Why it is wanted.
    enum Occasion: Sendable {
        /// The adventure has started: every member wants one.
        case adventureStarted
        /// This card has said that it ends soon: its player wants a newer one.
        case cardEndsSoon(Activity)
    }

    let adventureID: AdventureID
    let occasion: Occasion
    /// When the occasion was.
    let wantedAt: Timestamp

    /// What lights the screen with the card: iOS drops a start without an alert.
    func alert(for adventure: Adventure) -> LiveActivityPayload.Alert {
        switch occasion {
        case .adventureStarted: PushAlert.cardStarted(for: adventure)
        case .cardEndsSoon: PushAlert.cardRenewed
        }
    }

    /// Whether it is a wish of this player's at all.
    func isOf(_ playerID: PlayerID) -> Bool {
        switch occasion {
        case .adventureStarted: true
        case .cardEndsSoon(let old): old.playerID == playerID
        }
    }

    /// Whether one of the player's activities of the adventure is what is wished for.
    ///
    /// At the beginning any activity is, even one that is over by now: what a person has dismissed stays away.
    func isMet(by activity: Activity) -> Bool {
        switch occasion {
        case .adventureStarted: true
        case .cardEndsSoon(let old): activity.state == .live && activity.registeredAt > old.registeredAt
        }
    }
}
