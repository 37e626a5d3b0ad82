import Encodings

/// The faults of a run, and the time after which none happen.
struct FaultPlan: Sendable {
    /// Whether the run has no faults.
    let isFaultless: Bool
    /// The time after which no faults happen.
    let end: Duration
    /// The longest time between two scheduled faults, in milliseconds.
    let maxSpacing: Int
    /// The largest clock error of a node's dispatcher, in milliseconds.
    let maxClockStep: Int
    /// The largest clock error of a node's engine and commands, in milliseconds.
    let maxGameClockStep: Int

    /// Whether the database loses the last commits when it moves to another machine.
    let losesCommits: Bool

    /// Whether all nodes begin with the version before, and are upgraded one by one.
    let hasUpgrade: Bool

    /// Draws the plan of a run; one run in eight has no faults.
    init(drawnBy world: SimulatedWorld) {
        isFaultless = world.number(below: 8) == 0
        end = .seconds(20 + world.number(below: 30))
        maxSpacing = 3_000 + 1_000 * world.number(below: 12)
        // Larger clock errors find more violations.
        maxClockStep = [0, 200, 2_000, 2_000][world.number(below: 4)]
        losesCommits = !isFaultless && world.number(below: 3) == 0
        hasUpgrade = !isFaultless && world.number(below: 4) == 0
        maxGameClockStep = [0, 2_000, 7_200_000][world.number(below: 3)]
    }

    /// Returns true with a probability of `times` in a thousand while faults happen, and false afterwards.
    func happens(inAThousand times: Int, in world: SimulatedWorld) -> Bool {
        !isFaultless && world.elapsed < end.wholeMicroseconds && world.happens(inAThousand: times)
    }
}
