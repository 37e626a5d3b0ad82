/// The speed of the game.
public struct GameSettings: Sendable, Hashable {
    /// The time between two ticks of a journey; at least 100 milliseconds.
    public var journeyTick: Duration
    /// How long a boss fight's turn stays open for its player; at least 100 milliseconds.
    public var bossTurn: Duration

    /// The minimum of both intervals, limited by the engine's polling: a slot is a hundredth of the tick interval.
    public static let minInterval = Duration.milliseconds(100)

    /// Creates settings.
    ///
    /// With the defaults, a journey of 40 ticks takes about seven minutes, and a player has time to look at the phone
    /// before a turn passes on.
    public init(journeyTick: Duration = .seconds(10), bossTurn: Duration = .seconds(15)) {
        self.journeyTick = journeyTick
        self.bossTurn = bossTurn
    }
}
