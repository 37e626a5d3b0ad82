import GameCore
import GameStore

/// The result of an adventure's replay: `{adventureID, identical, events?, difference?}`.
struct ReplayView: Encodable {
    let adventureID: AdventureID
    /// Whether the opening and the inputs still give the events and the state that were recorded.
    let identical: Bool
    /// The number of events; nil if they are not identical.
    let events: Int?
    /// The first difference: a sentence.
    let difference: String?

    /// Creates the result of an identical replay.
    init(of id: AdventureID, events: Int) {
        (adventureID, identical, self.events, difference) = (id, true, events, nil)
    }

    /// Creates the result of a replay that differs.
    init(of id: AdventureID, difference: String) {
        (adventureID, identical, events, self.difference) = (id, false, nil, difference)
    }
}
