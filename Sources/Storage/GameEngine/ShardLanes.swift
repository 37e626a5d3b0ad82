import GameCore
import GameStore

/// Decides which shards an engine plays concurrently, and when it polls for due shards.
///
/// A poll finds the shards that are due, or will be soon. Each of them gets a lane at the moment at which it is due, or as
/// soon as one is free. The next poll follows a pause after the one before, but not before every shard that is due has
/// got a lane. So a slow shard, for example one with a locked row, continues during the following cycles and occupies only
/// its lane. A failed shard pauses for twice as long as it took, so that several failing shards leave lanes to the others.
/// A shard whose lock was taken by others a few times in a row is overdue: the engine waits for its lock, so that many
/// writes to one shard cannot keep its clock from moving.
struct ShardLanes {
    /// After how many skips in a row a shard is overdue.
    static let maxSkips = 8

    /// The engine's next action.
    enum Step: Equatable {
        /// Poll for due shards, and start a cycle with them.
        case poll
        /// Play a shard in a free lane.
        case play(DueShard)
        /// Wait until a shard was played, or for this time at most.
        case wait(Duration)
    }

    private let count: Int
    private let pause: Duration
    private let shortPause: Duration
    private let rest: Duration
    /// The shards being played, with the times of their starts.
    private var inFlight: [Shard: ContinuousClock.Instant] = [:]
    /// The failed shards, with the ends of their pauses.
    private var resting: [Shard: ContinuousClock.Instant] = [:]
    /// How often in a row nothing was moved in a shard: another transaction held its lock, or had moved its clock.
    private var skips: [Shard: Int] = [:]
    /// The shards of the cycle that wait for a lane or for their moment, in the order of these moments.
    private var waiting: ArraySlice<(at: ContinuousClock.Instant, shard: DueShard)> = []
    /// Whether clocks were moved that readers were not told of.
    private var hasNews = false
    /// The earliest time of the next poll; nil at first.
    private var pollsAt: ContinuousClock.Instant?

    /// Creates lanes.
    /// - Parameters:
    ///   - count: the number of lanes.
    ///   - pause: the time between two polls of which the first found nothing.
    ///   - shortPause: the time between other polls.
    ///   - rest: the pause after a database error, and the minimum pause of a failed shard.
    init(count: Int, pause: Duration, shortPause: Duration, rest: Duration) {
        precondition(count > 0, "the engine needs at least one lane")
        self.count = count
        self.pause = pause
        self.shortPause = shortPause
        self.rest = rest
    }

    /// Returns the next action.
    ///
    /// A shard returned for playing occupies a lane from now on.
    mutating func next(at now: ContinuousClock.Instant) -> Step {
        if let next = waiting.first, next.at <= now {
            guard inFlight.count < count else { return .wait(pause) }
            waiting.removeFirst()
            inFlight[next.shard.shard] = now
            var due = next.shard
            due.isOverdue = skips[due.shard, default: 0] >= Self.maxSkips
            return .play(due)
        }
        guard let pollsAt, now < pollsAt else { return .poll }
        return .wait(min(pollsAt, waiting.first?.at ?? pollsAt) - now)
    }

    /// Starts a cycle with the due shards, except shards that are being played or that pause; `due` is nil after a
    /// database error.
    /// - Returns: whether to wake readers, as ``ended(_:_:at:)`` does.
    mutating func beginCycle(of due: [DueShard]?, at now: ContinuousClock.Instant) -> Bool {
        resting = resting.filter { $0.value > now }
        let free = (due ?? []).filter { inFlight[$0.shard] == nil && resting[$0.shard] == nil }
        // Stable, so that shards that are due already keep the order of the poll.
        waiting = free.map { (at: now + $0.wait, shard: $0) }.sorted { $0.at < $1.at }[...]
        pollsAt = now + (due.map { $0.isEmpty ? pause : shortPause } ?? rest)
        return takeNews()
    }

    /// Records the result of a shard and frees its lane.
    /// - Returns: whether to wake readers: when nothing more is due, since each of them looks at all shards. If a shard is
    ///   slow, the next cycle wakes them.
    mutating func ended(_ shard: Shard, _ played: GameEngine.PollCycle, at now: ContinuousClock.Instant) -> Bool {
        guard let start = inFlight.removeValue(forKey: shard) else {
            preconditionFailure("shard \(shard.rawValue) is not being played")
        }
        if played.failures > 0 { resting[shard] = now + max(rest, (now - start) * 2) }
        let isSkipped = played.moves == 0 && played.failures == 0 && skips[shard, default: 0] < Self.maxSkips
        skips[shard] = isSkipped ? skips[shard, default: 0] + 1 : nil
        hasNews = hasNews || played.moves > 0
        return inFlight.isEmpty && (waiting.first.map { $0.at > now } ?? true) && takeNews()
    }

    private mutating func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }
}
