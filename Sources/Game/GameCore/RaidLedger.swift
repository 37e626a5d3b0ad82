import Encodings

/// The arithmetic of a raid's home: adds up complete rounds, and decides.
public struct RaidLedger: Hashable, Sendable {
    /// A decision is due this number of rounds after the last one.
    public static let roundsPerDecision = 30
    /// Shards list their blows once the boss has health left for this number of rounds.
    private static let listedRounds = 10

    /// The rounds of the raid.
    public let schedule: RaidSchedule
    /// The boss.
    public let boss: BossID
    /// The health of the boss at the beginning of the raid.
    public let maximumHealth: Int
    /// All damage that counts, `maximumHealth` at most.
    public private(set) var dealt: Int
    /// The phase of the boss, from 1.
    public private(set) var phase: Int
    /// The round that is added up next.
    public private(set) var nextRound: Int
    /// The shards with parties in the raid, each with its first round.
    public var members: [Shard: Int]
    /// The newest decision; nil before the first one.
    public private(set) var decision: RaidDecision?
    /// The blow of the greatest damage; nil without blows.
    public private(set) var biggestBlow: RaidBlow?

    /// Creates the ledger of a raid from stored values; without them, of a raid that begins.
    public init(
        schedule: RaidSchedule,
        boss: BossID,
        maximumHealth: Int,
        dealt: Int = 0,
        phase: Int = 1,
        nextRound: Int = 0,
        members: [Shard: Int] = [:],
        decision: RaidDecision? = nil,
        biggestBlow: RaidBlow? = nil
    ) {
        precondition((1...RaidOpening.maxHealth).contains(maximumHealth), "invalid health \(maximumHealth)")
        precondition((0...maximumHealth).contains(dealt), "invalid damage \(dealt)")
        self.schedule = schedule
        self.boss = boss
        self.maximumHealth = maximumHealth
        self.dealt = dealt
        self.phase = phase
        self.nextRound = nextRound
        self.members = members
        self.decision = decision
        self.biggestBlow = biggestBlow
    }

    /// The health that the boss has left.
    public var healthLeft: Int { maximumHealth - dealt }

    /// Whether the raid has ended.
    public var isOver: Bool { decision?.outcome != nil }

    /// The sum of a round over all shards.
    public struct Total: Hashable, Sendable {
        /// The round.
        public let round: Int
        /// The damage that counts.
        public let damage: Int
        /// The number of the parties' fights.
        public let parties: Int
        /// The health that the boss has left after the round.
        public let healthLeft: Int
        /// The phase of the boss after the round, from 1.
        public let phase: Int
        /// The blow of the greatest damage; nil without blows.
        public let biggestBlow: RaidBlow?
    }

    /// The result of adding up a round.
    public enum Addition: Hashable, Sendable {
        /// The round was added.
        case added(Total, RaidDecision?)
        /// The boss is defeated in the round, and these shards, in order, have to list their blows in it.
        case needsBlows(of: [Shard])
    }

    /// Returns the shards, in order, whose rows of the next round are missing.
    public func waitsFor(_ rows: [Shard: RaidRound]) -> [Shard] {
        members.filter { $0.value <= nextRound && rows[$0.key] == nil }.keys.sorted()
    }

    /// Adds up the next round.
    /// - Parameter rows: the rows of the round of all shards whose first round is not later.
    /// - Returns: the sum of the round, and a decision if one is due.
    public mutating func add(_ rows: [Shard: RaidRound]) -> Addition {
        precondition(!isOver, "the raid has ended")
        precondition(waitsFor(rows).isEmpty, "rows of round \(nextRound) are missing")
        precondition(rows.values.allSatisfy { $0.round == nextRound }, "a row is not of round \(nextRound)")
        let damage = rows.values.reduce(0) { $0 + $1.damage }
        let isKill = damage >= healthLeft
        let total: Total
        var outcome: RaidDecision.Outcome?
        if isKill {
            let unlisted = rows.filter { $0.value.damage != $0.value.blows?.reduce(0) { $0 + $1.damage } ?? 0 }
            guard unlisted.isEmpty else { return .needsBlows(of: unlisted.keys.sorted()) }
            let counted = countedBlows(of: rows)
            if let last = counted.last { outcome = .defeated(by: last) }
            total = add(min(damage, healthLeft), of: rows, biggest: RaidBlow.biggest(of: counted))
        } else {
            total = add(damage, of: rows, biggest: RaidBlow.biggest(of: rows.values.compactMap(\.biggestBlow)))
            if total.round == schedule.lastRound { outcome = .escaped }
        }
        let listsBlows = decision?.listsBlows ?? false || healthLeft <= damage * Self.listedRounds
        guard outcome != nil || isDecisionDue(listing: listsBlows) else { return .added(total, nil) }
        return .added(total, decide(outcome, parties: total.parties, listing: listsBlows))
    }

    /// Ends the raid after the last round that was added, because an operator stopped it.
    public mutating func stop() -> RaidDecision {
        precondition(!isOver, "the raid has ended")
        return decide(.stopped, parties: decision?.parties ?? 0, listing: decision?.listsBlows ?? false)
    }

    /// Returns the blows of a round up to the finishing one, which counts only as far as the boss has health left.
    private func countedBlows(of rows: [Shard: RaidRound]) -> [RaidBlow] {
        var left = healthLeft
        var counted: [RaidBlow] = []
        for blow in rows.values.flatMap({ $0.blows ?? [] }).sorted() {
            counted.append(blow.counting(min(blow.damage, left)))
            left -= blow.damage
            if left <= 0 { break }
        }
        return counted
    }

    private mutating func add(_ damage: Int, of rows: [Shard: RaidRound], biggest: RaidBlow?) -> Total {
        defer { nextRound += 1 }
        dealt += damage
        if let entry = BossCatalogue[boss] {
            while healthLeft > 0, entry.isPhaseOver(phase, at: healthLeft, of: maximumHealth) { phase += 1 }
        }
        biggestBlow = RaidBlow.biggest(of: [biggestBlow, biggest].compactMap { $0 })
        return Total(
            round: nextRound,
            damage: damage,
            parties: rows.values.reduce(0) { $0 + $1.fights },
            healthLeft: healthLeft,
            phase: phase,
            biggestBlow: biggest
        )
    }

    /// Whether a decision is due without an end.
    private func isDecisionDue(listing listsBlows: Bool) -> Bool {
        guard let decision else {
            return nextRound >= Self.roundsPerDecision || percentLost(maximumHealth - dealt) > 0 || phase > 1
                || listsBlows
        }
        return phase > decision.phase || listsBlows != decision.listsBlows
            || percentLost(healthLeft) > percentLost(decision.healthLeft)
            || nextRound - 1 - decision.round >= Self.roundsPerDecision
    }

    private func percentLost(_ healthLeft: Int) -> Int { (maximumHealth - healthLeft) * 100 / maximumHealth }

    private mutating func decide(_ outcome: RaidDecision.Outcome?, parties: Int, listing: Bool) -> RaidDecision {
        let new = RaidDecision(
            number: (decision?.number ?? 0) + 1,
            round: max(nextRound - 1, 0),
            roundEnd: nextRound == 0 ? schedule.startsAt : schedule.end(ofRound: nextRound - 1),
            healthLeft: healthLeft,
            maximumHealth: maximumHealth,
            phase: phase,
            parties: parties,
            dealt: dealt,
            listsBlows: listing,
            outcome: outcome
        )
        decision = new
        return new
    }
}
