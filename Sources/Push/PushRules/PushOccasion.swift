/// An occasion of a push other than an event of the adventure.
public enum PushOccasion: String, Hashable, Sendable, CaseIterable {
    /// The token is new: the phone gets the current state at once.
    case newToken
    /// After an outage, the deadline of the open turn is later.
    case turnPostponed
    /// The database may have lost what an earlier dispatcher sent, so the phone gets the current state.
    case databaseFailover
    /// An operator requests the current state.
    case pushRequested
    /// An operator requests the end.
    case endRequested
    /// The activity says that it soon reaches its maximum age.
    case endsSoon
    /// The activity reached its maximum age, and ends.
    case tooOld
    /// A newer activity of the player shows the adventure, and this one ends.
    case replaced

    /// The urgency of the push.
    ///
    /// A new token with a pending turn has the urgency of the turn.
    public var urgency: Urgency {
        switch self {
        case .newToken, .databaseFailover, .endsSoon: .low
        case .turnPostponed: .turn
        case .pushRequested, .endRequested, .tooOld, .replaced: .high
        }
    }

    /// The reason for the urgency, as a clause, for the table of rules.
    var reason: String {
        switch self {
        case .newToken: "it is sent at once, but nothing happened that the player must see now"
        case .turnPostponed: "phones show when the turn ends"
        case .databaseFailover: "the phone may show what the database has lost"
        case .pushRequested: "an operator waits for the result"
        case .endRequested: "an operator waits for the result, and the activity ends"
        case .endsSoon: "the player has minutes to open the app"
        case .tooOld: "the server ends it before the system does"
        case .replaced: "the newer activity takes its place"
        }
    }
}
