/// Why a stored adventure cannot be played on by this release.
public struct UndecodableAdventure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with it, and where.
    public let reason: String

    /// The reason.
    public var description: String { reason }
}
