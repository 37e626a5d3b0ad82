/// An error: this release cannot decode a stored adventure.
public struct AdventureDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason for the failure, with the position in the text.
    public let reason: String

    /// The reason.
    public var description: String { reason }

    /// Creates an error with a sentence.
    package init(reason: String) { self.reason = reason }
}
