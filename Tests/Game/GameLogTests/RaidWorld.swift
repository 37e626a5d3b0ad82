import Encodings
import Foundation

@testable import GameCore
@testable import GameLog

/// A raid of several shards, played at random: their clocks differ, lag and jump, parties join, fall and join again, and
/// decisions arrive late.
struct RaidWorld {
    /// A shard with its log, its followers and the rows that its engine has written.
    struct ShardState {
        let shard: Shard
        /// How far its clock is ahead of the world's.
        let skew: Duration
        var log: [LogEntry] = []
        var digest = LogDigest()
        var clock: Timestamp
        var follower: RaidFollower
        var rows: [Int: RaidRound] = [:]
        var nextRound = 0
        var delivered: RaidDecision?
        var pending: [RaidDecision] = []
        var fights: [Fight] = []
    }

    /// A fight with what a replay of it begins with.
    struct Fight {
        let opening: Adventure
        let startedAt: Timestamp
        var stored: StoredAdventure
        var events: [StoredEvent]

        mutating func play(to moment: Timestamp) { stored.play(to: moment, appendingTo: &events) }
        mutating func apply(_ entry: LogEntry) throws { try stored.apply(entry, appendingTo: &events) }
    }

    static let start = Timestamp(epochSeconds: 1_790_000_000)
    static let interval = Duration.milliseconds(500)
    static let raidID = RaidID(rawValue: uuid(1, in: Shard(rawValue: 9)))

    var generator: Generator
    var ledger: RaidLedger
    var shards: [ShardState]
    var decisions: [RaidDecision] = []
    var totals: [RaidLedger.Total] = []
    /// How often the home had to ask for blows.
    var requests = 0
    private var number: UInt32 = 1
    private var now = start

    static func uuid(_ number: UInt32, in shard: Shard) -> UUID {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        return UUID(
            uuid: (0, 0, bytes[0], bytes[1], 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, bytes[2], bytes[3], shard.rawValue)
        )
    }

    init(seed: UInt64, health: Int, seconds: Int) {
        var generator = Generator(seed: seed)
        let schedule = RaidSchedule(startsAt: Self.start, endsAt: Self.start + .seconds(seconds))
        ledger = RaidLedger(schedule: schedule, boss: "madam-gloom", maximumHealth: health)
        shards = ([3, 7, 200] as [UInt8]).map { shard in
            let head = ShardHead(
                shard: Shard(rawValue: shard),
                head: 0,
                digest: LogDigest(),
                clock: Self.start - .seconds(5),
                stoppedFor: .zero,
                journeys: 0,
                bossFights: 0,
                requires: 0
            )
            return ShardState(
                shard: head.shard,
                skew: .milliseconds(generator.number(in: 0...600) - 300),
                clock: head.clock,
                follower: RaidFollower(at: head)
            )
        }
        self.generator = generator
    }

    /// Plays until the raid is over in all shards.
    mutating func playOut(stoppingAfter limit: Duration? = nil) throws {
        while !ledger.isOver || shards.contains(where: { !$0.pending.isEmpty }) {
            now = now + .milliseconds(100 * generator.number(in: 1...8))
            let index = generator.number(below: shards.count)
            try move(index)
            if !ledger.isOver, generator.oneIn(2) { try join(index) }
            if generator.oneIn(3) { try deliver(index) }
            if generator.oneIn(6) { try reload(index) }
            try addRounds()
            if let limit, !ledger.isOver, now - Self.start > limit { publish(ledger.stop()) }
        }
        now = now + .seconds(3)
        for index in shards.indices { try move(index) }
    }

    /// Moves the clock of a shard, as an engine or a command does; only an engine writes rows.
    private mutating func move(_ index: Int) throws {
        var state = shards[index]
        state.clock = max(now + state.skew, state.clock + .microseconds(1))
        state.follower.play(to: state.clock)
        for fight in state.fights.indices {
            state.fights[fight].play(to: state.clock)
        }
        if generator.oneIn(2) {
            for round in state.follower.completeRounds(of: Self.raidID) {
                state.rows[round.round] = round
                state.nextRound = round.round + 1
            }
            state.follower.noteWritten(before: state.nextRound, of: Self.raidID)
            _ = state.follower.takeEnded()
        }
        shards[index] = state
    }

    /// Has a party of the shard join, which may have joined and fallen before.
    private mutating func join(_ index: Int) throws {
        var state = shards[index]
        let party = PartyID(rawValue: Self.uuid(UInt32(10 + generator.number(below: 3)), in: state.shard))
        guard now >= Self.start, state.clock >= Self.start,
            !state.fights.contains(where: { $0.stored.partyID == party && $0.stored.endedAt == nil })
        else { return }
        if ledger.members[state.shard] == nil {
            ledger.members[state.shard] = ledger.nextRound
            state.nextRound = ledger.nextRound
            state.delivered = ledger.decision
            state.follower.add(
                Self.raidID,
                schedule: ledger.schedule,
                nextRound: state.nextRound,
                decision: state.delivered
            )
        }
        number += 1
        let opening = RaidOpening(
            raidID: Self.raidID,
            boss: ledger.boss,
            maximumHealth: ledger.maximumHealth,
            healthLeft: state.delivered?.healthLeft ?? ledger.maximumHealth,
            phase: state.delivered?.phase ?? 1,
            decision: state.delivered?.number ?? 0,
            dealtBefore: state.follower.damages(in: Self.raidID)[party] ?? 0,
            countsFrom: ledger.schedule.start(ofRound: ledger.members[state.shard] ?? 0)
        )
        let ids: [HeroID] = ["spouty", "zippy", "hoot", "boulder"]
        let heroes = (0...generator.number(below: 4)).map { seat in
            let player = PlayerID(rawValue: Self.uuid(UInt32(100 + seat), in: state.shard))
            return Hero(playerID: player, id: ids[seat], level: 1 + generator.number(below: 5), potions: 1)
        }
        let adventure = Adventure.raid(opening, heroes: heroes, seed: generator.bits())
        var events: [StoredEvent] = []
        let stored = StoredAdventure(
            AdventureID(rawValue: Self.uuid(number, in: state.shard)),
            of: party,
            starting: adventure,
            at: state.clock,
            interval: Self.interval,
            appendingTo: &events
        )
        let entry = append(.started, of: stored.id, to: &state)
        try state.follower.read([entry])
        try state.follower.add([stored])
        state.fights.append(Fight(opening: adventure, startedAt: state.clock, stored: stored, events: events))
        shards[index] = state
    }

    private mutating func append(_ content: LogEntry.Content, of id: AdventureID?, to state: inout ShardState)
        -> LogEntry
    {
        let position = Int64(state.log.count + 1)
        let row = LogRow(position: position, at: state.clock, kind: "", adventureID: id, body: "", digest: nil)
        state.digest.add(row)
        let entry = LogEntry(
            position: position,
            adventureID: id,
            at: state.clock,
            content: content,
            eventDigest: nil,
            digest: state.digest
        )
        state.log.append(entry)
        return entry
    }

    private mutating func publish(_ decision: RaidDecision) {
        decisions.append(decision)
        for index in shards.indices where ledger.members[shards[index].shard] != nil {
            shards[index].pending.append(decision)
        }
    }

    /// Appends the next decision to the log of a shard, in its stored form.
    private mutating func deliver(_ index: Int) throws {
        guard let decision = shards[index].pending.first else { return }
        try move(index)
        var state = shards[index]
        state.pending.removeFirst()
        let read = try RaidDecision(encoded: decision.encoded)
        let entry = append(.raid(Self.raidID, read), of: nil, to: &state)
        try state.follower.read([entry])
        for fight in state.fights.indices {
            try state.fights[fight].apply(entry)
        }
        state.delivered = decision
        shards[index] = state
    }

    /// Puts a follower that has loaded everything in place of the one of a shard.
    private mutating func reload(_ index: Int) throws {
        var state = shards[index]
        guard ledger.members[state.shard] != nil else { return }
        let head = ShardHead(
            shard: state.shard,
            head: Int64(state.log.count),
            digest: state.digest,
            clock: state.clock,
            stoppedFor: .zero,
            journeys: 0,
            bossFights: 0,
            requires: 0
        )
        var follower = RaidFollower(at: head)
        let decidedUntil = state.delivered?.roundEnd ?? Self.start
        let isFollowed = { (fight: Fight) in fight.stored.endedAt.map { $0 >= decidedUntil } ?? true }
        var earlier: [PartyID: Int] = [:]
        for fight in state.fights where !isFollowed(fight) {
            earlier[fight.stored.partyID, default: 0] += fight.stored.countedDamage ?? 0
        }
        follower.add(
            Self.raidID,
            schedule: ledger.schedule,
            nextRound: state.nextRound,
            decision: state.delivered,
            earlier: earlier
        )
        try follower.add(state.fights.filter(isFollowed).map { try replay($0, in: state).stored })
        state.follower = follower
        shards[index] = state
    }

    /// Plays a fight anew from its stored opening and the log.
    func replay(_ fight: Fight, in state: ShardState) throws -> (stored: StoredAdventure, events: [StoredEvent]) {
        var events: [StoredEvent] = []
        var stored = StoredAdventure(
            fight.stored.id,
            of: fight.stored.partyID,
            starting: try Adventure(encoded: fight.opening.encoded),
            at: fight.startedAt,
            interval: Self.interval,
            appendingTo: &events
        )
        for entry in state.log where entry.adventureID == nil && entry.at >= fight.startedAt {
            try stored.apply(entry, appendingTo: &events)
        }
        stored.play(to: state.clock, appendingTo: &events)
        return (stored, events)
    }

    /// Adds up the rounds that are complete, as the home does.
    private mutating func addRounds() throws {
        while !ledger.isOver, ledger.schedule.end(ofRound: ledger.nextRound) <= now {
            let members = shards.filter { ledger.members[$0.shard].map { $0 <= ledger.nextRound } ?? false }
            var rows: [Shard: RaidRound] = [:]
            for state in members { rows[state.shard] = state.rows[ledger.nextRound] }
            guard ledger.waitsFor(rows).isEmpty else { return }
            switch ledger.add(rows) {
            case .added(let total, let decision):
                totals.append(total)
                if let decision { publish(decision) }
            case .needsBlows(let missing):
                requests += 1
                for index in shards.indices where missing.contains(shards[index].shard) {
                    let round = ledger.nextRound
                    let listed = shards[index].follower.listedRounds(round..<round + 1, of: Self.raidID)[0]
                    precondition(listed.damage == shards[index].rows[round]?.damage)
                    // As it is stored.
                    shards[index].rows[round] = try RaidRound(
                        round: round,
                        damage: listed.damage,
                        fights: listed.fights,
                        encodedBiggestBlow: listed.biggestBlow?.encoded,
                        encodedBlows: listed.encodedBlows
                    )
                }
            }
        }
    }
}
