import GameCore
import GameStore
import HeapModule

/// Who follows which adventure on this node, and how far the logs were read for them: a value, without I/O.
///
/// Each adventure has a tail: every event of it up to that position was handed to its followers, or was there to be read
/// before they came. A follower of an adventure that is new here starts at the head of the shard's log as it was known
/// last, which can only be too early, and then reads what the adventure has so far: so nothing is missed between the two,
/// and what comes twice is told by its sequence.
struct FeedBook {
    private struct FollowedShard {
        /// The newest known position of its log.
        var head: Int64
        var adventures: [AdventureID: FollowedAdventure] = [:]
    }

    private struct FollowedAdventure {
        var tail: Int64
        var followers: [ObjectIdentifier: Entry] = [:]
    }

    private struct Entry {
        let follower: Follower
        var lastSentAt: ContinuousClock.Instant
    }

    /// A follower who had got nothing since some moment when that was looked at last.
    private struct Silence: Comparable {
        let since: ContinuousClock.Instant
        /// Held until the silence is looked at again, so that nobody else can have its place in memory meanwhile.
        let follower: Follower

        static func < (left: Self, right: Self) -> Bool { left.since < right.since }
        static func == (left: Self, right: Self) -> Bool { left.since == right.since }
    }

    private var followed: [Shard: FollowedShard] = [:]
    /// Those of whom is to be asked again if they may still read.
    private var doubtful: [ObjectIdentifier: Follower] = [:]
    /// One for each follower, and some of those who are gone; a look at them costs what is over, not how many there are.
    private var silences = Heap<Silence>()

    /// How many streams there are.
    private(set) var count = 0

    /// The shards of which something is followed, in order.
    var shards: [Shard] { followed.keys.sorted() }

    /// Everybody, in no order.
    var everybody: [Follower] {
        followed.values.flatMap { $0.adventures.values.flatMap { $0.followers.values.map(\.follower) } }
    }

    /// Notes a follower, if anything of the shard is followed already.
    /// - Returns: false when nothing is: the shard must be opened with its head.
    mutating func add(_ follower: Follower, at now: ContinuousClock.Instant) -> Bool {
        let shard = follower.adventureID.shard
        guard let head = followed[shard]?.head else { return false }
        add(follower, openingAt: head, at: now)
        return true
    }

    /// Notes a follower.
    /// - Parameters:
    ///   - follower: who follows.
    ///   - head: a position that the shard's log had reached before; counts when nothing of the shard is followed.
    ///   - now: the present.
    mutating func add(_ follower: Follower, openingAt head: Int64, at now: ContinuousClock.Instant) {
        let shard = follower.adventureID.shard
        let known = followed[shard]?.head ?? head
        followed[shard, default: FollowedShard(head: known)]
            .adventures[follower.adventureID, default: FollowedAdventure(tail: known)]
            .followers[ObjectIdentifier(follower)] = Entry(follower: follower, lastSentAt: now)
        doubtful[ObjectIdentifier(follower)] = follower
        silences.insert(Silence(since: now, follower: follower))
        count += 1
    }

    /// Forgets a follower, and what nobody follows any more.
    mutating func remove(_ follower: Follower) {
        let (shard, adventureID) = (follower.adventureID.shard, follower.adventureID)
        guard followed[shard]?.adventures[adventureID]?.followers.removeValue(forKey: ObjectIdentifier(follower)) != nil
        else { return }
        count -= 1
        doubtful[ObjectIdentifier(follower)] = nil
        guard followed[shard]?.adventures[adventureID]?.followers.isEmpty == true else { return }
        followed[shard]?.adventures[adventureID] = nil
        if followed[shard]?.adventures.isEmpty == true { followed[shard] = nil }
    }

    /// What is to be read now that the logs have reached some positions.
    mutating func logs(upTo heads: [(shard: Shard, head: Int64)]) -> [FollowedLog] {
        heads.compactMap { shard, head in
            followed[shard]?.head = head
            let behind = followed[shard]?.adventures.filter { $0.value.tail < head } ?? [:]
            guard let position = behind.values.map(\.tail).min() else { return nil }
            return FollowedLog(shard: shard, after: position, through: head, of: behind.keys.sorted())
        }
    }

    /// Notes that a part of a log was read.
    /// - Parameters:
    ///   - log: what was asked for.
    ///   - records: what was found, each with what it is to its adventure's followers.
    ///   - position: up to where everything was found: the log's head, unless there was too much.
    ///   - now: the present.
    /// - Returns: who gets what, in order.
    mutating func read(
        _ log: FollowedLog,
        _ records: [(record: LogRecord, frame: StreamFrame)],
        through position: Int64,
        at now: ContinuousClock.Instant
    ) -> [(follower: Follower, frame: StreamFrame)] {
        var deliveries: [(Follower, StreamFrame)] = []
        for (record, frame) in records {
            // Without followers they are all gone, and with a later tail it is another's first follower.
            guard
                var adventure = followed[log.shard]?.adventures[record.adventureID],
                adventure.tail < record.position
            else { continue }
            for (id, entry) in adventure.followers {
                deliveries.append((entry.follower, frame))
                adventure.followers[id]?.lastSentAt = now
                if record.isLeaving { doubtful[id] = entry.follower }
            }
            followed[log.shard]?.adventures[record.adventureID] = adventure
        }
        for id in log.adventureIDs {
            guard let tail = followed[log.shard]?.adventures[id]?.tail, tail < position else { continue }
            followed[log.shard]?.adventures[id]?.tail = position
        }
        return deliveries
    }

    /// Doubts everybody's right to read.
    mutating func doubtEverybody() {
        for follower in everybody { doubtful[ObjectIdentifier(follower)] = follower }
    }

    /// Those whose right to read is in doubt; they are not any more.
    mutating func takeDoubtful() -> [Follower] {
        defer { doubtful = [:] }
        return Array(doubtful.values)
    }

    /// Those who got nothing for a while; they get something now.
    mutating func takeSilent(for silence: Duration, at now: ContinuousClock.Instant) -> [Follower] {
        var silent: [Follower] = []
        while let oldest = silences.min, now - oldest.since >= silence {
            silences.removeMin()
            let follower = oldest.follower
            guard var lastSentAt = self.lastSentAt(of: follower) else { continue }
            if now - lastSentAt >= silence {
                silent.append(follower)
                lastSentAt = now
                set(lastSentAt, of: follower)
            }
            silences.insert(Silence(since: lastSentAt, follower: follower))
        }
        return silent
    }

    private func lastSentAt(of follower: Follower) -> ContinuousClock.Instant? {
        followed[follower.adventureID.shard]?.adventures[follower.adventureID]?.followers[ObjectIdentifier(follower)]?
            .lastSentAt
    }

    private mutating func set(_ lastSentAt: ContinuousClock.Instant, of follower: Follower) {
        followed[follower.adventureID.shard]?.adventures[follower.adventureID]?.followers[ObjectIdentifier(follower)]?
            .lastSentAt = lastSentAt
    }
}

extension LogRecord {
    /// Whether somebody may have lost the right to read the adventure by it.
    fileprivate var isLeaving: Bool {
        if case .event(.memberLeft, _) = entry { true } else { false }
    }
}
