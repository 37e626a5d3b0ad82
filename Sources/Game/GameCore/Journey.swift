/// The state of an adventure that is specific to journeys.
struct Journey: Hashable, Sendable {
    /// A fight against a foe on the way.
    struct Encounter: Hashable, Sendable {
        let foe: FoeID
        /// The foe's remaining health, 1…``maximumHealth``; the encounter ends when no health is left.
        var health: Int
        let maximumHealth: Int
    }

    /// The parts of a journey.
    enum Act: Hashable, Sendable {
        /// The first sixth, with low danger.
        case beginning
        /// The main part, with rising danger.
        case middle
        /// The last tenth, near the goal: low danger and no encounters.
        case end
    }

    /// An upper bound for the number of steps of any journey.
    static let maxSteps = 1_000

    let region: RegionID
    var location: LocationID
    /// The number of steps taken.
    var step: Int
    /// The number of steps to the goal.
    let steps: Int
    /// The base strength of dangers, in percent; it depends on the heroes who take part.
    var dangerPercent: Int
    /// The number of story beats reached so far.
    var beatsReached = 0
    var encounter: Encounter?
    private let index: Int

    /// Creates a journey at the first location of its region.
    init(in region: RegionID, heroes: [HeroInPlay], using generator: inout Generator) {
        guard let entry = RegionCatalogue[region] else {
            preconditionFailure("the catalogue has no region '\(region)'")
        }
        self.init(
            in: region,
            location: entry.locations[0].id,
            step: 0,
            steps: generator.number(in: entry.steps),
            dangerPercent: Self.dangerPercent(in: entry, of: heroes)
        )
    }

    /// Creates a journey from its stored state.
    init(in region: RegionID, location: LocationID, step: Int, steps: Int, dangerPercent: Int) {
        guard let index = RegionCatalogue.index(of: region) else {
            preconditionFailure("the catalogue has no region '\(region)'")
        }
        self.region = region
        self.location = location
        self.step = step
        self.steps = steps
        self.dangerPercent = dangerPercent
        self.index = index
    }

    /// The region's content.
    var content: RegionCatalogue.Entry { RegionCatalogue.all[index] }

    /// Returns the base strength of a region's dangers, in percent, for the number and the levels of the heroes.
    static func dangerPercent(in region: RegionCatalogue.Entry, of heroes: [HeroInPlay]) -> Int {
        let growth = heroes.reduce(0) { $0 + Hero.growthPercent(level: $1.startingLevel) } / heroes.count
        return region.dangerPercent * Scale.journeyPercent[heroes.count - 1] * growth / 10_000
    }

    /// The part of the journey that the party has reached.
    var act: Act {
        if step <= lastStepOfBeginning { .beginning } else if step <= lastStepOfMiddle { .middle } else { .end }
    }

    /// The strength of dangers at this step, in percent.
    ///
    /// It is 75 % of the base strength in the beginning, rises to 125 % through the middle, and is 75 % again at the
    /// end.
    var currentDangerPercent: Int {
        let share =
            switch act {
            case .beginning, .end: 75
            case .middle: 75 + 50 * (step - lastStepOfBeginning) / (lastStepOfMiddle - lastStepOfBeginning)
            }
        return dangerPercent * share / 100
    }

    private var lastStepOfBeginning: Int { steps / 6 }
    private var lastStepOfMiddle: Int { steps * 9 / 10 }
}
