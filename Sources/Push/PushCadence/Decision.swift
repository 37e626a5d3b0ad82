public import Encodings
import GameCore

/// What an activity wants at a moment, and why.
public enum Decision: Hashable, Sendable {
    /// Send this now, and tell ``ActivityCadence/completed(_:at:refunding:)`` how it went.
    case send(PlannedPush)
    /// Ask again then, or when something new is observed.
    case wait(until: Timestamp, WaitReason)
    /// Ask again when something new is observed.
    case idle(IdleReason)
}

/// Why a push that is owed is not sent yet.
public enum WaitReason: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The last push was less than a second ago.
    case minimumSpacing
    /// APNs asked for patience, or could not be reached.
    case backingOff
    /// Turns are put together.
    case turnSpacing
    /// Small changes are put together.
    case lowSpacing
    /// There is no priority 10 left for an alert.
    case budget
    /// APNs refuses everything that is sent to the token's environment.
    case routeStopped
    /// As many pushes of the node are under way as may be.
    case room

    /// For people who ask why a phone is not pushed.
    public var description: String {
        switch self {
        case .minimumSpacing: "one push a second at most"
        case .backingOff: "APNs could not take the last try"
        case .turnSpacing: "turns are put together for a moment"
        case .lowSpacing: "small changes are put together for a while"
        case .budget: "the budget for priority 10 is used up"
        case .routeStopped: "APNs refuses all pushes from here, until an operator mends that"
        case .room: "as many pushes are under way as may be, until APNs answers some of them"
        }
    }
}

/// Why nothing is to be done.
public enum IdleReason: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The phone shows the newest state.
    case nothingOwed
    /// A push is under way; one at a time.
    case inFlight
    /// The activity has had its `end`.
    case ended
    /// The token is dead and no other is known.
    case tokenDead

    /// For people who ask why a phone is not pushed.
    public var description: String {
        switch self {
        case .nothingOwed: "the phone shows the newest state"
        case .inFlight: "a push is under way"
        case .ended: "the activity has ended"
        case .tokenDead: "the token is dead"
        }
    }
}

/// How a push went, as far as the cadence cares.
public enum Completion: Hashable, Sendable {
    /// APNs took it.
    case accepted
    /// It did not get through; whatever is newest then may be tried again after that time.
    case retryLater(after: Duration)
    /// Nobody knows whether it got through: as before, but what it took of the phone's budget stays spent.
    case unanswered(retryAfter: Duration)
    /// This very push will never be taken; the activity's others may be.
    case refusedForever
    /// The token that it was sent to is dead.
    case tokenDead

    var neverReachedThePhone: Bool {
        switch self {
        case .accepted, .unanswered: false
        case .retryLater, .refusedForever, .tokenDead: true
        }
    }
}
