public import GameCore

/// Which of a player's activities needs the player most: the highest comes first on the Lock Screen and has the
/// Dynamic Island.
///
/// It belongs to the situation and not to an event, so it is asked for when a push is written.
public enum Relevance: Double, Hashable, Sendable, CaseIterable {
    /// The player's hero is down.
    case heroDown = 100
    /// It is the player's turn.
    case ownTurn = 90
    /// A boss fight in someone else's turn.
    case bossFight = 75
    /// A journey.
    case journey = 50

    /// The relevance of an adventure for the player of one seat.
    public init(of adventure: Adventure, for receiver: Seat) {
        self =
            if adventure.heroes[receiver.rawValue].isDown {
                .heroDown
            } else if adventure.turn?.hero == receiver {
                .ownTurn
            } else if adventure.kind == .bossFight {
                .bossFight
            } else {
                .journey
            }
    }

    /// The value of `relevance-score`; only the order counts, and the gaps leave room.
    public var score: Double { rawValue }

    /// Why it stands where it stands.
    public var reason: String {
        switch self {
        case .heroDown: "your hero can do nothing until someone helps"
        case .ownTurn: "the fight waits for you, for seconds"
        case .bossFight: "your turn comes soon"
        case .journey: "the party walks by itself"
        }
    }
}
