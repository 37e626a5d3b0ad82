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
    /// How far a journey has come.
    let progress: ProgressView?
    /// Who stands in the way of a journey.
    let foe: FoeView?
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
        progress = adventure.progress.map(ProgressView.init)
        foe = adventure.foe.map(FoeView.init)
        sequence = adventure.sequence
        startedAt = stored.startedAt.rfc3339
        endedAt = stored.endedAt?.rfc3339
    }
}

/// A hero in an adventure.
struct HeroInPlayView: Encodable {
    private enum CodingKeys: String, CodingKey {
        case seat
        case playerID
        case hero
        case name
        case avatar
        case heroClass = "class"
        case level
        case experience
        case health
        case maximumHealth
        case healthLevel
        case potions
        case signatureMove
        case policy
        case isGuarding
        case isChallenging
        case isDown
        case hasLeft
    }

    let seat: Seat
    let playerID: PlayerID
    let hero: HeroID
    let name: String
    let avatar: String
    let heroClass: HeroClass?
    let level: Int
    let experience: Int
    let health: Int
    let maximumHealth: Int
    let healthLevel: Double
    let potions: Int
    let signatureMove: SignatureMoveView?
    let policy: TurnPolicy
    let isGuarding: Bool
    let isChallenging: Bool
    let isDown: Bool
    let hasLeft: Bool

    init(_ hero: HeroInPlay, seat: Seat) {
        self.seat = seat
        playerID = hero.playerID
        self.hero = hero.id
        name = hero.id.name
        avatar = hero.id.avatar
        let entry = HeroCatalogue[hero.id]
        heroClass = entry?.heroClass
        level = hero.level
        experience = hero.experience
        health = hero.health
        maximumHealth = hero.maximumHealth
        healthLevel = hero.healthLevel
        potions = hero.potions
        signatureMove = entry.map { SignatureMoveView($0.signatureMove, readyIn: hero.cooldown) }
        policy = hero.policy
        isGuarding = hero.isGuarding
        isChallenging = hero.isChallenging
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
    /// Counts from 1; one more each time the boss is enraged.
    let phase: Int
    let isWindingUp: Bool
    let announced: AnnouncementView?
    /// How many of its turns it still hits less hard.
    let weakenedTurns: Int
    /// How many blows at it still hit harder.
    let exposedBlows: Int

    init(_ boss: BossInPlay) {
        id = boss.id
        name = boss.id.name
        avatar = boss.id.avatar
        health = boss.health
        maximumHealth = boss.maximumHealth
        healthLevel = boss.healthLevel
        phase = boss.phase
        isWindingUp = boss.isWindingUp
        announced = boss.announcement.map(AnnouncementView.init)
        weakenedTurns = boss.weakenedTurns
        exposedBlows = boss.exposedBlows
    }
}

/// The move that a boss has announced for its next turn.
struct AnnouncementView: Encodable {
    let move: BossMove
    /// At whom it takes aim, if at a single hero.
    let seat: Seat?

    init(_ announcement: BossInPlay.Announcement) {
        switch announcement {
        case .heavyAttack: (move, seat) = (.heavyAttack, nil)
        case .crush(let target): (move, seat) = (.crush, target)
        }
    }
}

/// What a hero alone can do.
struct SignatureMoveView: Encodable {
    let name: String
    let summary: String
    /// In how many turns of the hero it can be used; zero is now.
    let readyIn: Int

    init(_ move: SignatureMove, readyIn: Int) {
        name = move.name
        summary = move.summary
        self.readyIn = readyIn
    }
}

/// How far a journey has come.
struct ProgressView: Encodable {
    let step: Int
    let steps: Int

    init(_ progress: JourneyProgress) {
        step = progress.step
        steps = progress.steps
    }
}

/// Someone in the way of a journey.
struct FoeView: Encodable {
    let id: FoeID
    let name: String
    let avatar: String

    init(_ id: FoeID) {
        self.id = id
        name = id.name
        avatar = RegionCatalogue.foe(id)?.avatar ?? ""
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
