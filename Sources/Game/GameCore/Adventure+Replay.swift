extension Adventure {
    /// Plays an adventure again from its beginning.
    /// - Parameters:
    ///   - opening: the adventure before any input.
    ///   - inputs: everything that moved it, in order, ``Input/start`` first.
    /// - Returns: the adventure after the last input, and all events.
    /// - Throws: ``Refusal`` of the first input that is refused, which shows that the inputs are not its own.
    public static func replay(
        _ opening: Self,
        inputs: [Input]
    ) throws(Refusal) -> (adventure: Self, events: [Event]) {
        var adventure = opening
        var events: [Event] = []
        for input in inputs {
            try adventure.advance(input, appendingTo: &events)
        }
        return (adventure, events)
    }

    /// Plays an adventure again and holds it against what is stored of it.
    /// - Parameters:
    ///   - opening: the adventure before any input.
    ///   - inputs: what moved it besides ``Input/start`` and ticks, in order, each with the adventure's sequence just before it.
    ///   - log: its events in order, each with its sequence; all of them, unless some were lost.
    ///   - stored: what it was after the last of them.
    /// - Returns: the first difference, or that there is none.
    public static func checkReplay(
        of opening: Self,
        inputs: [(sequence: Int, input: Input)],
        log: [(sequence: Int, event: Event)],
        stored: Self
    ) -> ReplayVerdict {
        guard opening.rules == currentRules else { return .otherRules(opening.rules) }
        var replay = ReplayOfLog(
            adventure: opening,
            log: Dictionary(log.map { ($0.sequence, $0.event) }, uniquingKeysWith: { first, _ in first })
        )
        do {
            try replay.take(.start)
            for (sequence, input) in inputs {
                try replay.tick(untilSequence: sequence)
                try replay.take(input)
            }
            try replay.tick(untilSequence: stored.sequence)
            try replay.finish(at: stored)
        } catch {
            return error.verdict
        }
        return .same
    }
}

/// What a replay of a stored adventure came to.
public enum ReplayVerdict: Hashable, Sendable {
    /// The same events and the same state.
    case same
    /// The adventure began under rules that this release does not have, see ``Adventure/currentRules``: it cannot be judged.
    case otherRules(Int)
    /// The first event that differs; nil where one of the two has none of that sequence.
    case event(sequence: Int, stored: Event?, replayed: Event?)
    /// An input that was taken once is refused in the replay, after the event of that sequence.
    case input(Input, afterSequence: Int, Refusal)
    /// The events are the same and the state after them is not; both as they are stored.
    case state(stored: String, replayed: String)
}

/// A replay on its way along a log.
private struct ReplayOfLog {
    /// Where a replay parts from what is stored.
    struct Difference: Error {
        let verdict: ReplayVerdict
    }

    private(set) var adventure: Adventure
    let log: [Int: Event]

    mutating func take(_ input: Input) throws(Difference) {
        let known = adventure.sequence
        let events: [Event]
        do {
            events = try adventure.advance(input)
        } catch {
            throw Difference(verdict: .input(input, afterSequence: known, error))
        }
        for (sequence, event) in zip((known + 1)..., events) where log[sequence] != event {
            throw Difference(verdict: .event(sequence: sequence, stored: log[sequence], replayed: event))
        }
    }

    mutating func tick(untilSequence sequence: Int) throws(Difference) {
        while adventure.sequence < sequence, adventure.status == .running {
            try take(.tick)
        }
    }

    func finish(at stored: Adventure) throws(Difference) {
        if let next = log.keys.filter({ $0 > adventure.sequence }).min() {
            throw Difference(verdict: .event(sequence: next, stored: log[next], replayed: nil))
        }
        if adventure != stored {
            throw Difference(verdict: .state(stored: stored.encoded, replayed: adventure.encoded))
        }
    }
}
