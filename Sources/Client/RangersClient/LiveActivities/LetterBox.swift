/// Brings the newest of what there is to say to the server, one letter at a time.
///
/// An older letter that arrives late would undo a newer one: the old push token of an activity, say, would be taken for
/// its new one. So the next letter waits until the one before is answered or lost, and of those that wait only the newest
/// is sent; a letter is tried again until it is delivered, refused or outdated.
struct LetterBox<Content: Sendable> {
    /// Something to say, under one key however often it is sent.
    struct Letter {
        let content: Content
        let key: IdempotencyKey
        /// Whether nothing is to be said after it.
        let isLast: Bool
    }

    /// What came of sending a letter.
    enum Outcome: Hashable, Sendable {
        case delivered
        /// It will not be taken, however often it is sent.
        case refused
        /// It may be taken later.
        case failed(retryAfter: Duration?)
    }

    enum Action {
        case send(Letter)
        case pause(failures: Int, retryAfter: Duration?)
        case finish
        case nothing
    }

    private enum State {
        /// Nothing to say. Next: `sending`.
        case idle
        /// A letter is under way; `newer` is to be sent instead of it or after it. Next: any.
        case sending(Letter, newer: Letter?, failures: Int)
        /// A letter waits to be sent again. Next: `sending`.
        case pausing(Letter, failures: Int)
        /// The last letter is delivered or refused.
        case finished
    }

    private var state = State.idle

    /// Whether there is nothing to send.
    var isIdle: Bool {
        switch state {
        case .idle, .finished: true
        case .sending, .pausing: false
        }
    }

    /// There is something new to say.
    mutating func posted(_ letter: Letter) -> Action {
        switch state {
        case .idle:
            state = .sending(letter, newer: nil, failures: 0)
            return .send(letter)
        case .sending(let current, let newer, let failures):
            guard !(newer ?? current).isLast else { return .nothing }
            state = .sending(current, newer: letter, failures: failures)
            return .nothing
        case .pausing(let current, let failures):
            guard !current.isLast else { return .nothing }
            state = .pausing(letter, failures: failures)
            return .nothing
        case .finished:
            return .nothing
        }
    }

    /// The letter under way is answered or lost.
    mutating func attemptEnded(_ outcome: Outcome) -> Action {
        guard case .sending(let current, let newer, let failures) = state else {
            preconditionFailure("no letter is under way in \(state)")
        }
        switch outcome {
        case .failed(let retryAfter):
            state = .pausing(newer ?? current, failures: failures + 1)
            return .pause(failures: failures + 1, retryAfter: retryAfter)
        case .delivered, .refused:
            if let newer {
                state = .sending(newer, newer: nil, failures: 0)
                return .send(newer)
            }
            state = current.isLast ? .finished : .idle
            return current.isLast ? .finish : .nothing
        }
    }

    /// The pause is over.
    mutating func pauseEnded() -> Action {
        guard case .pausing(let letter, let failures) = state else {
            preconditionFailure("no letter waits in \(state)")
        }
        state = .sending(letter, newer: nil, failures: failures)
        return .send(letter)
    }
}
