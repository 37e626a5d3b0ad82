import GameCore
import GameStore

/// Decides which shards an engine plays concurrently, and when it polls for due shards.
///
/// In a poll cycle each due shard gets a lane as soon as one is free. The cycle ends when all its shards are played, or
/// when a pause has passed since the last of them started. So a slow shard, for example one with a locked row,
/// continues during the following cycles and occupies only its lane. A failed shard pauses for twice as long as it
/// took, so that several failing shards leave lanes to the others.
struct ShardLanes {
    /// The engine's next action.
    enum Step: Equatable {
        /// Poll for due shards, and start a cycle with them.
        case poll
        /// Play a shard in a free lane.
        case play(DueShard)
        /// Wait until a shard was played, for a limited time.
        case wait(Duration)
    }

    private let count: Int
    private let pause: Duration
    private let rest: Duration
    /// The shards being played, with the times of their starts.
    private var inFlight: [Shard: ContinuousClock.Instant] = [:]
    /// The failed shards, with the ends of their pauses.
    private var resting: [Shard: ContinuousClock.Instant] = [:]
    /// The shards of the cycle that wait for a lane.
    private var waiting: ArraySlice<DueShard> = []
    /// Whether clocks were moved that readers were not told of.
    private var hasNews = false
    /// The latest start of the next cycle, which also requires that every shard of this cycle has a lane; nil at first.
    private var pollsAt: ContinuousClock.Instant?

    /// Creates lanes.
    /// - Parameters:
    ///   - count: the number of lanes.
    ///   - pause: the duration of a cycle in which nothing was due.
    ///   - rest: the pause after a database error, and the minimum pause of a failed shard.
    init(count: Int, pause: Duration, rest: Duration) {
        precondition(count > 0, "the engine needs at least one lane")
        self.count = count
        self.pause = pause
        self.rest = rest
    }

    /// Returns the next action.
    ///
    /// A shard returned for playing occupies a lane from now on.
    mutating func next(at now: ContinuousClock.Instant) -> Step {
        if let due = waiting.first {
            guard inFlight.count < count else { return .wait(pause) }
            waiting.removeFirst()
            inFlight[due.shard] = now
            pollsAt = now + pause
            return .play(due)
        }
        guard let pollsAt, now < pollsAt else { return .poll }
        return .wait(pollsAt - now)
    }

    /// Starts a cycle with the due shards, except shards that are being played or that pause; `due` is nil after a
    /// database error.
    /// - Returns: whether to wake readers, as ``ended(_:_:at:)`` does.
    mutating func beginCycle(of due: [DueShard]?, at now: ContinuousClock.Instant) -> Bool {
        resting = resting.filter { $0.value > now }
        waiting = (due ?? []).filter { inFlight[$0.shard] == nil && resting[$0.shard] == nil }[...]
        pollsAt = now + (due == nil ? rest : pause)
        return takeNews()
    }

    /// Records the result of a shard and frees its lane.
    /// - Returns: whether to wake readers: once a cycle, since each of them looks at all shards. If a shard is slow, the
    ///   next cycle wakes them.
    mutating func ended(_ shard: Shard, _ played: GameEngine.PollCycle, at now: ContinuousClock.Instant) -> Bool {
        guard let start = inFlight.removeValue(forKey: shard) else {
            preconditionFailure("shard \(shard.rawValue) is not being played")
        }
        if played.failures > 0 { resting[shard] = now + max(rest, (now - start) * 2) }
        hasNews = hasNews || played.moves > 0
        return waiting.isEmpty && inFlight.isEmpty && takeNews()
    }

    private mutating func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }
}
