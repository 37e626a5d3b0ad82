package import GameCore
package import GameLog
import Synchronization

/// The numbers of players by score that were read last, of each leaderboard.
///
/// For a million players they take a tenth of a second to add up, so that a node does it every few seconds only, however
/// many players read their ranks.
package final class HistogramCache: Sendable {
    private struct Entry {
        let reading: Task<ScoreHistogram, any Error>
        let readAt: ContinuousClock.Instant
    }

    private let maxAge: Duration
    private let uptime: @Sendable () -> ContinuousClock.Instant
    private let entries = Mutex<[LeaderboardEdition: Entry]>([:])

    /// Creates an empty cache.
    /// - Parameters:
    ///   - maxAge: the age from which numbers are read again.
    ///   - uptime: returns the monotonic clock's time.
    package init(
        maxAge: Duration = .seconds(5),
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.maxAge = maxAge
        self.uptime = uptime
    }

    /// Returns the numbers of a leaderboard.
    /// - Parameters:
    ///   - edition: the season or week of the leaderboard.
    ///   - read: reads the numbers; not called while they are known or being read.
    /// - Returns: the numbers, at most as old as the cache allows.
    /// - Throws: the error of `read`; the next call reads again.
    package func histogram(
        of edition: LeaderboardEdition,
        reading read: @escaping @Sendable () async throws -> ScoreHistogram
    ) async throws -> ScoreHistogram {
        let now = uptime()
        let reading = entries.withLock { entries in
            if let known = entries[edition], now - known.readAt < maxAge { return known.reading }
            // The leaderboards of past periods go, too.
            entries = entries.filter { now - $0.value.readAt < maxAge }
            // Not cancelled with its first reader: others wait for it.
            let reading = Task { try await read() }
            entries[edition] = Entry(reading: reading, readAt: now)
            return reading
        }
        do {
            return try await reading.value
        } catch {
            entries.withLock { if $0[edition]?.reading == reading { $0[edition] = nil } }
            throw error
        }
    }
}
