public import GameCore

/// An adventure as the server tells it.
public struct AdventureAnswer: Decodable, Sendable {
    /// A hero of it.
    public struct Hero: Decodable, Sendable {
        /// Its place in ``AdventureAnswer/heroes``.
        public let seat: Seat
        /// Whose hero it is.
        public let playerID: PlayerID
        /// Which hero of the catalogue.
        public let hero: HeroID
        /// 1 and up.
        public let level: Int
        /// Zero is down.
        public let health: Int
        /// Health when unhurt.
        public let maximumHealth: Int
        /// Potions left.
        public let potions: Int
        /// Whether it can only wait for a potion.
        public let isDown: Bool
    }

    /// The boss of a boss fight.
    public struct Boss: Decodable, Sendable {
        /// Which boss of the catalogue.
        public let id: BossID
        /// Zero is defeated.
        public let health: Int
        /// Health when unhurt.
        public let maximumHealth: Int
        /// Whether its next move is the heavy one.
        public let isWindingUp: Bool
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
