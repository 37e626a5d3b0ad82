import Foundation
public import GameCore
public import LiveActivityContent
import PushRules

extension AdventureAttributes {
    /// Creates the static attributes of a member's activity; nil if the player has no hero in the adventure.
    public init?(of adventure: AdventureResponse, party: PartyResponse, for player: PlayerID) {
        guard let hero = adventure.hero(of: player) else { return nil }
        self.init(
            adventureID: adventure.adventureID.description,
            partyName: party.name,
            heroName: hero.hero.name,
            heroAvatar: hero.hero.avatar,
            hero: Hero(
                hero.hero.id,
                level: hero.hero.level,
                experience: hero.experience,
                healthLevel: Self.shown(hero.healthLevel)
            ),
            playerNames: Self.playerNames(
                of: adventure.heroes.map { ($0.playerID, $0.hero.id) },
                name: { id in party.members.first { $0.playerID == id }?.displayName }
            )
        )
    }
}

extension AdventureAttributes.ContentState {
    /// Creates the content state until the first push, which the server sends when the activity is registered.
    public init(of adventure: AdventureResponse, for player: PlayerID) {
        self.init(
            heroes: adventure.heroes.map { hero in
                .init(
                    avatar: hero.hero.avatar,
                    name: hero.hero.name,
                    healthLevel: AdventureAttributes.shown(hero.healthLevel),
                    isDown: hero.isDown
                )
            },
            boss: adventure.boss.map(AdventureAttributes.BossState.init(of:)),
            turn: adventure.turn.map(AdventureAttributes.TurnState.init(of:)),
            event: adventure.text(describing: .adventureStarted(kind: adventure.knownKind)),
            tick: adventure.tick,
            sequence: adventure.sequence,
            outcome: adventure.outcome?.rawValue,
            currentHealthLevel: AdventureAttributes.shown(adventure.hero(of: player)?.healthLevel ?? 0)
        )
    }

    /// Creates the content state of a spectator's activity until the first broadcast.
    public init(of adventure: WatchedAdventure) {
        let kind = adventure.kind.value ?? (adventure.boss == nil ? .journey : .bossFight)
        let heroes = adventure.heroes.map { hero in
            AdventureAttributes.HeroState(
                avatar: hero.hero.avatar,
                name: hero.hero.name,
                healthLevel: AdventureAttributes.shown(hero.healthLevel),
                isDown: hero.isDown
            )
        }
        self.init(
            heroes: heroes,
            boss: adventure.boss.map(AdventureAttributes.BossState.init(of:)),
            turn: adventure.turn.map(AdventureAttributes.TurnState.init(of:)),
            event: LocalizableText.sentence(
                for: .adventureStarted(kind: kind),
                boss: adventure.boss?.name,
                name: { _ in "" },
                move: { _ in "" }
            ),
            tick: adventure.tick,
            sequence: adventure.sequence,
            outcome: adventure.outcome?.rawValue,
            currentHealthLevel: heroes.first?.healthLevel ?? 0
        )
    }
}

extension AdventureAttributes.BossState {
    fileprivate init(of boss: AdventureResponse.Boss) {
        self.init(
            avatar: boss.avatar,
            name: boss.name,
            healthLevel: AdventureAttributes.shown(boss.healthLevel),
            phase: boss.shownPhase
        )
    }
}

extension AdventureAttributes.TurnState {
    /// Creates the state of a turn, with its end rounded up, so that the countdown never ends before the turn.
    fileprivate init(of turn: AdventureResponse.Turn) {
        self.init(
            number: turn.number,
            heroIndex: turn.seat?.rawValue,
            endsEpochSeconds: turn.endsAt.map { Int64($0.timeIntervalSince1970.rounded(.up)) }
        )
    }
}

extension AdventureResponse.Boss {
    /// The phase to show.
    ///
    /// Winding up takes precedence, because players can react to it.
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
