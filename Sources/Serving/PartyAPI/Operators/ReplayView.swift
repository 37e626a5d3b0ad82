import GameCore
import GameStore
import Hummingbird

/// What a replay of an adventure came to: `{adventureID, events, identical, difference?}`.
struct ReplayView: Encodable {
    let adventureID: AdventureID
    /// How many events are stored.
    let events: Int
    let identical: Bool
    let difference: Difference?

    /// Where the replay first parts from what is stored.
    struct Difference: Encodable {
        /// `event`, `input` or `state`.
        let kind: String
        /// Of the event that differs, or of the last one before the input.
        let sequence: Int
        let explanation: String
        let storedEvent: Event?
        let replayedEvent: Event?
        /// As the state is stored, see `Adventure.encoded`.
        let storedState: String?
        let replayedState: String?
    }

    /// - Throws: ``Problem`` when the adventure cannot be replayed by this release.
    init(of record: AdventureRecord, _ id: AdventureID) throws(Problem) {
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
        case .otherRules(let rules):
            throw Problem(
                kind: .otherRules,
                detail: """
                    It began under rules \(rules), and this release has rules \(Adventure.currentRules); \
                    only a release with those can replay it.
                    """
            )
        case .event(let sequence, let stored, let replayed):
            (identical, difference) = (false, Self.event(sequence, stored: stored, replayed: replayed))
        case .input(_, let sequence, let refusal):
            (identical, difference) = (false, Self.input(refusedAfter: sequence, refusal))
        case .state(let stored, let replayed):
            (identical, difference) = (false, Self.state(record.newest.sequence, stored: stored, replayed: replayed))
        }
    }

    private static func event(_ sequence: Int, stored: Event?, replayed: Event?) -> Difference {
        let explanation =
            if stored == nil {
                "Event \(sequence) is missing."
            } else if replayed == nil {
                "Event \(sequence) is not in the replay."
            } else {
                "Event \(sequence) is another one in the replay."
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

    private static func input(refusedAfter sequence: Int, _ refusal: Refusal) -> Difference {
        Difference(
            kind: "input",
            sequence: sequence,
            explanation: "What was asked after event \(sequence) is refused in the replay: \(refusal.slug).",
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
            explanation: "The events are the same, and the state after event \(sequence) is not.",
            storedEvent: nil,
            replayedEvent: nil,
            storedState: stored,
            replayedState: replayed
        )
    }
}
