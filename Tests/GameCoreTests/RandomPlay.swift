@testable import GameCore

/// Plays an adventure to its end with players who do anything at any time, and holds every step against the rules.
struct RandomPlay {
    private(set) var adventure: Adventure
    /// The inputs that were taken, for a replay.
    private(set) var inputs: [Input] = []
    private(set) var events: [Event] = []
    /// What broke a rule; empty when all went well.
    private(set) var flaws: [String] = []

    private var players: Generator
    private var ledger: Ledger

    init(_ opening: Adventure, seed: UInt64) {
        adventure = opening
        players = Generator(seed: ~seed)
        ledger = Ledger(opening)
    }

    mutating func playOut() throws {
        try take(.start)
        // More inputs than the longest fight could need: commands that are refused, and one tick in three.
        for _ in 0..<5_000 where adventure.status == .running {
            try take(anyInput())
        }
        if adventure.status == .running { flaws.append("still running after \(adventure.tick) ticks") }
        for input in [.start, .tick, .end, anyCommand()] where refusal(of: input) != .adventureOver {
            flaws.append("\(input) was not refused after the end")
        }
    }

    private mutating func anyInput() -> Input {
        switch players.number(below: 300) {
        case 0: .join(GameWorld.hero(players.number(below: 12), "inky"))
        case 1: .leave(GameWorld.player(players.number(below: 12)))
        case 2..<100: .tick
        default: anyCommand()
        }
    }

    private mutating func anyCommand() -> Input {
        let seat = players.number(below: 10)
        let command: Command =
            switch players.number(below: 8) {
            case 0: .potion(target: nil)
            case 1, 2: .potion(target: Seat(rawValue: seat - 1))
            case 3: .guardUp
            case 4: .pass
            default: .attack
            }
        return .command(command, by: GameWorld.player(players.number(below: 9)))
    }

    private mutating func refusal(of input: Input) -> Refusal? {
        let before = adventure
        do {
            events += try adventure.advance(input)
            return nil
        } catch {
            if adventure != before { flaws.append("\(input) was refused and left a trace") }
            return error
        }
    }

    private mutating func take(_ input: Input) throws {
        let before = adventure
        let known = events.count
        guard refusal(of: input) == nil else { return }
        inputs.append(input)
        let news = Array(events[known...])
        ledger.note(news, in: adventure)
        flaws += ledger.flaws(of: adventure)
        ledger.forgetFlaws()

        if news.isEmpty { flaws.append("\(input) gave no event") }
        if adventure.sequence != before.sequence + news.count { flaws.append("the sequence is not dense") }
        let resolvesTurn = before.turn != nil && news.contains { $0.kind == "actionTaken" || $0.kind == "bossActed" }
        let steps = input == .tick || resolvesTurn ? 1 : 0
        if adventure.tick != before.tick + steps { flaws.append("\(input) moved the tick to \(adventure.tick)") }
        if case .command(_, let player) = input, before.heroes.first(where: { $0.playerID == player })?.isDown != false
        {
            flaws.append("\(input) of a hero who was down")
        }
        if let last = events.last, (last.kind == "adventureEnded") != (adventure.outcome != nil) {
            flaws.append("an end that is not the last event")
        }
    }
}
