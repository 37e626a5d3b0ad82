public import GameCore

/// An adventure as the server tells it.
public struct AdventureAnswer: Decodable, Sendable {
    /// A hero of it.
    public struct Hero: Decodable, Sendable {
        /// What the hero alone can do.
        public struct SignatureMove: Decodable, Sendable {
            /// In how many turns of the hero it can be used; 0 when it can.
            public let readyIn: Int
        }

        private enum CodingKeys: String, CodingKey {
            case seat
            case playerID
            case hero
            case heroClass = "class"
            case level
            case health
            case maximumHealth
            case potions
            case isDown
            case signatureMove
        }

        /// Its place in ``AdventureAnswer/heroes``.
        public let seat: Seat
        /// Whose hero it is.
        public let playerID: PlayerID
        /// Which hero of the catalogue.
        public let hero: HeroID
        /// The part that it plays in the party.
        public let heroClass: HeroClass
        /// 1 and up.
        public let level: Int
        /// Zero is down.
        public let health: Int
        /// Health when unhurt.
        public let maximumHealth: Int
        /// Potions left.
        public let potions: Int
        /// Whether it can only wait for help.
        public let isDown: Bool
        /// What it alone can do.
        public let signatureMove: SignatureMove
    }

    /// The boss of a boss fight.
    public struct Boss: Decodable, Sendable {
        /// A move that the boss has announced for its next turn.
        public struct Announcement: Decodable, Sendable {
            /// Which one.
            public let move: BossMove
            /// At whom; nil when it is at everybody.
            public let seat: Seat?
        }

        /// Which boss of the catalogue.
        public let id: BossID
        /// Zero is defeated.
        public let health: Int
        /// Health when unhurt.
        public let maximumHealth: Int
        /// How it fights at the moment: 1 at first, one more each time it is enraged.
        public let phase: Int
        /// What its next turn brings, if it has said so.
        public let announced: Announcement?
    }

    /// The open turn of a boss fight.
    public struct Turn: Decodable, Sendable {
        /// 1 and up.
        public let number: Int
        /// Whose turn it is; the boss's when nil.
        public let seat: Seat?
    }

    /// Names the adventure.
    public let adventureID: AdventureID
    /// Whether it travels or fights.
    public let kind: AdventureKind
    /// `ready`, `running` or `ended`.
    public let status: String
    /// Steps or turns that have been played.
    public let tick: Int
    /// By seat.
    public let heroes: [Hero]
    /// In a boss fight.
    public let boss: Boss?
    /// In a boss fight that goes on.
    public let turn: Turn?
    /// The number of the newest event.
    public let sequence: Int
    /// How it ended; nil before.
    public let outcome: Outcome?

    /// Whether nothing changes any more.
    public var isOver: Bool { outcome != nil }

    /// The hero of a player; nil when the player has none in it.
    func hero(of player: PlayerID) -> Hero? {
        heroes.first { $0.playerID == player }
    }
}
