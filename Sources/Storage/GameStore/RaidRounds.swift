import Encodings
import GameCore
import GameLog
import PostgresClient
import Synchronization

// The rounds of raids in their members: the transaction of an engine that moves a shard's clock past the end of a round
// also writes the row of the round, and records the ends of raid fights.

/// The raid fights of the shards whose clocks this node has moved last, so that it reads only what is new.
final class RaidFollowers: Sendable {
    /// The fights of a shard.
    struct Following: Sendable {
        var follower: RaidFollower
        /// Those that have ended and whose end is not recorded.
        var unrecorded: [StoredAdventure] = []

        /// Whether a fight is among those whose end is not recorded.
        func hasUnrecorded(_ id: AdventureID) -> Bool { unrecorded.contains { $0.id == id } }
    }

    /// The number of calls of ``forget(besides:)``, one or some a second, after which fights are forgotten.
    static let maxIdleCalls = 60

    private struct Entry {
        var following: Following
        /// The calls of ``forget(besides:)`` since this node moved the shard's clock.
        var idleCalls = 0
    }

    private let entries = Mutex<[Shard: Entry]>([:])

    /// Returns the fights of a shard, and forgets them: they are no longer true if the transaction fails.
    func take(_ shard: Shard) -> Following? { entries.withLock { $0.removeValue(forKey: shard)?.following } }

    /// Keeps the fights of a shard as of the clock that a transaction committed.
    func keep(_ following: Following?, of shard: Shard) {
        entries.withLock { $0[shard] = following.map { Entry(following: $0) } }
    }

    /// Forgets the fights of shards that are in none of some raids, once this node has not moved their clocks for some time.
    ///
    /// After a raid's end, engines record the ends of its fights, thousands in a shard, for which they need them.
    func forget(besides open: Set<RaidID>) {
        entries.withLock { entries in
            for (shard, entry) in entries where open.isDisjoint(with: entry.following.follower.raidIDs) {
                entries[shard]?.idleCalls += 1
                if entry.idleCalls + 1 >= Self.maxIdleCalls { entries[shard] = nil }
            }
        }
    }
}

extension ShardTransaction {
    /// The maximum number of rounds of a raid that a transaction writes.
    private static let maxRounds = 120
    /// How often the standings of a running raid are written.
    private static let standingsInterval = Duration.seconds(60)
    /// The number of log entries that are read at once, and by which a node may be behind: with more, it reads the fights
    /// anew, which takes less time under the shard's lock.
    private static let logPage = 10_000

    /// Whether rounds of raids are over that have no rows.
    var hasDueRounds: Bool { row.raidDueAt.map { $0 <= now } ?? false }

    /// Writes the rounds that are over, and records the ends of raid fights.
    /// - Parameter known: the fights of the shard as of an earlier move by this node; nil if it has made none.
    /// - Returns: the fights as of ``now``; nil if the shard has no raid any more.
    /// - Throws: `PostgresError`; ``StoreError``.
    mutating func playRaids(_ known: consuming RaidFollowers.Following?) async throws -> RaidFollowers.Following? {
        var members = try await connection.query(PostgresQuery(RaidMemberStatements.list, shard.column)).map {
            try RaidMember($0)
        }
        guard !members.isEmpty else {
            row.raidDueAt = nil
            return nil
        }
        var following = try await read(members, after: known)
        if let outage = log.first, outage.kind == LogKind.outage.rawValue {
            try following.follower.read([entry(outage, after: following.follower.digest)])
        }
        following.follower.play(to: now)
        following.unrecorded += following.follower.takeEnded()
        closeRaidFights(&following)
        for index in members.indices { play(&members[index], &following) }
        row.raidDueAt = following.unrecorded.isEmpty ? members.compactMap(\.dueAt).min() : now
        return members.contains { !$0.isOver } ? following : nil
    }

    /// Returns the fights as of the shard's clock, which the transaction has locked.
    private mutating func read(
        _ members: [RaidMember],
        after known: consuming RaidFollowers.Following?
    ) async throws -> RaidFollowers.Following {
        if var following = known.take(), following.follower.agrees(with: opened) {
            do {
                if try await bringUpToDate(&following, with: members) { return following }
            } catch is StoreError {
                // A fight cannot be played; it is read anew with the others, and noted.
            }
        }
        var following = RaidFollowers.Following(follower: RaidFollower(at: opened))
        try await load(members, into: &following)
        return following
    }

    /// Plays the fights by all entries of the log.
    /// - Returns: whether they were played by this log before.
    private mutating func bringUpToDate(
        _ following: inout RaidFollowers.Following,
        with members: [RaidMember]
    ) async throws -> Bool {
        guard opened.head - following.follower.position <= Self.logPage else { return false }
        while following.follower.position < opened.head {
            let rows = try await connection.query(
                PostgresQuery(LogStatements.tail, shard.column, following.follower.position, Int64(Self.logPage))
            )
            let entries = try LogCoding.entries(rows, after: following.follower.digest, of: shard)
            guard !entries.isEmpty else { return false }
            try following.follower.read(entries)
            following.unrecorded += following.follower.takeEnded()
            let recorded = Set(
                entries.compactMap { entry in if case .ended = entry.content { entry.adventureID } else { nil } }
            )
            following.unrecorded.removeAll { recorded.contains($0.id) }
        }
        guard following.follower.digest == opened.digest else { return false }
        // Another node may have written rounds since, or the last standings.
        for id in following.follower.raidIDs {
            if let member = members.first(where: { $0.id == id }) {
                following.follower.noteWritten(before: member.nextRound, of: id)
            } else {
                following.follower.remove(id)
                following.unrecorded.removeAll { $0.adventure.raid?.raidID == id }
            }
        }
        // Adding fights forgets it.
        let started = following.follower.started
        let followed = Set(following.follower.raidIDs)
        let new = members.filter { !followed.contains($0.id) }
        if !new.isEmpty { try await load(new, into: &following) }
        if !started.isEmpty {
            // Of these, and not of all fights that the raid has had.
            let new = PostgresQuery(RaidMemberStatements.fightsAmong, shard.column, started)
            try await add(new, of: members, to: &following)
        }
        return true
    }

    /// Adds raids with their fights, and with the damage of those that are not followed any more.
    private mutating func load(_ members: [RaidMember], into following: inout RaidFollowers.Following) async throws {
        for member in members {
            let rows = try await connection.query(
                PostgresQuery(RaidMemberStatements.dealt, shard.column, member.id, member.undecidedFrom.postgres)
            )
            let dealt = try rows.map { row in
                let (party, dealt) = try row.decode(PartyID.self, Int64.self)
                return (party, Int(dealt))
            }
            following.follower.add(
                member.id,
                schedule: member.schedule,
                nextRound: member.nextRound,
                decision: member.decision,
                earlier: Dictionary(dealt, uniquingKeysWith: +)
            )
        }
        for member in members {
            let fights = PostgresQuery(
                RaidMemberStatements.fights,
                shard.column,
                member.id,
                member.undecidedFrom.postgres
            )
            try await add(fights, of: [member], to: &following)
        }
    }

    /// Adds the fights in a query's result, as of the shard's clock.
    /// - Parameters:
    ///   - query: reads fights without decisions about raids.
    ///   - members: the raids; fights in others are left out.
    ///   - following: the fights of the shard, to which they are added.
    /// - Throws: `PostgresError`; ``StoreError``.
    private mutating func add(
        _ query: PostgresQuery,
        of members: [RaidMember],
        to following: inout RaidFollowers.Following
    ) async throws {
        let rows = try await connection.query(query).map { try AdventureRow($0, knowing: opened.knownVersion) }
        let fights = Dictionary(grouping: rows, by: \.raidID)
        var playable: [StoredAdventure] = []
        for member in members {
            guard let rows = fights[member.id], let first = rows.map(\.startedAt).min() else { continue }
            let taken = RaidMemberStatements.taken(by: shard, since: first, about: member.id)
            let decisions = try await connection.query(taken).map(AdventureRow.Entry.init(decision:))
            for row in rows {
                do throws(StoreError) {
                    let stored = try row.adding(decisions).played(to: opened.clock)
                    playable.append(stored)
                    if row.endedAt == nil, stored.endedAt != nil, !following.hasUnrecorded(row.id) {
                        following.unrecorded.append(stored)
                    }
                } catch {
                    // Its damage does not count as long as it cannot be played.
                    notes.append(.unplayable(row.id, error))
                }
            }
        }
        // Without any, too: what has started is read now.
        try following.follower.add(playable)
    }

    /// Returns an entry of this transaction as its readers will see it.
    private func entry(_ row: LogRow, after digest: LogDigest) throws -> LogEntry {
        var digest = digest
        digest.add(row)
        guard let duration = LogCoding.outage(row.body) else { preconditionFailure("'\(row.body)' is no duration") }
        return LogEntry(
            position: row.position,
            adventureID: nil,
            at: row.at,
            content: .outage(duration),
            eventDigest: nil,
            digest: digest
        )
    }

    /// Records the ends of fights, as many as a transaction may.
    private mutating func closeRaidFights(_ following: inout RaidFollowers.Following) {
        let closed = Set(ends.map(\.id))
        following.unrecorded.removeAll { closed.contains($0.id) }
        let room = max(0, GameStore.maxEnds - ends.count)
        for fight in following.unrecorded.prefix(room) { close(fight) }
        following.unrecorded.removeFirst(min(room, following.unrecorded.count))
        if !following.unrecorded.isEmpty { hasMoreEnds = true }
    }

    /// Writes what is due of a raid.
    private mutating func play(_ member: inout RaidMember, _ following: inout RaidFollowers.Following) {
        var rounds: [RaidRound] = []
        if let from = member.blowsFrom, from < member.nextRound, !member.hasEnded {
            rounds = following.follower.listedRounds(from..<member.nextRound, of: member.id)
        }
        member.blowsFrom = nil
        let new = following.follower.completeRounds(of: member.id).prefix(Self.maxRounds)
        rounds += new
        if let last = new.last {
            member.nextRound = last.round + 1
            following.follower.noteWritten(before: member.nextRound, of: member.id)
        }
        if !rounds.isEmpty { writes.append(RaidMemberStatements.write(rounds, of: member.id, in: shard)) }
        let isUnrecorded = following.unrecorded.contains { $0.adventure.raid?.raidID == member.id }
        member.isOver = member.hasEnded && !isUnrecorded
        if member.isOver || member.standingsAt.map({ now - $0 >= Self.standingsInterval }) ?? true {
            member.standingsAt = now
            let damages = following.follower.damages(in: member.id)
                .map { (dealt: Int64($0.value), party: $0.key) }
                .sorted { ($0.dealt, $0.party) < ($1.dealt, $1.party) }
            writes.append(
                PostgresQuery(
                    RaidMemberStatements.writeStandings,
                    shard.column,
                    member.id,
                    damages.map(\.dealt),
                    damages.map(\.party)
                )
            )
        }
        if member.isOver {
            writes.append(PostgresQuery(RaidMemberStatements.removeRounds, shard.column, member.id, Int32.max))
            following.follower.remove(member.id)
        }
        writes.append(RaidMemberStatements.update(member, in: shard))
    }
}

extension RaidMember {
    /// From when on the blows are that decisions may exclude, or that the home may ask for.
    ///
    /// Of a raid that has ended, those of its last round: a fight may have ended between the finishing blow and the end of
    /// that round, and its row has all of its damage.
    fileprivate var undecidedFrom: Timestamp {
        guard let decision else { return schedule.startsAt }
        return decision.outcome == nil ? decision.roundEnd : decision.roundEnd - RaidSchedule.roundLength
    }
}

// MARK: - What homes and commands change

extension ShardTransaction {
    /// Returns the raid as this shard takes part in it, from now on if it has not before.
    /// - Parameters:
    ///   - raid: the raid as its home knows it.
    ///   - firstRound: the first round to which the shard adds.
    /// - Returns: the raid in this shard.
    /// - Throws: `PostgresError`; ``StoreError``.
    mutating func takePart(in raid: Raid, from firstRound: Int) async throws -> RaidMember {
        if let member = try await raidMember(raid.id) { return member }
        let member = RaidMember(of: raid, from: firstRound)
        writes.append(RaidMemberStatements.insert(member, in: shard))
        require(.raids)
        // The first rows, even if the raid has no fights here yet: its home waits for them.
        row.raidDueAt = [row.raidDueAt, member.hasEnded ? now : member.dueAt].compactMap { $0 }.min()
        return member
    }

    /// Returns the raid as this shard takes part in it; nil if it does not.
    func raidMember(_ id: RaidID) async throws -> RaidMember? {
        try await connection.query(PostgresQuery(RaidMemberStatements.read, shard.column, id)).first.map {
            try RaidMember($0)
        }
    }

    /// Takes decisions about a raid into the log, those that the shard has not taken before.
    /// - Parameters:
    ///   - decisions: decisions in order, without gaps.
    ///   - raid: the raid; the rows of rounds that it has added up are removed.
    /// - Throws: `PostgresError`; ``StoreError``.
    mutating func take(_ decisions: [RaidDecision], about raid: Raid) async throws {
        guard var member = try await raidMember(raid.id) else { return }
        let new = decisions.filter { $0.number > member.delivered }
        guard new.first?.number == member.delivered + 1 else { return }
        for decision in new {
            append(.raid, of: nil, body: LogCoding.body(of: decision, about: raid.id))
            member.delivered = decision.number
            member.decision = decision
        }
        // The fights end now, and an engine records it.
        if member.hasEnded { row.raidDueAt = now }
        writes.append(RaidMemberStatements.update(member, in: shard))
        writes.append(
            PostgresQuery(RaidMemberStatements.removeRounds, shard.column, raid.id, Int32(clamping: raid.round))
        )
    }

    /// Requests that an engine writes the blows of the rounds from one on.
    mutating func requestBlows(of id: RaidID, from round: Int) async throws {
        guard var member = try await raidMember(id), !member.isOver, member.blowsFrom == nil else { return }
        member.blowsFrom = round
        row.raidDueAt = now
        writes.append(RaidMemberStatements.update(member, in: shard))
    }
}
