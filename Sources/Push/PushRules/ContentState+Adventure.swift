public import Encodings
public import GameCore
public import LiveActivityContent

extension AdventureAttributes.ContentState {
    /// Creates the content state of an adventure.
    ///
    /// `currentHealthLevel` is the level of the first hero. The state is encoded once for all members; each member's
    /// push has its own hero's ``GameCore/HeroInPlay/shownHealthLevel``.
    /// - Parameters:
    ///   - adventure: the adventure.
    ///   - lastEvent: its last event for which ``GameCore/AdventureEvent/isHeadline`` is true.
    ///   - turnEnds: the time at which the current turn ends automatically; nil without a turn.
    ///   - notice: the notice that the activity shows instead of the event.
    public init(of adventure: Adventure, lastEvent: AdventureEvent, turnEnds: Timestamp?, notice: ActivityNotice? = nil)
    {
        let heroes = adventure.heroes.map(AdventureAttributes.HeroState.init(of:))
        self.init(
            heroes: heroes,
            boss: adventure.boss.map(AdventureAttributes.BossState.init(of:)),
            turn: adventure.turn.map { AdventureAttributes.TurnState(of: $0, ends: turnEnds) },
            event: notice?.text ?? LocalizableText(describing: lastEvent, in: adventure),
            tick: adventure.tick,
            sequence: adventure.sequence,
            outcome: adventure.outcome?.rawValue,
            currentHealthLevel: heroes.first?.healthLevel ?? 0
        )
    }
}

extension HeroInPlay {
    /// The health of the hero as activities show it: 0…1 in thousandths, and 0 only if the hero is down.
    public var shownHealthLevel: Double { AdventureAttributes.shown(healthLevel) }
}

extension AdventureAttributes.HeroState {
    fileprivate init(of hero: HeroInPlay) {
        self.init(
            avatar: hero.id.avatar,
            name: hero.id.name,
            healthLevel: hero.shownHealthLevel,
            isDown: hero.isDown
        )
    }
}

extension AdventureAttributes.BossState {
    fileprivate init(of boss: BossInPlay) {
        self.init(
            avatar: boss.id.avatar,
            name: boss.id.name,
            healthLevel: AdventureAttributes.shown(boss.healthLevel),
            phase: boss.shownPhase
        )
    }
}

extension BossInPlay {
    /// The phase that an activity shows: an announced move takes precedence, since players should respond to it.
    fileprivate var shownPhase: String? {
        if isWindingUp {
            AdventureAttributes.BossState.windingUp
        } else if phase > 1 {
            AdventureAttributes.BossState.enraged
        } else {
            nil
        }
    }
}

extension AdventureAttributes.TurnState {
    /// Creates the state of a turn, with its end rounded up to a second: the countdown does not end before the turn
    /// does.
    fileprivate init(of turn: Turn, ends: Timestamp?) {
        self.init(
            number: turn.number,
            heroIndex: turn.hero?.rawValue,
            endsEpochSeconds: ends.map { ($0 + .microseconds(999_999)).epochSeconds }
        )
    }
}

extension AdventureAttributes {
    /// Returns a health level in thousandths, which is finer than any bar and saves a dozen bytes for each hero.
    ///
    /// A level above zero stays above zero, since zero means that the hero is down.
    package static func shown(_ healthLevel: Double) -> Double {
        healthLevel > 0 ? max((healthLevel * 1_000).rounded() / 1_000, 0.001) : 0
    }
}
