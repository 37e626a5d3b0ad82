/// The reason why a stored adventure cannot be continued by this release.
public struct AdventureDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and where.
    public let reason: String

    /// The reason.
    public var description: String { reason }
}
