public import Encodings
import GameCore

/// A decision of a cadence about the next push, with its reason.
public enum CadenceDecision: Hashable, Sendable {
    /// Send this push now, and report its disposition with ``ActivityCadence/completed(_:at:refunding:)``.
    case send(PlannedPush)
    /// Send nothing, and call ``ActivityCadence/next(at:showing:spending:)`` again at that time or after the next
    /// event.
    case wait(until: Timestamp, WaitReason)
    /// Send nothing until the next event or completion.
    case idle(IdleReason)
}

/// The reason why a pending push is not sent yet.
public enum WaitReason: String, Hashable, Sendable, CaseIterable {
    /// The last push was less than a second ago.
    case minimumSpacing
    /// The last push failed, and its retry delay is not over.
    case backingOff
    /// Turns are coalesced.
    case turnSpacing
    /// Small changes are coalesced.
    case lowSpacing
    /// An alert has no budget of priority 10.
    case budget
    /// The circuit breaker of the token's environment is open.
    case breakerOpen
    /// The node has the maximum number of pushes in flight.
    case concurrencyLimit
    /// The activity is scheduled, and has not started on the device.
    case scheduled
}

/// The reason why there is nothing to do.
public enum IdleReason: String, Hashable, Sendable, CaseIterable {
    /// The phone shows the newest state.
    case nothingPending
    /// A push is in flight; an activity has at most one at a time.
    case inFlight
    /// The activity has received its `end`.
    case ended
    /// The token is dead, and no other is known.
    case tokenDead
}

/// The effect of a push's outcome on the cadence: the outcome reduced to the cases that the cadence distinguishes.
public enum PushDisposition: Hashable, Sendable {
    /// APNs accepted it.
    case accepted
    /// The push did not reach the phone. The state that is newest after the delay may be sent then.
    case retryLater(after: Duration)
    /// The push may or may not have reached the phone. The state that is newest after the delay may be sent then; the
    /// budget stays spent.
    case unanswered(retryAfter: Duration)
    /// APNs rejects this push for good; other pushes to the activity may succeed.
    case rejected
    /// The token to which it was sent is dead.
    case tokenDead

    var neverReachedPhone: Bool {
        switch self {
        case .accepted, .unanswered: false
        case .retryLater, .rejected, .tokenDead: true
        }
    }
}
