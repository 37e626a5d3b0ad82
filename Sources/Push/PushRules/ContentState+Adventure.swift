public import Encodings
public import GameCore
public import LiveActivityContent

extension AdventureAttributes.ContentState {
    /// What cards show of an adventure: the only place that knows both.
    ///
    /// `currentHealthLevel` is the first hero's; the state is encoded once for all members and each gets its own
    /// hero's ``GameCore/HeroInPlay/shownHealthLevel`` in its place.
    /// - Parameters:
    ///   - adventure: the adventure.
    ///   - lastEvent: the last event of it that ``GameCore/Event/isTold``.
    ///   - turnEnds: when the turn ends by itself, where one has begun.
    ///   - notice: what the card says in place of the event.
    public init(of adventure: Adventure, lastEvent: Event, turnEnds: Timestamp?, notice: CardNotice? = nil) {
        let heroes = adventure.heroes.map(AdventureAttributes.HeroState.init(of:))
        self.init(
            heroes: heroes,
            boss: adventure.boss.map(AdventureAttributes.BossState.init(of:)),
            turn: adventure.turn.map { AdventureAttributes.TurnState(of: $0, ends: turnEnds) },
            event: notice?.text ?? LocalizableText(telling: lastEvent, in: adventure),
            tick: adventure.tick,
            sequence: adventure.sequence,
            outcome: adventure.outcome?.rawValue,
            currentHealthLevel: heroes.first?.healthLevel ?? 0
        )
    }
}

extension HeroInPlay {
    /// The hero's health as cards show it, 0…1 in thousandths; zero only when the hero is down.
    public var shownHealthLevel: Double { shown(healthLevel) }
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
            healthLevel: shown(boss.healthLevel),
            phase: boss.shownPhase
        )
    }
}

extension BossInPlay {
    /// What a card says of the boss: an announced move first, since it asks for something.
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
    /// The end is rounded up to a second: a turn that goes on after its countdown beats one that is cut short.
    fileprivate init(of turn: Turn, ends: Timestamp?) {
        self.init(
            number: turn.number,
            heroIndex: turn.hero?.rawValue,
            endsEpochSeconds: ends.map { ($0 + .microseconds(999_999)).epochSeconds }
        )
    }
}

/// A health level in thousandths, which is finer than any bar and saves a dozen bytes a hero; what is above zero stays
/// above it, since zero means down.
private func shown(_ healthLevel: Double) -> Double {
    healthLevel > 0 ? max((healthLevel * 1_000).rounded() / 1_000, 0.001) : 0
}
