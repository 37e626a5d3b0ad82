extension Adventure {
    /// Replays an adventure from its opening.
    /// - Parameters:
    ///   - opening: the adventure before any input.
    ///   - inputs: all inputs in order, ``AdventureInput/start`` first.
    /// - Returns: the adventure after the last input, and all events.
    /// - Throws: the ``AdventureRefusal`` of the first refused input; the inputs then belong to another adventure.
    public static func replay(
        _ opening: Self,
        inputs: [AdventureInput]
    ) throws(AdventureRefusal) -> (adventure: Self, events: [AdventureEvent]) {
        var adventure = opening
        var events: [AdventureEvent] = []
        for input in inputs {
            try adventure.advance(input, appendingTo: &events)
        }
        return (adventure, events)
    }

    /// Replays an adventure and compares the result with its stored events and state.
    /// - Parameters:
    ///   - opening: the adventure before any input.
    ///   - inputs: the inputs except ``AdventureInput/start`` and ticks, in order, each with the sequence of the
    ///     preceding event.
    ///   - log: the stored events in order, each with its sequence.
    ///   - stored: the stored adventure after the last event.
    /// - Returns: the first difference, or ``ReplayVerdict/same``.
    public static func checkReplay(
        of opening: Self,
        inputs: [(sequence: Int, input: AdventureInput)],
        log: [(sequence: Int, event: AdventureEvent)],
        stored: Self
    ) -> ReplayVerdict {
        var replay = ReplayComparison(
            adventure: opening,
            log: Dictionary(log.map { ($0.sequence, $0.event) }, uniquingKeysWith: { first, _ in first })
        )
        do {
            try replay.play(.start)
            for (sequence, input) in inputs {
                try replay.tick(untilSequence: sequence)
                try replay.play(input)
            }
            try replay.tick(untilSequence: stored.sequence)
            try replay.compareEnd(with: stored)
        } catch {
            return error.verdict
        }
        return .same
    }
}

/// The result of comparing a replay with a stored adventure.
public enum ReplayVerdict: Hashable, Sendable {
    /// Events and state are the same.
    case same
    /// The first event that differs; nil stands for a side without an event of this sequence.
    case event(sequence: Int, stored: AdventureEvent?, replayed: AdventureEvent?)
    /// The first stored input that the replay refuses, after the event with this sequence.
    case input(AdventureInput, afterSequence: Int, AdventureRefusal)
    /// The events are the same, but the final states, given in their stored form, differ.
    case state(stored: String, replayed: String)
}

/// A replay that is compared with a log event by event.
private struct ReplayComparison {
    struct Difference: Error {
        let verdict: ReplayVerdict
    }

    private(set) var adventure: Adventure
    let log: [Int: AdventureEvent]

    mutating func play(_ input: AdventureInput) throws(Difference) {
        let sequenceBefore = adventure.sequence
        let events: [AdventureEvent]
        do {
            events = try adventure.advance(input)
        } catch {
            throw Difference(verdict: .input(input, afterSequence: sequenceBefore, error))
        }
        for (sequence, event) in zip((sequenceBefore + 1)..., events) where log[sequence] != event {
            throw Difference(verdict: .event(sequence: sequence, stored: log[sequence], replayed: event))
        }
    }

    mutating func tick(untilSequence sequence: Int) throws(Difference) {
        while adventure.sequence < sequence, adventure.status == .running {
            try play(.tick)
        }
    }

    func compareEnd(with stored: Adventure) throws(Difference) {
        if let next = log.keys.filter({ $0 > adventure.sequence }).min() {
            throw Difference(verdict: .event(sequence: next, stored: log[next], replayed: nil))
        }
        if adventure != stored {
            throw Difference(verdict: .state(stored: stored.encoded, replayed: adventure.encoded))
        }
    }
}
