extension AdventureAttributes {
    /// The state of an adventure that a Live Activity shows.
    ///
    /// The phone decodes it with a default `JSONDecoder` (Apple, "Starting and updating Live Activities with
    /// ActivityKit push notifications"), and silently drops a push whose state it cannot decode. Therefore:
    ///
    /// - Keys are the property names. Times are whole seconds since 1970 and not `Date`. An absent value has no key and
    ///   is never `null`.
    /// - Values of sets that may grow (outcomes, phases of bosses) are texts and not enumerations, so that an older app
    ///   can decode a state with a value that it does not know.
    /// - ``currentHealthLevel`` and ``eventDescription`` are the fields of an earlier app for single heroes,
    ///   whose widget decodes this state unchanged.
    ///
    /// Only ``currentHealthLevel`` differs between the members of a party; see ``EncodedContentState``.
    public struct ContentState: Codable, Hashable, Sendable {
        /// The heroes of the adventure by seat; the hero at an index never changes.
        public var heroes: [HeroState]
        /// The boss; nil outside a boss fight.
        public var boss: BossState?
        /// The current turn; nil outside a boss fight, and after its end.
        public var turn: TurnState?
        /// The last event, which the phone shows in its own language.
        public var event: LocalizableText
        /// The number of ticks since the start of the adventure.
        public var tick: Int
        /// The number of events since the start of the adventure; of two states, the one with the larger number is
        /// newer.
        public var sequence: Int
        /// The outcome of the adventure, with the values of the REST API; nil while the adventure goes on.
        public var outcome: String?
        /// The health of the member's own hero, 0…1.
        public var currentHealthLevel: Double
        /// ``event`` as an English sentence, for the widget of the single-hero app.
        public var eventDescription: String

        /// Whether the adventure has ended.
        public var isOver: Bool { outcome != nil }

        /// Creates a state, with ``eventDescription`` derived from `event`.
        /// - Parameters:
        ///   - heroes: the heroes by seat.
        ///   - boss: the boss, in a boss fight.
        ///   - turn: the current turn, in a boss fight that goes on.
        ///   - event: the last event.
        ///   - tick: the number of ticks since the start.
        ///   - sequence: the number of events since the start.
        ///   - outcome: the outcome; nil while the adventure goes on.
        ///   - currentHealthLevel: the health of the member's own hero, 0…1.
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

        /// Creates a state with the values that a sender wrote, including its description of the event.
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

    /// The state of a hero that an activity shows.
    public struct HeroState: Codable, Hashable, Sendable {
        /// The hero's emoji.
        public var avatar: String
        /// The hero's name.
        public var name: String
        /// The health of the hero, 0…1; 0 only if the hero is down.
        public var healthLevel: Double
        /// Whether the hero has no health left.
        public var isDown: Bool

        /// Creates the state of a hero.
        public init(avatar: String, name: String, healthLevel: Double, isDown: Bool) {
            self.avatar = avatar
            self.name = name
            self.healthLevel = healthLevel
            self.isDown = isDown
        }
    }

    /// The state of a boss that an activity shows.
    public struct BossState: Codable, Hashable, Sendable {
        /// The ``phase`` of a boss that has announced a move, against which heroes should guard.
        public static let windingUp = "windingUp"
        /// The ``phase`` of a boss that fights harder after the loss of much health.
        public static let enraged = "enraged"

        /// The boss's emoji.
        public var avatar: String
        /// The boss's name.
        public var name: String
        /// The health of the boss, 0…1.
        public var healthLevel: Double
        /// The phase of the boss: ``windingUp``, otherwise ``enraged``, otherwise nil; newer servers may send other
        /// values.
        public var phase: String?

        /// Creates the state of a boss.
        public init(avatar: String, name: String, healthLevel: Double, phase: String?) {
            self.avatar = avatar
            self.name = name
            self.healthLevel = healthLevel
            self.phase = phase
        }
    }

    /// The state of a turn that an activity shows.
    public struct TurnState: Codable, Hashable, Sendable {
        /// The number of the turn, 1 and up.
        public var number: Int
        /// The index of the acting hero in ``ContentState/heroes``; nil in the turn of the boss.
        public var heroIndex: Int?
        /// The time at which the turn ends automatically, in seconds since 1970; the countdown needs no further pushes.
        public var endsEpochSeconds: Int64?

        /// Creates the state of a turn.
        public init(number: Int, heroIndex: Int?, endsEpochSeconds: Int64?) {
            self.number = number
            self.heroIndex = heroIndex
            self.endsEpochSeconds = endsEpochSeconds
        }
    }
}
