#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The first release stored adventures as JSON. Such rows are read and go on under today's rules.

extension Adventure {
    /// An adventure that the first release stored.
    init(version1 text: String) throws(UndecodableAdventure) {
        let stored: StoredVersion1
        do {
            stored = try JSONDecoder().decode(StoredVersion1.self, from: Data(text.utf8))
        } catch {
            throw UndecodableAdventure(reason: "not JSON of version 1: \(error)")
        }
        guard stored.version == 1 else {
            throw UndecodableAdventure(reason: "JSON of version \(stored.version), and only 1 was JSON")
        }
        guard (1...Self.mostHeroes).contains(stored.heroes.count) else {
            throw UndecodableAdventure(reason: "\(stored.heroes.count) heroes instead of 1 to \(Self.mostHeroes)")
        }
        var heroes: [HeroInPlay] = []
        for hero in stored.heroes { heroes.append(try hero.inPlay()) }
        guard stored.random.utf8.count == 16, let state = UInt64(stored.random, radix: 16) else {
            throw UndecodableAdventure(reason: "'\(stored.random)' is no generator's state")
        }
        let scene: Scene
        if let journey = stored.journey {
            scene = .journey(try journey.inPlay(of: heroes))
        } else if let fight = stored.bossFight {
            scene = .bossFight(try fight.inPlay())
        } else {
            throw UndecodableAdventure(reason: "neither a journey nor a boss fight")
        }
        self.init(scene: scene, heroes: heroes, generator: Generator(seed: state))
        switch (stored.status, stored.outcome) {
        case ("ready", _): status = .ready
        case ("running", _): status = .running
        case ("ended", let outcome?): status = .ended(outcome)
        default: throw UndecodableAdventure(reason: "status '\(stored.status)'")
        }
        tick = try stored.tick.counted("tick")
        sequence = try stored.sequence.counted("sequence")
        rules = 1
    }
}

private struct StoredVersion1: Decodable {
    let version: Int
    let status: String
    let outcome: Outcome?
    let tick: Int
    let sequence: Int
    let random: String
    let heroes: [Hero]
    let journey: Journey?
    let bossFight: BossFight?

    struct Hero: Decodable {
        let player: PlayerID
        let id: HeroID
        let level: Int
        let health: Int
        let maximumHealth: Int
        let potions: Int
        let guarding: Bool
        let left: Bool

        func inPlay() throws(UndecodableAdventure) -> HeroInPlay {
            guard let entry = HeroCatalogue[id] else {
                throw UndecodableAdventure(reason: "no hero '\(id)' in the catalogue")
            }
            guard (1...GameCore.Hero.highestLevel).contains(level) else {
                throw UndecodableAdventure(reason: "level \(level)")
            }
            let (health, maximumHealth) = try share(health, of: maximumHealth)
            let potions = try potions.counted("potions")
            var hero = HeroInPlay(
                entry,
                of: GameCore.Hero(playerID: player, id: id, level: level, potions: potions),
                startingLevel: level,
                health: health,
                maximumHealth: maximumHealth
            )
            hero.isGuarding = guarding
            hero.hasLeft = left
            return hero
        }
    }

    struct Journey: Decodable {
        let region: RegionID
        let place: PlaceID
        let step: Int
        let steps: Int

        func inPlay(of heroes: [HeroInPlay]) throws(UndecodableAdventure) -> GameCore.Journey {
            guard let entry = RegionCatalogue[region] else {
                throw UndecodableAdventure(reason: "no region '\(region)' in the catalogue")
            }
            guard entry.places.contains(where: { $0.id == place }) else {
                throw UndecodableAdventure(reason: "'\(place)' is no place of '\(region)'")
            }
            return GameCore.Journey(
                in: region,
                place: place,
                step: try step.counted("step"),
                steps: try steps.counted("steps"),
                dangerPercent: GameCore.Journey.dangerPercent(in: entry, of: heroes)
            )
        }
    }

    struct BossFight: Decodable {
        let boss: Boss
        let turn: Turn?

        func inPlay() throws(UndecodableAdventure) -> GameCore.BossFight {
            guard BossCatalogue[boss.id] != nil else {
                throw UndecodableAdventure(reason: "no boss '\(boss.id)' in the catalogue")
            }
            let (health, maximumHealth) = try share(boss.health, of: boss.maximumHealth)
            let attack = try boss.attack.counted("attack")
            var inPlay = BossInPlay(
                boss.id,
                health: health,
                maximumHealth: maximumHealth,
                attack: attack,
                attackOnAll: attack
            )
            inPlay.announcement = boss.windingUp ? .heavyAttack : nil
            let turn = try turn.map { (turn) throws(UndecodableAdventure) in
                GameCore.Turn(
                    number: try turn.number.counted("turn"),
                    hero: try turn.hero.map { (hero) throws(UndecodableAdventure) in
                        Seat(rawValue: try hero.counted("seat"))
                    }
                )
            }
            return GameCore.BossFight(boss: inPlay, turn: turn)
        }
    }

    struct Boss: Decodable {
        let id: BossID
        let health: Int
        let maximumHealth: Int
        let attack: Int
        let windingUp: Bool
    }

    struct Turn: Decodable {
        let number: Int
        let hero: Int?
    }
}

private func share(_ health: Int, of maximumHealth: Int) throws(UndecodableAdventure) -> (Int, Int) {
    guard (1...999_999_999).contains(maximumHealth), (0...maximumHealth).contains(health) else {
        throw UndecodableAdventure(reason: "\(health) of \(maximumHealth) health")
    }
    return (health, maximumHealth)
}

extension Int {
    /// The number, if it is one that ``StateReader/number()`` would read.
    fileprivate func counted(_ name: String) throws(UndecodableAdventure) -> Int {
        guard (0...999_999_999).contains(self) else { throw UndecodableAdventure(reason: "\(name) \(self)") }
        return self
    }
}
