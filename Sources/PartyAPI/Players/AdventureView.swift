import GameCore
import GameStore

/// An adventure, as players and operators see it.
struct AdventureView: Encodable {
    let adventureID: AdventureID
    let partyID: PartyID
    let kind: AdventureKind
    /// `ready`, `running` or `ended`.
    let status: String
    let tick: Int
    /// By seat.
    let heroes: [HeroInPlayView]
    let boss: BossView?
    let turn: TurnView?
    let region: RegionID?
    let place: PlaceID?
    let sequence: Int
    let startedAt: String
    let endedAt: String?
    let outcome: Outcome?

    init(_ stored: StoredAdventure) {
        let adventure = stored.adventure
        adventureID = stored.id
        partyID = stored.partyID
        kind = adventure.kind
        switch adventure.status {
        case .ready: (status, outcome) = ("ready", nil)
        case .running: (status, outcome) = ("running", nil)
        case .ended(let outcome): (status, self.outcome) = ("ended", outcome)
        }
        tick = adventure.tick
        heroes = adventure.heroes.enumerated().map { HeroInPlayView($1, seat: Seat(rawValue: $0)) }
        boss = adventure.boss.map(BossView.init)
        turn = adventure.turn.map { TurnView($0, endsAt: stored.turnDueAt) }
        region = adventure.region
        place = adventure.place
        sequence = adventure.sequence
        startedAt = stored.startedAt.rfc3339
        endedAt = stored.endedAt?.rfc3339
    }
}

/// A hero in an adventure.
struct HeroInPlayView: Encodable {
    let seat: Seat
    let playerID: PlayerID
    let hero: HeroID
    let name: String
    let avatar: String
    let level: Int
    let health: Int
    let maximumHealth: Int
    let healthLevel: Double
    let potions: Int
    let isDown: Bool
    let hasLeft: Bool

    init(_ hero: HeroInPlay, seat: Seat) {
        self.seat = seat
        playerID = hero.playerID
        self.hero = hero.id
        name = hero.id.name
        avatar = hero.id.avatar
        level = hero.level
        health = hero.health
        maximumHealth = hero.maximumHealth
        healthLevel = hero.healthLevel
        potions = hero.potions
        isDown = hero.isDown
        hasLeft = hero.hasLeft
    }
}

/// A boss in a fight.
struct BossView: Encodable {
    let id: BossID
    let name: String
    let avatar: String
    let health: Int
    let maximumHealth: Int
    let healthLevel: Double
    let isWindingUp: Bool

    init(_ boss: BossInPlay) {
        id = boss.id
        name = boss.id.name
        avatar = boss.id.avatar
        health = boss.health
        maximumHealth = boss.maximumHealth
        healthLevel = boss.healthLevel
        isWindingUp = boss.isWindingUp
    }
}

/// The open turn of a boss fight.
struct TurnView: Encodable {
    let number: Int
    /// Whose turn it is; the boss's own when there is none.
    let seat: Seat?
    /// When the turn passes on by itself.
    let endsAt: String?

    init(_ turn: Turn, endsAt: Timestamp?) {
        number = turn.number
        seat = turn.hero
        self.endsAt = endsAt?.rfc3339
    }
}
