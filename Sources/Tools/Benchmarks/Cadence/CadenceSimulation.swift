import Encodings
import GameCore

/// One party in virtual time: its adventures, the log of its shard, its devices and their activities.
struct CadenceSimulation {
    /// A scheduled step of the game.
    private enum Step {
        case setOut
        case journeyTick
        case turnEnd(Int)
        case command(turn: Int)
        case help(Seat)
        case tokenRegistration(adventure: Int, device: Int)
        case crash
    }

    /// A log entry that the dispatcher has not read yet.
    private struct Entry {
        enum Content {
            /// Events, and the adventure after them: a party may be on its next one when they are read.
            case events([AdventureEvent], Adventure)
            case token(device: Int)
        }

        let content: Content
        let adventure: Int
        let position: Int64
        let at: Timestamp
        var readAt: Timestamp
    }

    /// The service's defaults.
    private static let journeyTick = Duration.seconds(10)
    private static let bossTurn = Duration.seconds(15)

    /// The time after a crash in which the next dispatcher takes the shard over.
    private static let takeover = Duration.seconds(2)

    private let scenario: CadenceScenario
    /// The seat of each device's player.
    private let seats: [Seat]
    private let heroes: [Hero]
    private var players: PlayerModel
    private var network: NetworkModel

    private var devices: [CadenceDevice]
    private var activities: [CadenceActivity] = []
    private var records = CadenceRecords()

    private var adventure: Adventure?
    private var schedule: [(at: Timestamp, step: Step)] = []
    private var log: [Entry] = []
    /// The last position of the log.
    private var head: Int64 = 0
    /// The last position that the dispatcher has read.
    private var readPosition: Int64 = 0
    /// When the next dispatcher goes on after the last crash.
    private var downUntil = CadenceScenario.start

    init(_ party: CadenceParty, of scenario: CadenceScenario) {
        self.scenario = scenario
        seats = party.devices.map { Seat(rawValue: $0.seat) }
        heroes = RandomParty.heroes(party.size, level: 1, seed: party.seed)
        // Two generators, so that the cadence's use of the network changes nothing in the game.
        players = PlayerModel(Generator(seed: party.seed))
        network = NetworkModel(Generator(seed: ~party.seed))
        devices = party.devices.map { CadenceDevice($0.isFrequent ? .frequent : .standard, policy: scenario.policy) }
    }

    /// Runs until every activity has ended.
    consuming func run() -> CadenceRecords {
        schedule.append((CadenceScenario.start + players.firstSetOut(), .setOut))
        if let spacing = scenario.crashSpacing {
            schedule.append((CadenceScenario.start + network.crashDelay(spacing), .crash))
        }
        while let now = nextMoment {
            if let index = schedule.firstIndex(where: { $0.at <= now }) {
                perform(schedule.remove(at: index).step, at: now)
            }
            while let entry = log.first, entry.readAt <= now { read(log.removeFirst(), at: now) }
            for index in activities.indices where activities[index].next.map({ $0 <= now }) == true {
                act(index, at: now)
            }
            for activity in activities where activity.hasEnded { activity.add(to: &records, at: now) }
            activities.removeAll(where: \.hasEnded)
        }
        precondition(activities.isEmpty, "an activity never ended")
        records.players = heroes.count
        records.devices = devices.map { .init(frequency: $0.frequency, budget: $0.budget) }
        return records
    }

    private var nextMoment: Timestamp? {
        var next = log.first?.readAt
        for activity in activities { if let moment = activity.next { next = min(next ?? moment, moment) } }
        for step in schedule {
            // Crashes go on as long as there is something to do.
            if case .crash = step.step, next == nil, schedule.count == 1 { continue }
            next = min(next ?? step.at, step.at)
        }
        return next
    }

    private mutating func act(_ index: Int, at now: Timestamp) {
        guard now >= downUntil else { return activities[index].wake(at: downUntil) }
        let device = activities[index].device
        activities[index].act(at: now, showing: readPosition, over: &network, to: &devices[device])
    }

    // MARK: - The game

    private mutating func perform(_ step: Step, at now: Timestamp) {
        switch step {
        case .setOut: if now <= scenario.lastSetOut { setOut(at: now) }
        case .journeyTick: advance(.tick, at: now)
        case .turnEnd(let turn): if adventure?.turn?.number == turn { advance(.tick, at: now) }
        case .command(let turn):
            guard let adventure, let open = adventure.turn, open.number == turn, let seat = open.hero else { return }
            advance(.command(players.move(of: seat, in: adventure), by: heroes[seat.rawValue].playerID), at: now)
        case .help(let seat):
            guard let adventure, adventure.heroes[seat.rawValue].isDown else { return }
            guard let helper = players.helper(of: seat, in: adventure) else { return }
            advance(.command(.potion(target: seat), by: helper), at: now)
        case .tokenRegistration(let number, let device): write(.token(device: device), of: number, entries: 1, at: now)
        case .crash: crash(at: now)
        }
    }

    /// Lets the dispatcher crash: the next one goes on with what is stored, a few seconds later.
    private mutating func crash(at now: Timestamp) {
        records.crashes += 1
        downUntil = now + Self.takeover
        for index in devices.indices { devices[index].restart() }
        for index in activities.indices {
            let device = activities[index].device
            activities[index].crash(at: now, on: &devices[device])
            activities[index].wake(at: downUntil)
        }
        for index in log.indices { log[index].readAt = max(log[index].readAt, downUntil) }
        if let spacing = scenario.crashSpacing { schedule.append((now + network.crashDelay(spacing), .crash)) }
    }

    /// Starts an adventure; every activity is registered just before the first event, so that it gets every alert.
    private mutating func setOut(at now: Timestamp) {
        adventure = players.adventure(for: heroes)
        records.adventures += 1
        for (index, seat) in seats.enumerated() {
            let tokenInvalidAt = network.tokenLifetime().map { now + $0 }
            head += 1
            activities.append(
                CadenceActivity(
                    of: records.adventures,
                    seat: seat,
                    on: index,
                    record: .init(frequency: devices[index].frequency, adventure: adventure?.kind ?? .journey),
                    policy: scenario.policy,
                    position: head,
                    startedAt: now,
                    tokenInvalidAt: tokenInvalidAt
                )
            )
            if let tokenInvalidAt {
                let step = Step.tokenRegistration(adventure: records.adventures, device: index)
                schedule.append((tokenInvalidAt + network.registrationDelay(), step))
            }
        }
        advance(.start, at: now)
    }

    /// Advances the adventure; a refused input, such as a command that comes a moment too late, changes nothing.
    private mutating func advance(_ input: AdventureInput, at now: Timestamp) {
        guard let events = try? adventure?.advance(input), let adventure else { return }
        write(.events(events, adventure), of: records.adventures, entries: events.count, at: now)
        guard adventure.status == .running else {
            endAdventure(at: now)
            return
        }
        if adventure.kind == .journey, input == .start || input == .tick {
            schedule.append((now + Self.journeyTick, .journeyTick))
        }
        for event in events {
            if case .turnStarted(let turn, let hero) = event {
                schedule.append((now + Self.bossTurn, .turnEnd(turn)))
                if hero != nil, let delay = players.turnDelay() { schedule.append((now + delay, .command(turn: turn))) }
            }
            if case .heroDown(let seat) = event, let delay = players.helpDelay() {
                schedule.append((now + delay, .help(seat)))
            }
        }
    }

    private mutating func endAdventure(at now: Timestamp) {
        schedule.removeAll { pending in
            switch pending.step {
            case .tokenRegistration, .crash: false
            case .setOut, .journeyTick, .turnEnd, .command, .help: true
            }
        }
        schedule.append((now + players.pause(isBusy: scenario.isBusy), .setOut))
    }

    // MARK: - The log

    private mutating func write(_ content: Entry.Content, of adventure: Int, entries: Int, at now: Timestamp) {
        let readAt = max(now + network.readingLag(), log.last?.readAt ?? now, downUntil)
        log.append(Entry(content: content, adventure: adventure, position: head + 1, at: now, readAt: readAt))
        head += Int64(entries)
    }

    private mutating func read(_ entry: Entry, at now: Timestamp) {
        for index in activities.indices where activities[index].adventure == entry.adventure {
            switch entry.content {
            case .events(let events, let adventure):
                readPosition = entry.position + Int64(events.count) - 1
                activities[index].observe(events, of: adventure, from: entry.position, at: entry.at)
            case .token(let device):
                readPosition = entry.position
                guard activities[index].device == device else { continue }
                activities[index].observeNewToken(position: entry.position, at: now)
            }
            act(index, at: now)
        }
    }
}
