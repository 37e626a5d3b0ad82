import Encodings
import GameCore
import GameLog
import GameStore
import JSONCoding

/// An adventure as players and operators see it.
struct AdventureView: JSONWritable {
    private let stored: StoredAdventure
    /// Whether it leaves out what only members see: players, parties, and what heroes have in store.
    private let isPublic: Bool

    init(_ stored: StoredAdventure, isPublic: Bool = false) {
        self.stored = stored
        self.isPublic = isPublic
    }

    func write(to json: inout JSONWriter) {
        let adventure = stored.adventure
        let (status, outcome): (String, AdventureOutcome?) =
            switch adventure.status {
            case .ready: ("ready", nil)
            case .running: ("running", nil)
            case .ended(let outcome): ("ended", outcome)
            }
        json.object { json in
            json.member("adventureID", stored.id)
            if !isPublic { json.member("partyID", stored.partyID) }
            json.member("kind", adventure.kind)
            json.member("status", status)
            json.member("tick", adventure.tick)
            // In the order of their seats.
            let heroes = adventure.heroes.enumerated().map { HeroInPlayView($1, seat: Seat(rawValue: $0)) }
            if isPublic {
                json.member("heroes", heroes.map(WatchedHeroView.init))
            } else {
                json.member("heroes", heroes)
            }
            json.member("boss", adventure.boss.map(BossView.init))
            json.member("turn", adventure.turn.map { TurnView(turn: $0, endsAt: stored.turnDueAt) })
            json.member("region", adventure.region)
            json.member("location", adventure.location)
            json.member("progress", adventure.progress.map(ProgressView.init))
            // The foe of the current encounter of a journey.
            json.member("foe", adventure.foe.map(FoeView.init))
            json.member("sequence", adventure.sequence)
            json.member("startedAt", stored.startedAt.rfc3339)
            json.member("endedAt", stored.endedAt?.rfc3339)
            json.member("outcome", outcome)
            // When the events and inputs were removed.
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

/// A hero as spectators see it.
private struct WatchedHeroView: JSONWritable {
    let hero: HeroInPlayView

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("seat", hero.seat)
            json.member("hero", hero.hero)
            json.member("class", hero.class)
            json.member("health", hero.health)
            json.member("maximumHealth", hero.maximumHealth)
            json.member("healthLevel", hero.healthLevel)
            json.member("isDown", hero.isDown)
            json.member("hasLeft", hero.hasLeft)
        }
    }
}

/// A boss in a fight.
private struct BossView: JSONWritable {
    let boss: BossInPlay

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", boss.id)
            json.member("name", boss.id.name)
            json.member("avatar", boss.id.avatar)
            json.member("health", boss.health)
            json.member("maximumHealth", boss.maximumHealth)
            json.member("healthLevel", boss.healthLevel)
            // From 1; it increases each time the boss is enraged.
            json.member("phase", boss.phase)
            json.member("isWindingUp", boss.isWindingUp)
            json.member("announced", boss.announcement.map(AnnouncementView.init))
            // The remaining number of the boss's turns in which it deals less damage.
            json.member("weakenedTurns", boss.weakenedTurns)
            // The remaining number of attacks that deal more damage to the boss.
            json.member("exposedBlows", boss.exposedBlows)
        }
    }
}

/// The move that a boss has announced for its next turn; some moves have no single target.
private struct AnnouncementView: JSONWritable {
    let announcement: BossInPlay.Announcement

    func write(to json: inout JSONWriter) {
        let (move, target): (BossMove, Seat?) =
            switch announcement {
            case .heavyAttack: (.heavyAttack, nil)
            case .crush(let target): (.crush, target)
            }
        json.object { json in
            json.member("move", move)
            json.member("seat", target)
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
private struct ProgressView: JSONWritable {
    let progress: JourneyProgress

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("step", progress.step)
            json.member("steps", progress.steps)
        }
    }
}

/// A foe in an encounter of a journey.
private struct FoeView: JSONWritable {
    let id: FoeID

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("name", id.name)
            json.member("avatar", RegionCatalogue.foe(id)?.avatar ?? "")
        }
    }
}

/// The open turn of a boss fight.
private struct TurnView: JSONWritable {
    let turn: Turn
    /// The time at which the turn ends without a command.
    let endsAt: Timestamp?

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("number", turn.number)
            // Left out if it is the boss's turn.
            json.member("seat", turn.hero)
            json.member("endsAt", endsAt?.rfc3339)
        }
    }
}
