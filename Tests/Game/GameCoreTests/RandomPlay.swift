import Encodings

@testable import GameCore

/// Plays an adventure to its end with random inputs, and checks every step against the rules.
struct RandomPlay {
    private(set) var adventure: Adventure
    /// The accepted inputs, for a replay.
    private(set) var inputs: [AdventureInput] = []
    private(set) var events: [AdventureEvent] = []
    /// The refusals of all inputs.
    private(set) var refusals: Set<AdventureRefusal> = []
    /// The violations of the rules, as sentences.
    private(set) var violations: [String] = []

    private var generator: Generator
    private var projection: EventProjection

    init(_ opening: Adventure, seed: UInt64) {
        adventure = opening
        generator = Generator(seed: ~seed)
        projection = EventProjection(opening)
    }

    mutating func playOut() {
        for input in [AdventureInput.tick, .end, randomCommand()] where refusal(of: input) != .notStarted {
            violations.append("\(input) was not refused before the start")
        }
        take(.start)
        // More inputs than the longest fight needs, including refused commands; one input in three is a tick.
        for _ in 0..<5_000 where adventure.status == .running {
            take(randomInput())
        }
        if adventure.status == .running { violations.append("still running after \(adventure.tick) ticks") }
        for input in [AdventureInput.start, .tick, .end, randomCommand()] where refusal(of: input) != .adventureOver {
            violations.append("\(input) was not refused after the end")
        }
    }

    private mutating func randomInput() -> AdventureInput {
        switch generator.number(below: 300) {
        case 0: .join(GameWorld.hero(generator.number(below: 12), generator.choice(of: HeroCatalogue.all).id))
        case 1: .leave(GameWorld.player(generator.number(below: 12)))
        case 2: generator.oneIn(8) ? .end : .start
        case 3..<20: randomDecision() ?? .tick
        case 20..<100: .tick
        default: randomCommand()
        }
    }

    /// Returns the next decision about a raid; nil in other adventures.
    private mutating func randomDecision() -> AdventureInput? {
        guard let raid = adventure.raid, let boss = adventure.boss else { return nil }
        let left = max(raid.healthLeft - generator.number(below: raid.maximumHealth / 5), 0)
        var phase = boss.phase
        while left > 0, boss.entry.isPhaseOver(phase, at: left, of: raid.maximumHealth) { phase += 1 }
        let end = Timestamp(epochSeconds: Int64(raid.decision) + 1)
        let blow = RaidBlow(at: end, adventureID: GameWorld.adventureID, sequence: 1, damage: 1)
        return .raid(
            RaidDecision(
                number: raid.decision + 1,
                round: raid.decision,
                roundEnd: end,
                healthLeft: left,
                maximumHealth: raid.maximumHealth,
                phase: phase,
                parties: 5,
                dealt: raid.maximumHealth - left,
                listsBlows: false,
                outcome: left == 0 ? .defeated(by: blow) : generator.oneIn(20) ? .escaped : nil
            )
        )
    }

    /// Returns a command of a random player, in half of the cases the player in turn.
    private mutating func randomCommand() -> AdventureInput {
        let anyone = GameWorld.player(generator.number(below: 9))
        var player = anyone
        if let hero = adventure.turn?.hero, generator.oneIn(2) { player = adventure.heroes[hero].playerID }
        let target = Seat(rawValue: generator.number(below: 10) - 1)
        let command: Command =
            switch generator.number(below: 14) {
            case 0: .potion(target: nil)
            case 1, 2: .potion(target: target)
            case 3: .revive(target: target)
            case 4: .guardUp
            case 5: .pass
            case 6: .flee
            case 7: .policy(generator.choice(of: TurnPolicy.allCases))
            case 8, 9, 10: .special
            default: .attack
            }
        return .command(command, by: player)
    }

    private mutating func refusal(of input: AdventureInput) -> AdventureRefusal? {
        let before = adventure
        let countBefore = events.count
        do {
            try adventure.advance(input, appendingTo: &events)
            return nil
        } catch {
            if adventure != before || events.count != countBefore {
                violations.append("\(input) was refused but changed the adventure")
            }
            refusals.insert(error)
            return error
        }
    }

    private mutating func take(_ input: AdventureInput) {
        let before = adventure
        let countBefore = events.count
        guard refusal(of: input) == nil else { return }
        inputs.append(input)
        let newEvents = Array(events[countBefore...])
        projection.apply(
            newEvents,
            newcomer: adventure.heroes.count > before.heroes.count ? adventure.heroes.last : nil
        )
        violations += projection.errors(comparedWith: adventure) + adventure.brokenInvariants
        projection.clearErrors()

        if newEvents.isEmpty { violations.append("\(input) gave no event") }
        if adventure.sequence != events.count { violations.append("the sequence has a gap") }
        let resolvesTurn =
            before.turn != nil && newEvents.contains { $0.kind == "actionTaken" || $0.kind == "bossActed" }
        let steps = input == .tick || resolvesTurn ? 1 : 0
        if adventure.tick != before.tick + steps { violations.append("\(input) moved the tick to \(adventure.tick)") }
        if let last = events.last, (last.kind == "adventureEnded") != (adventure.outcome != nil) {
            violations.append("adventureEnded is not the last event")
        }
        checkWhoActed(by: input, before: before)
    }

    private mutating func checkWhoActed(by input: AdventureInput, before: Adventure) {
        guard case .command(let command, let player) = input else { return }
        guard let hero = before.heroes.first(where: { $0.playerID == player }), !hero.hasLeft else {
            violations.append("\(input) of a player who has no hero or has left")
            return
        }
        if case .policy = command { return }
        if hero.isDown { violations.append("\(input) of a hero who was down") }
        if let turn = before.turn, turn.hero.map({ before.heroes[$0].playerID }) != player {
            violations.append("\(input) out of turn")
        }
    }
}
