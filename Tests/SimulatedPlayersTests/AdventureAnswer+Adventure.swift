import GameCore

@testable import SimulatedPlayers

extension AdventureAnswer {
    /// What the server tells of an adventure.
    init(of adventure: Adventure, id: AdventureID) {
        self.init(
            adventureID: id,
            kind: adventure.kind,
            status: adventure.outcome == nil ? "running" : "ended",
            tick: adventure.tick,
            heroes: adventure.heroes.enumerated().map { Hero(of: $1, seat: Seat(rawValue: $0)) },
            boss: adventure.boss.map(Boss.init(of:)),
            turn: adventure.turn.map { Turn(number: $0.number, seat: $0.hero) },
            sequence: adventure.sequence,
            outcome: adventure.outcome
        )
    }
}

extension AdventureAnswer.Hero {
    fileprivate init(of hero: HeroInPlay, seat: Seat) {
        self.init(
            seat: seat,
            playerID: hero.playerID,
            hero: hero.id,
            heroClass: HeroCatalogue[hero.id]?.heroClass ?? .striker,
            level: hero.level,
            health: hero.health,
            maximumHealth: hero.maximumHealth,
            potions: hero.potions,
            isDown: hero.isDown,
            signatureMove: SignatureMove(readyIn: hero.cooldown)
        )
    }
}

extension AdventureAnswer.Boss {
    fileprivate init(of boss: BossInPlay) {
        let announced: Announcement? =
            switch boss.announcement {
            case nil: nil
            case .heavyAttack: Announcement(move: .heavyAttack, seat: nil)
            case .crush(let target): Announcement(move: .crush, seat: target)
            }
        self.init(
            id: boss.id,
            health: boss.health,
            maximumHealth: boss.maximumHealth,
            phase: boss.phase,
            announced: announced
        )
    }
}
