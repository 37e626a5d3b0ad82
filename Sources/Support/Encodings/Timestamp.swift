/// A point in time, in microseconds since 1970-01-01T00:00:00Z: the resolution of PostgreSQL's `timestamptz`.
///
/// The pure targets read no clock; their callers pass the time.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var microseconds: Int64

    /// Creates a timestamp from microseconds since 1970-01-01T00:00:00Z.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Creates a timestamp from whole seconds since 1970-01-01T00:00:00Z.
    public init(epochSeconds: Int64) {
        self.microseconds = epochSeconds * 1_000_000
    }

    /// Whole seconds since 1970, rounded down: the unit of every date in a request to APNs.
    public var epochSeconds: Int64 { microseconds.floorDivided(by: 1_000_000).quotient }

    /// Whole milliseconds since 1970, rounded towards zero: the unit of UUID version 7.
    public var epochMilliseconds: Int64 { microseconds / 1_000 }

    /// Earlier timestamps are smaller.
    public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

    /// Returns the timestamp that is later by a duration, in whole microseconds.
    public static func + (timestamp: Self, duration: Duration) -> Self {
        Self(microseconds: timestamp.microseconds + duration.wholeMicroseconds)
    }

    /// Returns the timestamp that is earlier by a duration, in whole microseconds.
    public static func - (timestamp: Self, duration: Duration) -> Self {
        Self(microseconds: timestamp.microseconds - duration.wholeMicroseconds)
    }

    /// Returns the duration from `earlier` to `later`; negative if `later` is the earlier one.
    public static func - (later: Self, earlier: Self) -> Duration {
        .microseconds(later.microseconds - earlier.microseconds)
    }
}

extension Duration {
    /// The duration in whole microseconds, rounded towards zero.
    public var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
