import Foundation
import GameCore

@testable import RangersClient

// Server responses for tests without a server.

extension AdventureResponse {
    /// Creates a running adventure, or one that ended with an outcome.
    init(
        id: AdventureID = AdventureID(rawValue: UUID()),
        kind: AdventureKind,
        tick: Int = 1,
        heroes: [Hero],
        boss: Boss? = nil,
        turn: Turn? = nil,
        sequence: Int,
        outcome: AdventureOutcome? = nil
    ) {
        self.init(
            adventureID: id,
            partyID: PartyID(rawValue: id.rawValue),
            kind: OpenEnum(kind),
            status: OpenEnum(outcome == nil ? .running : .ended),
            tick: tick,
            heroes: heroes,
            boss: boss,
            turn: turn,
            region: nil,
            location: nil,
            progress: nil,
            foe: nil,
            sequence: sequence,
            startedAt: .distantPast,
            endedAt: nil,
            outcome: outcome.map { OpenEnum($0) }
        )
    }

    /// Creates the server's description of an adventure.
    init(of adventure: Adventure, id: AdventureID) {
        self.init(
            id: id,
            kind: adventure.kind,
            tick: adventure.tick,
            heroes: adventure.heroes.enumerated().map { Hero(of: $1, seat: Seat(rawValue: $0)) },
            boss: adventure.boss.map(Boss.init(of:)),
            turn: adventure.turn.map { Turn(number: $0.number, seat: $0.hero, endsAt: nil) },
            sequence: adventure.sequence,
            outcome: adventure.outcome
        )
    }
}

extension AdventureResponse.Hero {
    init(
        seat: Int,
        playerID: PlayerID = PlayerID(rawValue: UUID()),
        hero: HeroID,
        heroClass: HeroClass,
        level: Int = 1,
        health: Int,
        maximumHealth: Int,
        potions: Int,
        readyIn: Int
    ) {
        self.init(
            seat: Seat(rawValue: seat),
            playerID: playerID,
            hero: HeroResponse(id: hero, name: hero.name, avatar: hero.avatar, level: level),
            heroClass: OpenEnum(heroClass),
            experience: 0,
            health: health,
            maximumHealth: maximumHealth,
            healthLevel: Double(health) / Double(maximumHealth),
            potions: potions,
            signatureMove: SignatureMove(name: "Tidal Song", summary: "It heals.", readyIn: readyIn),
            policy: OpenEnum(.automatic),
            isGuarding: false,
            isChallenging: false,
            isDown: health == 0,
            hasLeft: false
        )
    }

    fileprivate init(of hero: HeroInPlay, seat: Seat) {
        self.init(
            seat: seat.rawValue,
            playerID: hero.playerID,
            hero: hero.id,
            heroClass: HeroCatalogue[hero.id]?.heroClass ?? .striker,
            level: hero.level,
            health: hero.health,
            maximumHealth: hero.maximumHealth,
            potions: hero.potions,
            readyIn: hero.cooldown
        )
    }
}

extension AdventureResponse.Boss {
    init(id: BossID, health: Int, maximumHealth: Int, phase: Int, announced: Announcement? = nil) {
        self.init(
            id: id,
            name: id.name,
            avatar: id.avatar,
            health: health,
            maximumHealth: maximumHealth,
            healthLevel: Double(health) / Double(maximumHealth),
            phase: phase,
            isWindingUp: announced != nil,
            announced: announced,
            weakenedTurns: 0,
            exposedBlows: 0
        )
    }

    fileprivate init(of boss: BossInPlay) {
        let announced: Announcement? =
            switch boss.announcement {
            case nil: nil
            case .heavyAttack: Announcement(move: OpenEnum(.heavyAttack), seat: nil)
            case .crush(let target): Announcement(move: OpenEnum(.crush), seat: target)
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
