/// What a journey has of its own.
struct Journey: Hashable, Sendable {
    /// A foe in the party's way.
    struct Encounter: Hashable, Sendable {
        let foe: FoeID
        /// 1…``maximumHealth``; with none left the foe is gone.
        var health: Int
        let maximumHealth: Int
    }

    /// The parts of a journey.
    enum Act: Hashable, Sendable {
        /// The first sixth: little happens to the party.
        case beginning
        /// The way itself, with rising danger.
        case middle
        /// The last tenth: the goal is in sight, and nobody stands in the way any more.
        case end
    }

    let region: RegionID
    var place: PlaceID
    /// Steps taken.
    var step: Int
    /// Steps to the goal.
    let steps: Int
    /// How hard dangers hit this party in the middle of the way, in percent; follows who takes part.
    var dangerPercent: Int
    /// How many parts of the story have been told.
    var beatsTold = 0
    var encounter: Encounter?
    private let index: Int

    /// A journey that stands at its region's first place.
    init(in region: RegionID, heroes: [HeroInPlay], using generator: inout Generator) {
        guard let entry = RegionCatalogue[region] else { preconditionFailure("no region '\(region)' in the catalogue") }
        self.init(
            in: region,
            place: entry.places[0].id,
            step: 0,
            steps: generator.number(in: entry.steps),
            dangerPercent: Self.dangerPercent(in: entry, of: heroes)
        )
    }

    /// A journey that is under way.
    init(in region: RegionID, place: PlaceID, step: Int, steps: Int, dangerPercent: Int) {
        guard let index = RegionCatalogue.index(of: region) else {
            preconditionFailure("no region '\(region)' in the catalogue")
        }
        self.region = region
        self.place = place
        self.step = step
        self.steps = steps
        self.dangerPercent = dangerPercent
        self.index = index
    }

    /// The region's content.
    var content: RegionCatalogue.Entry { RegionCatalogue.all[index] }

    /// How hard a region hits some heroes: as they are many, and as they have grown.
    static func dangerPercent(in region: RegionCatalogue.Entry, of heroes: [HeroInPlay]) -> Int {
        let growth = heroes.reduce(0) { $0 + Hero.growthPercent(level: $1.startingLevel) } / heroes.count
        return region.dangerPercent * Scale.journeyPercent[heroes.count - 1] * growth / 10_000
    }

    /// Where on the way the party is.
    var act: Act {
        if step <= lastStepOfBeginning { .beginning } else if step <= lastStepOfMiddle { .middle } else { .end }
    }

    /// How hard dangers hit at this step, in percent: three quarters in the beginning, from there up to five quarters at the
    /// end of the middle, and three quarters again with the goal in sight.
    var dangerHere: Int {
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
