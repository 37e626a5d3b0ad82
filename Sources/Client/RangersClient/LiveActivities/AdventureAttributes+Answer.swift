import Foundation
public import GameCore
public import LiveActivityContent

extension AdventureAttributes {
    /// What a member's card says of an adventure and never changes; nil for who has no hero in it.
    public init?(of adventure: AdventureAnswer, party: PartyAnswer, for player: PlayerID) {
        guard let mine = adventure.hero(of: player) else { return nil }
        self.init(
            adventureID: adventure.adventureID.description,
            partyName: party.name,
            heroName: mine.name,
            heroAvatar: mine.avatar
        )
    }
}

extension AdventureAttributes.ContentState {
    /// What a member's card shows until the first push, which the server sends as soon as it has the card's token.
    public init(of adventure: AdventureAnswer, for player: PlayerID) {
        self.init(
            heroes: adventure.heroes.map { hero in
                .init(avatar: hero.avatar, name: hero.name, healthLevel: hero.healthLevel, isDown: hero.isDown)
            },
            boss: adventure.boss.map { boss in
                .init(avatar: boss.avatar, name: boss.name, healthLevel: boss.healthLevel, phase: boss.shownPhase)
            },
            turn: adventure.turn.map { turn in
                // Rounded up: a turn that goes on after its countdown beats one that is cut short.
                .init(
                    number: turn.number,
                    heroIndex: turn.seat?.rawValue,
                    endsEpochSeconds: turn.endsAt.map { Int64($0.timeIntervalSince1970.rounded(.up)) }
                )
            },
            event: LocalizableText(key: adventure.boss == nil ? "The party sets out." : "The fight begins."),
            tick: adventure.tick,
            sequence: adventure.sequence,
            outcome: adventure.outcome?.rawValue,
            currentHealthLevel: adventure.hero(of: player)?.healthLevel ?? 0
        )
    }
}

extension AdventureAnswer.Boss {
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
