import Encodings
import Foundation

/// A point in time, to the millisecond, since 1970; the simulator gets it from outside.
public struct Moment: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970, UTC.
    public let epochMilliseconds: Int64

    /// The moment that many milliseconds after 1970 began.
    public init(epochMilliseconds: Int64) {
        self.epochMilliseconds = epochMilliseconds
    }

    /// What the system's clock says.
    public static func now() -> Self {
        Self(epochMilliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    /// Whole seconds since 1970: the unit of APNs' headers and payloads.
    var epochSeconds: Int64 { epochMilliseconds / 1000 }

    /// Earlier comes first.
    public static func < (left: Self, right: Self) -> Bool {
        left.epochMilliseconds < right.epochMilliseconds
    }
}

extension Moment: Encodable {
    private static let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// Encodes text of the form `2026-11-21T09:30:00.123Z`.
    public func encode(to encoder: any Encoder) throws {
        let date = Date(timeIntervalSince1970: Double(epochMilliseconds) / 1000)
        var container = encoder.singleValueContainer()
        try container.encode(date.formatted(Self.format))
    }
}
