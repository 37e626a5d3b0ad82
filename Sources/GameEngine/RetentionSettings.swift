/// How long what is over is kept.
public struct RetentionSettings: Sendable, Hashable {
    /// How long adventures stay whole after their end, and disbanded parties named: a month, in which somebody asks what
    /// became of a game.
    public static let usualAge = Duration.seconds(30 * 24 * 60 * 60)
    /// Longer than any game and any card lives, so that nobody is told of what is removed.
    public static let shortestAge = Duration.seconds(24 * 60 * 60)
    /// Ten years, for those who remove nothing.
    public static let longestAge = Duration.seconds(10 * 365 * 24 * 60 * 60)

    /// How long they are kept.
    public var ended: Duration

    /// As told, or as usual.
    public init(ended: Duration = usualAge) {
        precondition(ended >= Self.shortestAge, "what is removed must be over for long")
        self.ended = ended
    }
}
