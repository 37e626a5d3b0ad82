import Encodings
import GameCore
import PushCadence

/// One party with its phones, in virtual time: its adventures, the log of its shard, and the cards that follow them.
struct SimulatedParty {
    /// What is to happen to the adventure.
    private enum Step {
        case setOut
        case journeyTicks
        case turnEnds(Int)
        case playerAnswers(turn: Int)
        case someoneHelps(Seat)
        case tokenRegisters(adventure: Int, Seat)
    }

    /// What the dispatcher has still to read.
    private struct Entry {
        enum Content {
            case events([Event])
            case token(Seat)
        }

        let content: Content
        let adventure: Int
        let position: Int64
        let at: Timestamp
        let readAt: Timestamp
    }

    /// The service's defaults.
    private static let journeyTick = Duration.seconds(10)
    private static let bossTurn = Duration.seconds(15)

    private let scenario: CadenceScenario
    private let flags: [Flags]
    private let heroes: [Hero]
    private var habits: PlayerHabits
    private var network: PushNetwork

    private var phones: [SimulatedPhone]
    private var cards: [SimulatedCard] = []
    private var tally = CadenceTally()

    private var adventure: Adventure?
    private var agenda: [(at: Timestamp, step: Step)] = []
    private var log: [Entry] = []
    /// The end of the log, and how far it is read.
    private var head: Int64 = 0
    private var newestRead: Int64 = 0

    init(_ party: CadenceParty, of scenario: CadenceScenario) {
        self.scenario = scenario
        flags = party.frequentPushes.map { $0 ? .frequent : .standard }
        heroes = DrawnParty.heroes(flags.count, level: 1, seed: party.seed)
        // Two streams, so that what the cadence does to the network changes nothing in the game.
        habits = PlayerHabits(Generator(seed: party.seed))
        network = PushNetwork(Generator(seed: ~party.seed))
        phones = flags.map { SimulatedPhone($0, policy: scenario.policy) }
    }

    /// Plays everything, until every card has had its end.
    consuming func tallied() -> CadenceTally {
        agenda.append((CadenceScenario.beginning + habits.firstSetOut(), .setOut))
        while let now = nextMoment {
            if let index = agenda.firstIndex(where: { $0.at <= now }) {
                take(agenda.remove(at: index).step, at: now)
            }
            while let entry = log.first, entry.readAt <= now {
                read(log.removeFirst(), at: now)
            }
            for index in cards.indices where cards[index].next.map({ $0 <= now }) == true {
                act(index, at: now)
            }
            for card in cards where card.isOver { card.count(into: &tally, at: now) }
            cards.removeAll(where: \.isOver)
        }
        precondition(cards.isEmpty, "a card never had its end")
        for (phone, flags) in zip(phones, flags) { tally.count(phone.device, of: flags) }
        return tally
    }

    private var nextMoment: Timestamp? {
        var next = log.first?.readAt
        for step in agenda { next = min(next ?? step.at, step.at) }
        for card in cards {
            if let moment = card.next { next = min(next ?? moment, moment) }
        }
        return next
    }

    private mutating func act(_ index: Int, at now: Timestamp) {
        cards[index].act(at: now, showing: newestRead, over: &network, to: &phones[cards[index].seat.rawValue])
    }

    // MARK: - The game

    private mutating func take(_ step: Step, at now: Timestamp) {
        switch step {
        case .setOut:
            if now <= scenario.lastSetOut { setOut(at: now) }
        case .journeyTicks:
            advance(.tick, at: now)
        case .turnEnds(let turn):
            if adventure?.turn?.number == turn { advance(.tick, at: now) }
        case .playerAnswers(let turn):
            guard let adventure, let open = adventure.turn, open.number == turn, let seat = open.hero else { return }
            advance(.command(habits.move(of: seat, in: adventure), by: heroes[seat.rawValue].playerID), at: now)
        case .someoneHelps(let seat):
            guard let adventure, adventure.heroes[seat.rawValue].isDown else { return }
            guard let helper = habits.helper(of: seat, in: adventure) else { return }
            advance(.command(.potion(target: seat), by: helper), at: now)
        case .tokenRegisters(let number, let seat):
            write(.token(seat), of: number, entries: 1, at: now)
        }
    }

    /// Every card is there just before the first event, so that every alert is owed.
    private mutating func setOut(at now: Timestamp) {
        adventure = habits.adventure(for: heroes)
        tally.adventures += 1
        for (index, flags) in flags.enumerated() {
            let seat = Seat(rawValue: index)
            let tokenDiesAt = network.tokenChange().map { now + $0 }
            head += 1
            cards.append(
                SimulatedCard(
                    of: tally.adventures,
                    seat: seat,
                    kind: CardKind(flags: flags, adventure: adventure?.kind ?? .journey),
                    policy: scenario.policy,
                    position: head,
                    startedAt: now,
                    tokenDiesAt: tokenDiesAt
                )
            )
            if let tokenDiesAt {
                let step = Step.tokenRegisters(adventure: tally.adventures, seat)
                agenda.append((tokenDiesAt + network.registration(), step))
            }
        }
        advance(.start, at: now)
    }

    /// What is refused, as a command can be that comes a moment too late, changes nothing.
    private mutating func advance(_ input: Input, at now: Timestamp) {
        guard let events = try? adventure?.advance(input), let adventure else { return }
        write(.events(events), of: tally.adventures, entries: events.count, at: now)
        guard adventure.status == .running else {
            comeHome(at: now)
            return
        }
        if adventure.kind == .journey, input == .start || input == .tick {
            agenda.append((now + Self.journeyTick, .journeyTicks))
        }
        for event in events {
            if case .turnStarted(let turn, let hero) = event {
                agenda.append((now + Self.bossTurn, .turnEnds(turn)))
                if hero != nil, let delay = habits.answer() {
                    agenda.append((now + delay, .playerAnswers(turn: turn)))
                }
            }
            if case .heroDown(let seat) = event, let delay = habits.help() {
                agenda.append((now + delay, .someoneHelps(seat)))
            }
        }
    }

    private mutating func comeHome(at now: Timestamp) {
        agenda.removeAll { pending in
            if case .tokenRegisters = pending.step { false } else { true }
        }
        agenda.append((now + habits.pause(isBusy: scenario.isBusy), .setOut))
    }

    // MARK: - The log

    private mutating func write(_ content: Entry.Content, of adventure: Int, entries: Int, at now: Timestamp) {
        let readAt = max(now + network.readingLag(), log.last?.readAt ?? now)
        log.append(Entry(content: content, adventure: adventure, position: head + 1, at: now, readAt: readAt))
        head += Int64(entries)
    }

    private mutating func read(_ entry: Entry, at now: Timestamp) {
        guard let adventure else { preconditionFailure("an adventure is over for its log only when the next begins") }
        for index in cards.indices where cards[index].adventure == entry.adventure {
            switch entry.content {
            case .events(let events):
                newestRead = entry.position + Int64(events.count) - 1
                cards[index].observe(events, of: adventure, from: entry.position, at: entry.at)
            case .token(let seat):
                newestRead = entry.position
                guard cards[index].seat == seat else { continue }
                cards[index].observeNewToken(position: entry.position, at: now)
            }
            act(index, at: now)
        }
    }
}
