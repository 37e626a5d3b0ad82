/// A moment, given from outside: nothing in the pure targets reads a clock.
///
/// Microseconds since 1970-01-01T00:00:00Z, the resolution of PostgreSQL's `timestamptz`.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var microseconds: Int64

    /// A moment from microseconds since 1970-01-01T00:00:00Z.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// A moment from whole seconds since 1970-01-01T00:00:00Z.
    public init(epochSeconds: Int64) {
        self.microseconds = epochSeconds * 1_000_000
    }

    /// Whole seconds since 1970, rounded down: the unit of every date that goes to APNs.
    public var epochSeconds: Int64 {
        // Floor division, so that moments before 1970 do not round towards it.
        microseconds >= 0 ? microseconds / 1_000_000 : (microseconds - 999_999) / 1_000_000
    }

    /// Whole milliseconds since 1970, rounded towards zero: the unit of UUID version 7.
    public var epochMilliseconds: Int64 { microseconds / 1_000 }

    /// Earlier moments are smaller.
    public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

    /// The moment `duration` later, to the microsecond.
    public static func + (moment: Self, duration: Duration) -> Self {
        Self(microseconds: moment.microseconds + duration.wholeMicroseconds)
    }

    /// The moment `duration` earlier, to the microsecond.
    public static func - (moment: Self, duration: Duration) -> Self {
        Self(microseconds: moment.microseconds - duration.wholeMicroseconds)
    }

    /// The time from `earlier` to `later`; negative when they are the other way round.
    public static func - (later: Self, earlier: Self) -> Duration {
        .microseconds(later.microseconds - earlier.microseconds)
    }
}

extension Duration {
    /// The duration in microseconds; what is finer is cut off.
    public var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
