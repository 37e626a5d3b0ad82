package import Encodings
package import GameCore
package import GameLog
package import LiveActivityContent
import PushRules

/// A request to start activities of an adventure on the phones of its players who have none.
package struct StartRequest: Sendable {
    /// The occasion of a start.
    package enum Occasion: Sendable {
        /// The adventure has started: every member gets an activity.
        case adventureStarted
        /// This activity has said that it ends soon: its player gets a newer one.
        case activityEndsSoon(Activity)
    }

    package let adventureID: AdventureID
    package let occasion: Occasion
    /// The time of the occasion, from which the age of the request counts.
    package let requestedAt: Timestamp
    /// The trace of the request that started the adventure; nil for another occasion.
    package var trace: TraceCarrier?

    /// Creates a request.
    package init(
        adventureID: AdventureID,
        occasion: Occasion,
        requestedAt: Timestamp,
        trace: TraceCarrier? = nil
    ) {
        self.adventureID = adventureID
        self.occasion = occasion
        self.requestedAt = requestedAt
        self.trace = trace
    }

    /// Returns the alert of the start: iOS drops a start without one.
    package func alert(for adventure: Adventure) -> LiveActivityPayload.Alert {
        switch occasion {
        case .adventureStarted: PushAlert.activityStarted(for: adventure)
        case .activityEndsSoon: PushAlert.activityRenewed
        }
    }

    /// Returns whether the request includes a player.
    package func includes(_ playerID: PlayerID) -> Bool {
        switch occasion {
        case .adventureStarted: true
        case .activityEndsSoon(let old): old.playerID == playerID
        }
    }

    /// Returns whether an activity of the player and the adventure meets the request.
    ///
    /// At the start of an adventure any activity meets it, even one that has ended: an activity that the user dismissed
    /// is not started again.
    package func isMet(by activity: Activity) -> Bool {
        switch occasion {
        case .adventureStarted: true
        case .activityEndsSoon(let old): activity.state == .live && activity.registeredAt > old.registeredAt
        }
    }
}
