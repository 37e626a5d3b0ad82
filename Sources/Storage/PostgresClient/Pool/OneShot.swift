import Synchronization

/// A value that one task waits for and another delivers, in either order.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        /// Neither awaited nor delivered. Next: the wait or the value.
        case open
        /// A task waits for the value. Next: the value.
        case awaited(CheckedContinuation<Value, Never>)
        /// The value was delivered. Next: the wait.
        case delivered(Value)
        /// The value was received. Nothing follows.
        case done
    }

    private let state = Mutex(State.open)

    /// The value; reading it waits for the delivery.
    ///
    /// - Precondition: The value has not been read before.
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
                        preconditionFailure("the value is awaited twice")
                    }
                }
                if let delivered { continuation.resume(returning: delivered) }
            }
        }
    }

    /// Delivers the value.
    ///
    /// - Precondition: No value has been delivered before.
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
