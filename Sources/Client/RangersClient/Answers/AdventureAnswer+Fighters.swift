public import GameCore

extension AdventureAnswer {
    /// A hero in an adventure.
    public struct Hero: Decodable, Hashable, Sendable {
        /// What the hero alone can do.
        public struct SignatureMove: Decodable, Hashable, Sendable {
            /// Its English name.
            public let name: String
            /// What it does, in an English sentence.
            public let summary: String
            /// In how many turns of the hero it can be used; 0 when it can.
            public let readyIn: Int
        }

        private enum CodingKeys: String, CodingKey {
            case seat
            case playerID
            case hero
            case name
            case avatar
            case heroClass = "class"
            case level
            case experience
            case health
            case maximumHealth
            case healthLevel
            case potions
            case signatureMove
            case policy
            case isGuarding
            case isChallenging
            case isDown
            case hasLeft
        }

        /// Its place in ``AdventureAnswer/heroes``.
        public let seat: Seat
        /// Whose hero it is.
        public let playerID: PlayerID
        /// Which hero of the catalogue.
        public let hero: HeroID
        /// The English name.
        public let name: String
        /// The emoji.
        public let avatar: String
        /// The part that it plays in the party; nil for a hero who has left the catalogue.
        public let heroClass: Word<HeroClass>?
        /// 1 and up.
        public let level: Int
        /// What the next level is reached with.
        public let experience: Int
        /// Zero is down.
        public let health: Int
        /// Health when unhurt.
        public let maximumHealth: Int
        /// 0…1.
        public let healthLevel: Double
        /// Potions left.
        public let potions: Int
        /// What it alone can do; nil for a hero who has left the catalogue.
        public let signatureMove: SignatureMove?
        /// What it does with turns that its player lets pass.
        public let policy: Word<TurnPolicy>
        /// Whether it takes less harm until its next turn.
        public let isGuarding: Bool
        /// Whether it draws the boss's blows.
        public let isChallenging: Bool
        /// Whether it can only wait for help.
        public let isDown: Bool
        /// Whether its player has left the party.
        public let hasLeft: Bool
    }

    /// The boss of a boss fight.
    public struct Boss: Decodable, Hashable, Sendable {
        /// A move that the boss has announced for its next turn.
        public struct Announcement: Decodable, Hashable, Sendable {
            /// Which one.
            public let move: Word<BossMove>
            /// At whom; nil when it is at everybody.
            public let seat: Seat?
        }

        /// Which boss of the catalogue.
        public let id: BossID
        /// The English name.
        public let name: String
        /// The emoji.
        public let avatar: String
        /// Zero is defeated.
        public let health: Int
        /// Health when unhurt.
        public let maximumHealth: Int
        /// 0…1.
        public let healthLevel: Double
        /// How it fights at the moment: 1 at first, one more each time it is enraged.
        public let phase: Int
        /// Whether its next turn brings what guarding answers.
        public let isWindingUp: Bool
        /// What its next turn brings, if it has said so.
        public let announced: Announcement?
        /// How many of its turns it still hits less hard.
        public let weakenedTurns: Int
        /// How many blows at it still hit harder.
        public let exposedBlows: Int
    }
}
