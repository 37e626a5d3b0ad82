public import GameCore

/// The relevance of an adventure for its player: of a player's activities, the most relevant is the first on the Lock
/// Screen and is shown in the Dynamic Island.
///
/// It depends on the state and not on an event, so it is computed when a push is written.
public enum Relevance: Double, Hashable, Sendable, CaseIterable {
    /// The player's hero is down.
    case heroDown = 100
    /// It is the player's turn.
    case ownTurn = 90
    /// A boss fight or a raid fight in another player's turn.
    case bossFight = 75
    /// A journey.
    case journey = 50

    /// Creates the relevance of an adventure for the player at a seat.
    public init(of adventure: Adventure, for receiver: Seat) {
        self.init(
            heroIsDown: adventure.heroes[receiver.rawValue].isDown,
            isOwnTurn: adventure.turn?.hero == receiver,
            in: adventure.kind
        )
    }

    /// Creates the relevance of an adventure of a kind from the state of the player's hero.
    package init(heroIsDown: Bool, isOwnTurn: Bool, in kind: AdventureKind) {
        self =
            if heroIsDown {
                .heroDown
            } else if isOwnTurn {
                .ownTurn
            } else {
                switch kind {
                case .journey: .journey
                case .bossFight, .raid: .bossFight
                }
            }
    }

    /// The value of `relevance-score`; only the order matters, and the gaps leave space for further cases.
    public var score: Double { rawValue }

    /// The reason for the rank, as a clause.
    public var reason: String {
        switch self {
        case .heroDown: "your hero cannot act until a companion helps"
        case .ownTurn: "the fight waits a few seconds for you"
        case .bossFight: "your turn is near"
        case .journey: "the party travels without its players"
        }
    }
}
