import GameCore

/// The speed of the game.
public struct GameSettings: Sendable, Hashable {
    /// The time between two ticks of a journey; at least 100 milliseconds.
    public var journeyTick: Duration
    /// How long a turn of a boss fight or a raid fight stays open for its player; at least 100 milliseconds.
    public var bossTurn: Duration

    /// The minimum of both intervals: the engine moves clocks a few times a second.
    public static let minInterval = Duration.milliseconds(100)

    /// How long a tick of a kind of adventure takes.
    func interval(of kind: AdventureKind) -> Duration {
        switch kind {
        case .journey: journeyTick
        case .bossFight, .raid: bossTurn
        }
    }

    /// Creates settings.
    ///
    /// With the defaults, a journey of 40 ticks takes about seven minutes, and a player has time to look at the phone
    /// before a turn passes on.
    public init(journeyTick: Duration = .seconds(10), bossTurn: Duration = .seconds(15)) {
        self.journeyTick = journeyTick
        self.bossTurn = bossTurn
    }
}
