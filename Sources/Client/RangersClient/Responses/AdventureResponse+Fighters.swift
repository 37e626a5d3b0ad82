public import GameCore

extension AdventureResponse {
    /// A hero in an adventure.
    public struct Hero: Decodable, Hashable, Sendable {
        /// A hero's signature move.
        public struct SignatureMove: Decodable, Hashable, Sendable {
            /// The move's English name.
            public let name: String
            /// The move's effect, in an English sentence.
            public let summary: String
            /// The number of the hero's turns until the move can be used; 0 if it can be used now.
            public let readyIn: Int
        }

        private enum CodingKeys: String, CodingKey {
            case seat
            case playerID
            case hero
            case heroClass = "class"
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

        /// The hero's index in ``AdventureResponse/heroes``.
        public let seat: Seat
        /// The player who owns the hero.
        public let playerID: PlayerID
        /// The hero of the catalogue, with its level.
        public let hero: HeroResponse
        /// The hero's class; nil if the catalogue no longer has the hero.
        public let heroClass: OpenEnum<HeroClass>?
        /// The experience points, which raise the level.
        public let experience: Int
        /// The current health; 0 if the hero is down.
        public let health: Int
        /// The full health.
        public let maximumHealth: Int
        /// The current health as a fraction of the full health, 0…1.
        public let healthLevel: Double
        /// The number of potions left.
        public let potions: Int
        /// The hero's signature move; nil if the catalogue no longer has the hero.
        public let signatureMove: SignatureMove?
        /// The policy for turns in which the player sends no command.
        public let policy: OpenEnum<TurnPolicy>
        /// Whether the hero guards, which reduces damage until its next turn.
        public let isGuarding: Bool
        /// Whether the hero challenges the boss, which draws the boss's attacks.
        public let isChallenging: Bool
        /// Whether the hero is down and can only be revived.
        public let isDown: Bool
        /// Whether the player has left the party.
        public let hasLeft: Bool
    }

    /// The boss of a boss fight.
    public struct Boss: Decodable, Hashable, Sendable {
        /// A move that a boss has announced for its next turn.
        public struct Announcement: Decodable, Hashable, Sendable {
            /// The announced move.
            public let move: OpenEnum<BossMove>
            /// The targeted hero; nil if the move targets all heroes.
            public let seat: Seat?
        }

        /// The boss's identifier in the catalogue.
        public let id: BossID
        /// The English name.
        public let name: String
        /// The emoji.
        public let avatar: String
        /// The current health; 0 if the boss is defeated.
        public let health: Int
        /// The full health.
        public let maximumHealth: Int
        /// The current health as a fraction of the full health, 0…1.
        public let healthLevel: Double
        /// The phase of the fight: 1 at first, and one more each time the boss is enraged.
        public let phase: Int
        /// Whether the boss has announced a heavy attack for its next turn; heroes can guard against it.
        public let isWindingUp: Bool
        /// The move announced for the boss's next turn; nil if none is announced.
        public let announced: Announcement?
        /// The number of the boss's turns for which its attacks remain weakened.
        public let weakenedTurns: Int
        /// The number of attacks on the boss that still deal extra damage.
        public let exposedBlows: Int
    }
}
