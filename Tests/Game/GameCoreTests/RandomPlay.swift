@testable import GameCore

/// Plays an adventure to its end with players who do anything at any time, and holds every step against the rules.
struct RandomPlay {
    private(set) var adventure: Adventure
    /// The inputs that were taken, for a replay.
    private(set) var inputs: [Input] = []
    private(set) var events: [Event] = []
    /// Every reason for which an input was refused.
    private(set) var refusals: Set<Refusal> = []
    /// What broke a rule; empty when all went well.
    private(set) var flaws: [String] = []

    private var players: Generator
    private var ledger: Ledger

    init(_ opening: Adventure, seed: UInt64) {
        adventure = opening
        players = Generator(seed: ~seed)
        ledger = Ledger(opening)
    }

    mutating func playOut() {
        for input in [Input.tick, .end, anyCommand()] where refusal(of: input) != .notStarted {
            flaws.append("\(input) was not refused before the start")
        }
        take(.start)
        // More inputs than the longest fight could need: commands that are refused, and one tick in three.
        for _ in 0..<5_000 where adventure.status == .running {
            take(anyInput())
        }
        if adventure.status == .running { flaws.append("still running after \(adventure.tick) ticks") }
        for input in [Input.start, .tick, .end, anyCommand()] where refusal(of: input) != .adventureOver {
            flaws.append("\(input) was not refused after the end")
        }
    }

    private mutating func anyInput() -> Input {
        switch players.number(below: 300) {
        case 0: .join(GameWorld.hero(players.number(below: 12), players.choice(of: HeroCatalogue.all).id))
        case 1: .leave(GameWorld.player(players.number(below: 12)))
        case 2: players.happens(onceIn: 8) ? .end : .start
        case 3..<100: .tick
        default: anyCommand()
        }
    }

    /// A command of anyone, every other time of the hero whose turn it is.
    private mutating func anyCommand() -> Input {
        let anyone = GameWorld.player(players.number(below: 9))
        var player = anyone
        if let hero = adventure.turn?.hero, players.happens(onceIn: 2) { player = adventure.heroes[hero].playerID }
        let target = Seat(rawValue: players.number(below: 10) - 1)
        let command: Command =
            switch players.number(below: 14) {
            case 0: .potion(target: nil)
            case 1, 2: .potion(target: target)
            case 3: .revive(target: target)
            case 4: .guardUp
            case 5: .pass
            case 6: .flee
            case 7: .policy(players.choice(of: TurnPolicy.allCases))
            case 8, 9, 10: .special
            default: .attack
            }
        return .command(command, by: player)
    }

    private mutating func refusal(of input: Input) -> Refusal? {
        let before = adventure
        let known = events.count
        do {
            try adventure.advance(input, appendingTo: &events)
            return nil
        } catch {
            if adventure != before || events.count != known { flaws.append("\(input) was refused and left a trace") }
            refusals.insert(error)
            return error
        }
    }

    private mutating func take(_ input: Input) {
        let before = adventure
        let known = events.count
        guard refusal(of: input) == nil else { return }
        inputs.append(input)
        let news = Array(events[known...])
        ledger.note(news, newcomer: adventure.heroes.count > before.heroes.count ? adventure.heroes.last : nil)
        flaws += ledger.flaws(of: adventure) + adventure.brokenInvariants
        ledger.forgetFlaws()

        if news.isEmpty { flaws.append("\(input) gave no event") }
        if adventure.sequence != events.count { flaws.append("the sequence is not dense") }
        let resolvesTurn = before.turn != nil && news.contains { $0.kind == "actionTaken" || $0.kind == "bossActed" }
        let steps = input == .tick || resolvesTurn ? 1 : 0
        if adventure.tick != before.tick + steps { flaws.append("\(input) moved the tick to \(adventure.tick)") }
        if let last = events.last, (last.kind == "adventureEnded") != (adventure.outcome != nil) {
            flaws.append("an end that is not the last event")
        }
        checkWhoActed(by: input, before: before)
    }

    private mutating func checkWhoActed(by input: Input, before: Adventure) {
        guard case .command(let command, let player) = input else { return }
        guard let hero = before.heroes.first(where: { $0.playerID == player }), !hero.hasLeft else {
            flaws.append("\(input) of a player who is not there")
            return
        }
        if case .policy = command { return }
        if hero.isDown { flaws.append("\(input) of a hero who was down") }
        if let turn = before.turn, turn.hero.map({ before.heroes[$0].playerID }) != player {
            flaws.append("\(input) out of turn")
        }
    }
}
