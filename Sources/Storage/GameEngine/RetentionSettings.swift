/// How long what is over is kept.
public struct RetentionSettings: Sendable, Hashable {
    /// How long adventures stay whole after their end, and disbanded parties named: a month, in which somebody asks what
    /// became of a game.
    public static let usualAge = Duration.seconds(30 * 24 * 60 * 60)
    /// Longer than any game and any card lives, so that nobody is told of what is removed.
    public static let shortestAge = Duration.seconds(24 * 60 * 60)
    /// Ten years, for those who remove nothing.
    public static let longestAge = Duration.seconds(10 * 365 * 24 * 60 * 60)

    /// After its registration no phone shows a card for longer: the system ends it eight hours after it began, and leaves it
    /// on the Lock Screen for four more.
    public static let cardsAreShown = Duration.seconds(12 * 60 * 60)

    /// How long they are kept.
    public var ended: Duration
    /// How long after its registration a live card is taken for ended, whatever was sent to it.
    public var cards: Duration

    /// As told, or as usual.
    public init(ended: Duration = usualAge, cards: Duration = cardsAreShown) {
        precondition(ended >= Self.shortestAge, "what is removed must be over for long")
        precondition(cards >= Self.cardsAreShown, "no card is taken for ended that a phone may show")
        self.ended = ended
        self.cards = cards
    }
}
