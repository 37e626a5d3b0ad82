extension AdventureAttributes {
    /// What a Live Activity shows at one moment of an adventure.
    ///
    /// A phone decodes it with a `JSONDecoder` that has nothing set (Apple, "Starting and updating Live Activities
    /// with ActivityKit push notifications"), and drops the push silently when that fails. Hence:
    ///
    /// - Keys are the property names; there is no `Date`, moments are whole seconds since 1970; what is absent has no
    ///   key, never `null`.
    /// - What the game may add to (outcomes, phases of bosses) is text, not an enumeration: a value that an older app
    ///   does not know must not cost it the whole update.
    /// - ``currentHealthLevel`` and ``eventDescription`` are the fields of the single-hero app that came before the
    ///   parties: its widget decodes this state unchanged.
    ///
    /// All but ``currentHealthLevel`` is the same for every member; ``EncodedContentState`` uses that.
    public struct ContentState: Codable, Hashable, Sendable {
        /// Every hero of the adventure, by seat: the index never changes its hero.
        public var heroes: [HeroState]
        /// The boss, in a boss fight.
        public var boss: BossState?
        /// Whose turn it is, in a boss fight that goes on.
        public var turn: TurnState?
        /// What happened last, for the phone to say in its own language.
        public var event: LocalizableText
        /// How far the adventure has come, in ticks.
        public var tick: Int
        /// How many events have happened: of two states the one with the larger number is newer.
        public var sequence: Int
        /// How the adventure ended, in the words of the REST API; nil while it goes on.
        public var outcome: String?
        /// The health of the receiver's own hero, 0…1.
        public var currentHealthLevel: Double
        /// ``event`` as an English sentence.
        public var eventDescription: String

        /// Whether the adventure has ended.
        public var isOver: Bool { outcome != nil }

        /// What a card shows; ``eventDescription`` follows from `event`.
        public init(
            heroes: [HeroState],
            boss: BossState?,
            turn: TurnState?,
            event: LocalizableText,
            tick: Int,
            sequence: Int,
            outcome: String?,
            currentHealthLevel: Double
        ) {
            self.init(
                heroes: heroes,
                boss: boss,
                turn: turn,
                event: event,
                tick: tick,
                sequence: sequence,
                outcome: outcome,
                currentHealthLevel: currentHealthLevel,
                eventDescription: event.english
            )
        }

        /// A state as a sender has written it, who may describe the event as they like.
        package init(
            heroes: [HeroState],
            boss: BossState?,
            turn: TurnState?,
            event: LocalizableText,
            tick: Int,
            sequence: Int,
            outcome: String?,
            currentHealthLevel: Double,
            eventDescription: String
        ) {
            self.heroes = heroes
            self.boss = boss
            self.turn = turn
            self.event = event
            self.tick = tick
            self.sequence = sequence
            self.outcome = outcome
            self.currentHealthLevel = currentHealthLevel
            self.eventDescription = eventDescription
        }
    }

    /// A hero as the card shows it.
    public struct HeroState: Codable, Hashable, Sendable {
        /// The hero's emoji.
        public var avatar: String
        /// The hero's name.
        public var name: String
        /// 0…1.
        public var healthLevel: Double
        /// Whether the hero has no health left.
        public var isDown: Bool

        /// A hero as the card shows it.
        public init(avatar: String, name: String, healthLevel: Double, isDown: Bool) {
            self.avatar = avatar
            self.name = name
            self.healthLevel = healthLevel
            self.isDown = isDown
        }
    }

    /// A boss as the card shows it.
    public struct BossState: Codable, Hashable, Sendable {
        /// A ``phase``: the boss has announced a move that guarding answers.
        public static let windingUp = "windingUp"
        /// A ``phase``: the boss has lost so much health that it fights harder.
        public static let enraged = "enraged"

        /// The boss's emoji.
        public var avatar: String
        /// The boss's name.
        public var name: String
        /// 0…1.
        public var healthLevel: Double
        /// What is special about the boss now: ``windingUp`` or else ``enraged``; nil for nothing.
        public var phase: String?

        /// A boss as the card shows it.
        public init(avatar: String, name: String, healthLevel: Double, phase: String?) {
            self.avatar = avatar
            self.name = name
            self.healthLevel = healthLevel
            self.phase = phase
        }
    }

    /// A turn as the card shows it.
    public struct TurnState: Codable, Hashable, Sendable {
        /// 1 and up.
        public var number: Int
        /// Index into ``ContentState/heroes``; nil when it is the boss's turn.
        public var heroIndex: Int?
        /// When the turn ends by itself, in seconds since 1970; the phone counts down to it without a push.
        public var endsEpochSeconds: Int64?

        /// A turn as the card shows it.
        public init(number: Int, heroIndex: Int?, endsEpochSeconds: Int64?) {
            self.number = number
            self.heroIndex = heroIndex
            self.endsEpochSeconds = endsEpochSeconds
        }
    }
}
