import GameCore
import GameStore
import Hummingbird

/// The result of an adventure's replay: `{adventureID, events, identical, difference?}`.
struct ReplayView: Encodable {
    let adventureID: AdventureID
    /// The number of stored events.
    let events: Int
    let identical: Bool
    let difference: Difference?

    /// The first difference between the replay and the stored adventure.
    struct Difference: Encodable {
        /// The kind of difference: `event`, `input` or `state`.
        let kind: String
        /// The sequence of the different event, or of the last event before the input.
        let sequence: Int
        let explanation: String
        let storedEvent: AdventureEvent?
        let replayedEvent: AdventureEvent?
        /// The encoded state, see `Adventure.encoded`.
        let storedState: String?
        let replayedState: String?
    }

    /// Replays an adventure.
    init(of record: AdventureRecord, _ id: AdventureID) {
        adventureID = id
        events = record.events.count
        let verdict = Adventure.checkReplay(
            of: record.opening,
            inputs: record.inputs,
            log: record.events.map { ($0.sequence, $0.event) },
            stored: record.newest
        )
        switch verdict {
        case .same:
            (identical, difference) = (true, nil)
        case .event(let sequence, let stored, let replayed):
            (identical, difference) = (false, Self.event(sequence, stored: stored, replayed: replayed))
        case .input(_, let sequence, let refusal):
            (identical, difference) = (false, Self.input(refusedAfter: sequence, refusal))
        case .state(let stored, let replayed):
            (identical, difference) = (false, Self.state(record.newest.sequence, stored: stored, replayed: replayed))
        }
    }

    private static func event(_ sequence: Int, stored: AdventureEvent?, replayed: AdventureEvent?) -> Difference {
        let explanation =
            if stored == nil {
                "Event \(sequence) is missing in the stored events."
            } else if replayed == nil {
                "Event \(sequence) is missing in the replay."
            } else {
                "Event \(sequence) differs in the replay."
            }
        return Difference(
            kind: "event",
            sequence: sequence,
            explanation: explanation,
            storedEvent: stored,
            replayedEvent: replayed,
            storedState: nil,
            replayedState: nil
        )
    }

    private static func input(refusedAfter sequence: Int, _ refusal: AdventureRefusal) -> Difference {
        Difference(
            kind: "input",
            sequence: sequence,
            explanation: "The replay refuses the input after event \(sequence): \(refusal.slug).",
            storedEvent: nil,
            replayedEvent: nil,
            storedState: nil,
            replayedState: nil
        )
    }

    private static func state(_ sequence: Int, stored: String, replayed: String) -> Difference {
        Difference(
            kind: "state",
            sequence: sequence,
            explanation: "The events are equal, but the states after event \(sequence) differ.",
            storedEvent: nil,
            replayedEvent: nil,
            storedState: stored,
            replayedState: replayed
        )
    }
}
