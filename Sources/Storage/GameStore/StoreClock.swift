public import Encodings
import GameLog

/// The clock that decides the moments of everything in a shard.
public struct StoreClock: Sendable {
    /// Returns the time instead of the database; nil for the database's own clock.
    let now: (@Sendable () -> Timestamp)?
    /// How far a shard's clock may be behind before the gap counts as an outage; nil if no gap does.
    let outageLimit: Duration?

    /// The database's clock, which comes back with the lock of a shard's row.
    ///
    /// The clocks of nodes decide nothing.
    ///
    /// The engine moves the clock of each shard with live adventures when something is due, and at least once a second.
    /// A gap of more than two seconds is an outage of engine or database, during which the shard's games stood still.
    public static let database = Self(now: nil, outageLimit: .seconds(2))

    /// Whether a gap between a shard's clock and the present counts as an outage: its games stood still.
    func isOutage(_ gap: Duration, of row: ShardHead) -> Bool {
        outageLimit.map { row.liveAdventures > 0 && gap > $0 } ?? false
    }

    /// A clock that a caller advances, for tests and simulations of the game.
    public static func manual(outageLimit: Duration? = nil, now: @escaping @Sendable () -> Timestamp) -> Self {
        Self(now: now, outageLimit: outageLimit)
    }
}
