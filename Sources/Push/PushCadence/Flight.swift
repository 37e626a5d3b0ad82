import GameCore
import PushRules

/// A push that is under way, with what it is meant to settle: all of it is owed again if it fails.
struct Flight: Sendable {
    let push: PlannedPush
    /// The newest position that its state shows.
    let through: Int64
    let owed: OwedState?
    /// What its alert tells.
    private(set) var alerts: [PendingAlert]
    /// Which of the activity's tokens it goes to: the answer for an old token says nothing about a newer one.
    let tokenGeneration: Int

    /// Notes what has made alerts pointless meanwhile; that matters only if the push fails.
    mutating func cancelAlerts(because reason: Drop.Reason, where isPointless: (AlertKind) -> Bool) {
        for index in alerts.indices where isPointless(alerts[index].alert.kind) {
            alerts[index].pointless = reason
        }
    }

    var isEnd: Bool {
        switch push.event {
        case .update: false
        case .end: true
        }
    }
}
