import GameCore
package import PushCadence
import PushRules

/// A decision of a cadence as it is counted: without times and contents.
package enum DecisionKind: Hashable, Sendable {
    case send(SendReason)
    case wait(WaitReason)
    case idle(IdleReason)
    case drop(Drop.Reason)

    init(_ decision: CadenceDecision) {
        self =
            switch decision {
            // Without the seat of a companion, which would multiply the number of counters.
            case .send(let push): .send(push.reason.withoutSeat)
            case .wait(until: _, let reason): .wait(reason)
            case .idle(let reason): .idle(reason)
            }
    }
}

extension SendReason {
    fileprivate var withoutSeat: Self {
        if case .alert(.companionDown) = self { return .alert(.companionDown(Seat(rawValue: 0))) }
        return self
    }
}
