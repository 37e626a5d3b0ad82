/// The reason why a stored adventure cannot be continued by this release.
public struct AdventureDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error and its position in the text.
    public let reason: String

    /// The reason.
    public var description: String { reason }
}
