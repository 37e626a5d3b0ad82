public import Encodings

/// The simulator's API and page write times as RFC 3339 with milliseconds: `2026-11-21T09:30:00.123Z`.
extension Timestamp: Encodable {
    /// Encodes the time as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rfc3339)
    }
}
