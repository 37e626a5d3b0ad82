import Synchronization

/// A value that one task waits for and another delivers, in whichever order.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        /// Neither has come: what follows is either.
        case open
        /// The value is awaited: what follows is the value.
        case awaited(CheckedContinuation<Value, Never>)
        /// The value is there: what follows is that it is asked for.
        case delivered(Value)
        /// The value was handed over: nothing follows.
        case done
    }

    private let state = Mutex(State.open)

    /// The value, as soon as it is there; may be asked for once.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let delivered: Value? = state.withLock { state in
                    switch state {
                    case .open:
                        state = .awaited(continuation)
                        return nil
                    case .delivered(let value):
                        state = .done
                        return value
                    case .awaited, .done:
                        preconditionFailure("the value is asked for twice")
                    }
                }
                if let delivered { continuation.resume(returning: delivered) }
            }
        }
    }

    /// Delivers the value, which may be done once.
    func fulfil(_ value: Value) {
        let continuation: CheckedContinuation<Value, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .delivered(value)
                return nil
            case .awaited(let continuation):
                state = .done
                return continuation
            case .delivered, .done:
                preconditionFailure("the value is delivered twice")
            }
        }
        continuation?.resume(returning: value)
    }
}
