public import Encodings
public import GameCore

/// Follows the raid fights of one shard: plays them by the log, and gives the rounds that are complete.
///
/// It has no clock and no I/O. The driver creates it at a head of the shard, adds raids and fights, then passes pages of
/// the log and plays it to the shard's clock. What it gives is exact, since everything up to that clock is decided.
public struct RaidFollower: Sendable {
    /// The shard.
    public let shard: Shard
    /// The position of the log up to which it has read.
    public private(set) var position: Int64
    /// The digest of the log up to there.
    public private(set) var digest: LogDigest
    /// The moment up to which the fights are played.
    public private(set) var clock: Timestamp
    /// The adventures of any kind that have started since the driver added fights last, in the order of the log.
    ///
    /// The driver reads those of kind raid, and passes them to ``add(_:)``.
    public private(set) var started: [AdventureID] = []
    private var raids: [RaidID: Raid] = [:]
    /// The fights that are live, and ended ones about whose blows something is undecided or unwritten.
    private var fights: [AdventureID: Fight] = [:]
    private var ended: [StoredAdventure] = []
    private var reported: Set<AdventureID> = []

    private struct Fight {
        let raidID: RaidID
        var stored: StoredAdventure
    }

    /// A raid in which the shard has parties.
    private struct Raid {
        let schedule: RaidSchedule
        var nextRound: Int
        var decision: RaidDecision?
        /// The damage of parties in fights that are not followed, or not any more.
        var earlier: [PartyID: Int]
    }

    private struct Participant: Hashable {
        let raidID: RaidID
        let partyID: PartyID
    }

    /// Creates the follower of a shard without raids.
    public init(at head: ShardHead) {
        shard = head.shard
        position = head.head
        digest = head.digest
        clock = head.clock
    }

    /// Returns whether a head of the shard can follow on what was read: the database has lost nothing of it.
    public func agrees(with head: ShardHead) -> Bool {
        head.clock >= clock && (head.head == position ? head.digest == digest : head.head > position)
    }

    /// The raids, in order.
    public var raidIDs: [RaidID] { raids.keys.sorted() }

    /// Adds a raid, unless it is known.
    /// - Parameters:
    ///   - id: the raid.
    ///   - schedule: its rounds.
    ///   - nextRound: the first round that the shard has not written.
    ///   - decision: the newest decision in the shard's log, up to ``position``; nil before the first one.
    ///   - earlier: the damage, by party, in fights that are not added.
    public mutating func add(
        _ id: RaidID,
        schedule: RaidSchedule,
        nextRound: Int,
        decision: RaidDecision? = nil,
        earlier: [PartyID: Int] = [:]
    ) {
        guard raids[id] == nil else { return }
        raids[id] = Raid(schedule: schedule, nextRound: nextRound, decision: decision, earlier: earlier)
    }

    /// Adds fights of known raids, played as of now or earlier: those that are live, and those that ended not before the
    /// end of the newest decision's round.
    /// - Parameter fights: the fights; their log is known at least up to ``position``.
    /// - Throws: ``StoreError/undecodable(table:id:reason:)`` if a fight cannot belong to its raid.
    public mutating func add(_ fights: [StoredAdventure]) throws(StoreError) {
        started = []
        var followed = Set(self.fights.values.map { Participant(raidID: $0.raidID, partyID: $0.stored.partyID) })
        for fight in fights.sorted(by: { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }) {
            guard self.fights[fight.id] == nil, let opening = fight.adventure.raid, let raid = raids[opening.raidID]
            else { continue }
            var fight = fight
            if let decision = raid.decision, let endedAt = fight.endedAt {
                var events: [StoredEvent] = []
                try fight.apply(decision, of: opening.raidID, at: endedAt, appendingTo: &events)
            }
            // The opening has the damage of all fights that were forgotten.
            if followed.insert(Participant(raidID: opening.raidID, partyID: fight.partyID)).inserted {
                raids[opening.raidID]?.earlier[fight.partyID] = opening.dealtBefore
            }
            self.fights[fight.id] = Fight(raidID: opening.raidID, stored: fight)
            if fight.endedAt != nil { reported.insert(fight.id) }
        }
    }

    /// Reads a page of the log: the entries after ``position``, without gaps.
    /// - Throws: ``StoreError/undecodable(table:id:reason:)`` if a fight cannot be played; the follower is then of no use.
    public mutating func read(_ page: some Sequence<LogEntry>) throws(StoreError) {
        var events: [StoredEvent] = []
        for entry in page where entry.position > position {
            precondition(entry.position == position + 1, "the log has a gap after position \(position)")
            switch entry.content {
            case .started:
                if let id = entry.adventureID, fights[id] == nil { started.append(id) }
            case .outage, .raid, .unreadable:
                var index = fights.startIndex
                while index != fights.endIndex {
                    if entry.adventureID.map({ $0 == fights.keys[index] }) ?? true {
                        try fights.values[index].stored.apply(entry, appendingTo: &events)
                    }
                    fights.formIndex(after: &index)
                }
                if case .raid(let id, let decision) = entry.content { raids[id]?.decision = decision }
            case .input, .ended:
                if let id = entry.adventureID { try fights[id]?.stored.apply(entry, appendingTo: &events) }
            case .activityRegistered, .activityReleased, .activityPushRequested:
                break
            }
            (position, digest) = (entry.position, entry.digest)
            events.removeAll(keepingCapacity: true)
        }
        noteEnds()
    }

    /// Plays the fights to the shard's clock, which the log is read up to.
    public mutating func play(to clock: Timestamp) {
        self.clock = max(self.clock, clock)
        var index = fights.startIndex
        while index != fights.endIndex {
            fights.values[index].stored.play(to: clock)
            fights.formIndex(after: &index)
        }
        noteEnds()
    }

    private mutating func noteEnds() {
        let over = fights.values.filter { $0.stored.endedAt != nil }
        let new = over.map(\.stored).filter { !reported.contains($0.id) }.sorted { $0.id < $1.id }
        reported.formUnion(new.map(\.id))
        ended += new
        for fight in over { forgetIfSettled(fight) }
    }

    /// Returns the fights that have ended since the last call, which may not be recorded yet, in order.
    public mutating func takeEnded() -> [StoredAdventure] {
        defer { ended = [] }
        return ended
    }
}

extension RaidFollower {
    /// Returns the rounds of a raid that are complete and not written, in order; none once the raid has ended.
    public func completeRounds(of id: RaidID) -> [RaidRound] {
        guard let raid = raids[id], raid.decision?.outcome == nil else { return [] }
        var end = raid.nextRound
        while end <= raid.schedule.lastRound, raid.schedule.end(ofRound: end) <= clock { end += 1 }
        return rounds(raid.nextRound..<end, of: id, raid, listing: raid.decision?.listsBlows ?? false)
    }

    /// Returns the rounds of a raid later than its newest decision's, with all blows.
    ///
    /// They may be written already: the home asks for the blows of a round if it needs them.
    public func listedRounds(_ rounds: Range<Int>, of id: RaidID) -> [RaidRound] {
        raids[id].map { self.rounds(rounds, of: id, $0, listing: true) } ?? []
    }

    /// Notes which round of a raid is the first that is not written.
    public mutating func noteWritten(before nextRound: Int, of id: RaidID) {
        raids[id]?.nextRound = nextRound
        for fight in fights.values { forgetIfSettled(fight) }
    }

    /// Returns the damage of each party in a raid that counts, by the decisions so far.
    public func damages(in id: RaidID) -> [PartyID: Int] {
        var damages = raids[id]?.earlier ?? [:]
        for fight in fights.values where fight.raidID == id {
            damages[fight.stored.partyID, default: 0] += fight.stored.countedDamage ?? 0
        }
        return damages
    }

    /// Returns the number of live fights in a raid.
    public func liveFights(in id: RaidID) -> Int {
        fights.values.count { $0.raidID == id && $0.stored.endedAt == nil }
    }

    /// Removes a raid that has ended, once its damages are stored.
    public mutating func remove(_ id: RaidID) {
        raids[id] = nil
        for fight in fights.values where fight.raidID == id { forget(fight) }
    }

    private func rounds(_ range: Range<Int>, of id: RaidID, _ raid: Raid, listing: Bool) -> [RaidRound] {
        guard !range.isEmpty else { return [] }
        var blows = Array(repeating: [RaidBlow](), count: range.count)
        var live = Array(repeating: 0, count: range.count)
        for fight in fights.values where fight.raidID == id {
            for blow in fight.stored.undecidedBlows {
                let round = raid.schedule.round(at: blow.at)
                if range.contains(round) { blows[round - range.lowerBound].append(blow) }
            }
            let first = raid.schedule.round(at: fight.stored.startedAt)
            let last = fight.stored.endedAt.map { raid.schedule.round(at: $0) } ?? range.upperBound
            for round in range where first <= round && round <= last { live[round - range.lowerBound] += 1 }
        }
        return range.map { round in
            let index = round - range.lowerBound
            return RaidRound(round: round, fights: live[index], blows: blows[index], listing: listing)
        }
    }

    /// Adds an ended fight to the earlier ones of its party once all its blows are decided and its last round is written.
    private mutating func forgetIfSettled(_ fight: Fight) {
        let stored = fight.stored
        guard let endedAt = stored.endedAt, let raid = raids[fight.raidID], stored.undecidedBlows.isEmpty,
            raid.schedule.round(at: endedAt) < raid.nextRound
        else { return }
        raids[fight.raidID]?.earlier[stored.partyID, default: 0] += stored.countedDamage ?? 0
        forget(fight)
    }

    private mutating func forget(_ fight: Fight) {
        fights[fight.stored.id] = nil
        reported.remove(fight.stored.id)
    }
}
