import GameCore

/// A push that is under way, with what it is meant to settle: all of it is owed again if it fails.
struct Flight: Sendable {
    let push: PlannedPush
    /// The newest position that its state shows.
    let through: Int64
    let owed: OwedState?
    let alert: PendingAlert?
    /// What has made the alert pointless meanwhile; it matters only if the push fails.
    var alertIsPointless: Drop.Reason?
    /// Which of the activity's tokens it goes to: the answer for an old token says nothing about a newer one.
    let tokenGeneration: Int

    var isEnd: Bool {
        switch push.event {
        case .update: false
        case .end: true
        }
    }
}
