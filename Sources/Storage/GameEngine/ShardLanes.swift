import GameCore

/// Which shards an engine plays side by side, and when it asks again which are due.
///
/// A round gives each shard that is due a lane as soon as one is free. It is over when all of them are played, or a pause
/// after the last of them was begun: what is slow then, since somebody has locked a row of it, goes on beside the
/// following rounds, and takes nothing from the others but its lane. A shard that failed rests for twice as long as it
/// took, so that several of that kind leave lanes to the others, too.
struct ShardLanes {
    /// What the engine is to do.
    enum Step: Equatable {
        /// Ask which shards are due, and begin a round of these.
        case ask
        /// Play a shard in a lane of its own.
        case play(Shard)
        /// Wait until a shard is played, at most for a while.
        case wait(Duration)
    }

    private let count: Int
    private let pause: Duration
    private let rest: Duration
    /// Those that are being played, and since when.
    private var underWay: [Shard: ContinuousClock.Instant] = [:]
    /// Those that have failed, and until when they are left alone.
    private var resting: [Shard: ContinuousClock.Instant] = [:]
    /// Those of the round that have no lane yet.
    private var waiting: ArraySlice<Shard> = []
    /// Those of the round that are not played yet.
    private var unplayed: Set<Shard> = []
    /// Whether the round has played anything: then more may be due already.
    private var hasPlayed = false
    /// When the next round begins at the latest, once every shard of this one has its lane; nil at first.
    private var asksAt: ContinuousClock.Instant?

    /// Lanes that are free.
    /// - Parameters:
    ///   - count: how many there are.
    ///   - pause: how long a round in which nothing was due lasts.
    ///   - rest: how long the engine waits for the database after it has failed, and a shard at least.
    init(count: Int, pause: Duration, rest: Duration) {
        precondition(count > 0, "shards are played in at least one lane")
        self.count = count
        self.pause = pause
        self.rest = rest
    }

    /// What is to be done now; a shard that is to be played is under way from here on.
    mutating func next(at now: ContinuousClock.Instant) -> Step {
        if let shard = waiting.first {
            guard underWay.count < count else { return .wait(pause) }
            waiting.removeFirst()
            underWay[shard] = now
            asksAt = now + pause
            return .play(shard)
        }
        guard let asksAt, now < asksAt else { return .ask }
        return .wait(asksAt - now)
    }

    /// Takes the shards that are due, but those that are still being played, or that rest; nil where the database did not
    /// say which are.
    mutating func beginRound(of due: [Shard]?, at now: ContinuousClock.Instant) {
        resting = resting.filter { $0.value > now }
        waiting = (due ?? []).filter { underWay[$0] == nil && resting[$0] == nil }[...]
        unplayed = Set(waiting)
        hasPlayed = false
        asksAt = now + (due == nil ? rest : pause)
    }

    /// Takes what came of a shard, whose lane is free again.
    mutating func ended(_ shard: Shard, _ played: GameEngine.Round, at now: ContinuousClock.Instant) {
        guard let start = underWay.removeValue(forKey: shard) else {
            preconditionFailure("shard \(shard.rawValue) was not being played")
        }
        if played.failures > 0 { resting[shard] = now + max(rest, (now - start) * 2) }
        guard unplayed.remove(shard) != nil else { return }
        hasPlayed = hasPlayed || played.ticks > 0
        if unplayed.isEmpty, hasPlayed { asksAt = now }
    }
}
