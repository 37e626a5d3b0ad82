import GameCore

/// The state of a fight as one would store it without a form of one's own: for Foundation's JSON to be measured with.
struct ComparisonState: Codable, Hashable {
    struct Boss: Codable, Hashable {
        let id: BossID
        let health: Int
        let maximumHealth: Int
        let phase: Int
        let isWindingUp: Bool
        let weakenedTurns: Int
        let exposedBlows: Int
    }

    struct Hero: Codable, Hashable {
        let id: HeroID
        let playerID: PlayerID
        let startingLevel: Int
        let experience: Int
        let health: Int
        let maximumHealth: Int
        let potions: Int
        let cooldown: Int
        let policy: TurnPolicy
        let isGuarding: Bool
        let isChallenging: Bool
        let hasLeft: Bool
    }

    let kind: AdventureKind
    let tick: Int
    let sequence: Int
    let rules: Int
    let turn: Int?
    let turnOf: Seat?
    let boss: Boss?
    let heroes: [Hero]
}

extension ComparisonState {
    /// All of it that can be seen from outside: as much as is stored, but for the generator and the boss's strength.
    init(of adventure: Adventure) {
        kind = adventure.kind
        tick = adventure.tick
        sequence = adventure.sequence
        rules = adventure.rules
        turn = adventure.turn?.number
        turnOf = adventure.turn?.hero
        boss = adventure.boss.map { Boss(of: $0) }
        heroes = adventure.heroes.map { Hero(of: $0) }
    }
}

extension ComparisonState.Boss {
    fileprivate init(of boss: BossInPlay) {
        id = boss.id
        health = boss.health
        maximumHealth = boss.maximumHealth
        phase = boss.phase
        isWindingUp = boss.isWindingUp
        weakenedTurns = boss.weakenedTurns
        exposedBlows = boss.exposedBlows
    }
}

extension ComparisonState.Hero {
    fileprivate init(of hero: HeroInPlay) {
        id = hero.id
        playerID = hero.playerID
        startingLevel = hero.startingLevel
        experience = hero.experience
        health = hero.health
        maximumHealth = hero.maximumHealth
        potions = hero.potions
        cooldown = hero.cooldown
        policy = hero.policy
        isGuarding = hero.isGuarding
        isChallenging = hero.isChallenging
        hasLeft = hero.hasLeft
    }
}
