import Encodings
import GameCore
import GameStore
import JSONCoding

/// An adventure as players and operators see it.
struct AdventureView: JSONWritable {
    let adventureID: AdventureID
    let partyID: PartyID
    let kind: AdventureKind
    /// The lifecycle state: `ready`, `running` or `ended`.
    let status: String
    let tick: Int
    /// The heroes in the order of their seats.
    let heroes: [HeroInPlayView]
    let boss: BossView?
    let turn: TurnView?
    let region: RegionID?
    let location: LocationID?
    /// The progress of a journey.
    let progress: ProgressView?
    /// The foe of the current encounter of a journey.
    let foe: FoeView?
    let sequence: Int
    let startedAt: String
    let endedAt: String?
    let outcome: AdventureOutcome?
    /// The time at which the events and inputs of the adventure were removed; nil before.
    let detailsRemovedAt: String?

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
        location = adventure.location
        progress = adventure.progress.map(ProgressView.init)
        foe = adventure.foe.map(FoeView.init)
        sequence = adventure.sequence
        startedAt = stored.startedAt.rfc3339
        endedAt = stored.endedAt?.rfc3339
        detailsRemovedAt = stored.detailsRemovedAt?.rfc3339
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("adventureID", adventureID)
            json.member("partyID", partyID)
            json.member("kind", kind)
            json.member("status", status)
            json.member("tick", tick)
            json.member("heroes", heroes)
            json.member("boss", boss)
            json.member("turn", turn)
            json.member("region", region)
            json.member("location", location)
            json.member("progress", progress)
            json.member("foe", foe)
            json.member("sequence", sequence)
            json.member("startedAt", startedAt)
            json.member("endedAt", endedAt)
            json.member("outcome", outcome)
            json.member("detailsRemovedAt", detailsRemovedAt)
        }
    }
}

/// A hero in an adventure.
struct HeroInPlayView: JSONWritable, Encodable {
    let seat: Seat
    let playerID: PlayerID
    let hero: HeroView
    let `class`: HeroClass?
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
        self.hero = HeroView(hero.id, level: hero.level)
        let entry = HeroCatalogue[hero.id]
        `class` = entry?.heroClass
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

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("seat", seat)
            json.member("playerID", playerID)
            json.member("hero", hero)
            json.member("class", `class`)
            json.member("experience", experience)
            json.member("health", health)
            json.member("maximumHealth", maximumHealth)
            json.member("healthLevel", healthLevel)
            json.member("potions", potions)
            json.member("signatureMove", signatureMove)
            json.member("policy", policy)
            json.member("isGuarding", isGuarding)
            json.member("isChallenging", isChallenging)
            json.member("isDown", isDown)
            json.member("hasLeft", hasLeft)
        }
    }
}

/// A boss in a fight.
struct BossView: JSONWritable {
    let id: BossID
    let name: String
    let avatar: String
    let health: Int
    let maximumHealth: Int
    let healthLevel: Double
    /// The phase, from 1.
    ///
    /// It increases each time the boss is enraged.
    let phase: Int
    let isWindingUp: Bool
    let announced: AnnouncementView?
    /// The remaining number of the boss's turns in which it deals less damage.
    let weakenedTurns: Int
    /// The remaining number of attacks that deal more damage to the boss.
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

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("name", name)
            json.member("avatar", avatar)
            json.member("health", health)
            json.member("maximumHealth", maximumHealth)
            json.member("healthLevel", healthLevel)
            json.member("phase", phase)
            json.member("isWindingUp", isWindingUp)
            json.member("announced", announced)
            json.member("weakenedTurns", weakenedTurns)
            json.member("exposedBlows", exposedBlows)
        }
    }
}

/// The move that a boss has announced for its next turn.
struct AnnouncementView: JSONWritable {
    let move: BossMove
    /// The seat of the target; nil if the move has no single target.
    let seat: Seat?

    init(_ announcement: BossInPlay.Announcement) {
        switch announcement {
        case .heavyAttack: (move, seat) = (.heavyAttack, nil)
        case .crush(let target): (move, seat) = (.crush, target)
        }
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("move", move)
            json.member("seat", seat)
        }
    }
}

/// The signature move of a hero.
struct SignatureMoveView: JSONWritable, Encodable {
    let name: String
    let summary: String
    /// The number of the hero's turns until the move is available; zero if it is available now.
    let readyIn: Int

    init(_ move: SignatureMove, readyIn: Int) {
        name = move.name
        summary = move.summary
        self.readyIn = readyIn
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("summary", summary)
            json.member("readyIn", readyIn)
        }
    }
}

/// The progress of a journey.
struct ProgressView: JSONWritable {
    let step: Int
    let steps: Int

    init(_ progress: JourneyProgress) {
        step = progress.step
        steps = progress.steps
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("step", step)
            json.member("steps", steps)
        }
    }
}

/// A foe in an encounter of a journey.
struct FoeView: JSONWritable {
    let id: FoeID
    let name: String
    let avatar: String

    init(_ id: FoeID) {
        self.id = id
        name = id.name
        avatar = RegionCatalogue.foe(id)?.avatar ?? ""
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("name", name)
            json.member("avatar", avatar)
        }
    }
}

/// The open turn of a boss fight.
struct TurnView: JSONWritable {
    let number: Int
    /// The seat of the hero whose turn it is; nil if it is the boss's turn.
    let seat: Seat?
    /// The time at which the turn ends without a command.
    let endsAt: String?

    init(_ turn: Turn, endsAt: Timestamp?) {
        number = turn.number
        seat = turn.hero
        self.endsAt = endsAt?.rfc3339
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("number", number)
            json.member("seat", seat)
            json.member("endsAt", endsAt)
        }
    }
}
