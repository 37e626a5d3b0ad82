/// How fast the game goes.
public struct GameSettings: Sendable, Hashable {
    /// Time between two ticks of a journey; at least 100 milliseconds.
    public var journeyTick: Duration
    /// How long a turn of a boss fight stays open for its player; at least 100 milliseconds.
    public var bossTurn: Duration

    /// The shortest of either: a hundredth of it is a journey's phase, which the engine's polling must resolve.
    public static let shortest = Duration.milliseconds(100)

    /// The speed of a game.
    ///
    /// The defaults let a journey of 40 ticks last some seven minutes, and give a player time to look at the phone
    /// before a turn passes on.
    public init(journeyTick: Duration = .seconds(10), bossTurn: Duration = .seconds(15)) {
        self.journeyTick = journeyTick
        self.bossTurn = bossTurn
    }
}
