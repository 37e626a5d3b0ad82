import Synchronization

/// Values that were read last and are read again every few seconds only, however many readers ask for them.
///
/// For reads over all shards that take a tenth of a second for a million players or parties: the ranks of a leaderboard,
/// the standings of a raid.
package final class ReadCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let reading: Task<Value, any Error>
        let readAt: ContinuousClock.Instant
    }

    private let maxAge: Duration
    private let uptime: @Sendable () -> ContinuousClock.Instant
    private let entries = Mutex<[Key: Entry]>([:])

    /// Creates an empty cache.
    /// - Parameters:
    ///   - maxAge: the age from which values are read again.
    ///   - uptime: returns the monotonic clock's time.
    package init(
        maxAge: Duration = .seconds(5),
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.maxAge = maxAge
        self.uptime = uptime
    }

    /// Returns the value of a key.
    /// - Parameters:
    ///   - key: the key.
    ///   - read: reads the value; not called while it is known or being read.
    /// - Returns: the value, at most as old as the cache allows.
    /// - Throws: the error of `read`; the next call reads again.
    package func value(of key: Key, reading read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let now = uptime()
        let reading = entries.withLock { entries in
            if let known = entries[key], now - known.readAt < maxAge { return known.reading }
            // The values of past periods and raids go, too.
            entries = entries.filter { now - $0.value.readAt < maxAge }
            // Not cancelled with its first reader: others wait for it.
            let reading = Task { try await read() }
            entries[key] = Entry(reading: reading, readAt: now)
            return reading
        }
        do {
            return try await reading.value
        } catch {
            entries.withLock { if $0[key]?.reading == reading { $0[key] = nil } }
            throw error
        }
    }
}
