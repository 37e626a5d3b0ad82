import GameCore

/// What goes wrong in a run, and when: all of it follows from the seed.
///
/// What is done to the nodes, to PostgreSQL, to APNs and to the players goes on side by side; what is done to one of them
/// is done one after another. Each of these begins with every fault it knows once, in an order of its own, before one comes
/// again.
struct ChaosPlan: Hashable, Sendable {
    /// How long faults last and lie apart, in milliseconds.
    struct Pace: Hashable, Sendable {
        /// How long a killed node is away.
        let nodeAway: ClosedRange<Int>
        /// How long a node stands still: longer than a dispatcher's lease, which is 5 s.
        let nodeStopped: ClosedRange<Int>
        let databaseAway: ClosedRange<Int>
        let snapshotPinned: ClosedRange<Int>
        /// How long somebody keeps a row locked: longer than a dispatcher's lease.
        let rowLocked: ClosedRange<Int>
        let diskFull: ClosedRange<Int>
        let apns: ClosedRange<Int>
        let loadRaised: ClosedRange<Int>
        let campaign: ClosedRange<Int>
        /// Between the end of a fault and the next one at the same place.
        let gap: ClosedRange<Int>

        /// For runs of minutes.
        static let full = Self(
            nodeAway: 1_000...10_000,
            nodeStopped: 6_000...15_000,
            databaseAway: 30_000...30_000,
            snapshotPinned: 120_000...150_000,
            rowLocked: 8_000...20_000,
            diskFull: 5_000...15_000,
            apns: 3_000...15_000,
            loadRaised: 10_000...30_000,
            campaign: 1_000...4_000,
            gap: 5_000...20_000
        )

        /// For a run of half a minute.
        static let short = Self(
            nodeAway: 500...2_000,
            nodeStopped: 6_000...7_000,
            databaseAway: 4_000...5_000,
            snapshotPinned: 2_000...3_000,
            rowLocked: 5_200...6_000,
            diskFull: 2_000...3_000,
            apns: 2_000...3_000,
            loadRaised: 4_000...6_000,
            campaign: 700...1_500,
            gap: 500...1_500
        )
    }

    /// A fault and when it comes.
    struct Step: Hashable, Sendable {
        /// Since the faults' beginning; later where the one before it at the same place has not been recovered from.
        let at: Duration
        let fault: ChaosFault

        /// For people.
        var words: String { "\(at.text)  \(fault.words)" }
    }

    /// In the order of their times.
    let steps: [Step]

    /// Draws a plan.
    /// - Parameters:
    ///   - seed: what it is drawn from.
    ///   - duration: no fault begins later than this, and none that would end much later.
    ///   - nodes: how many there are to be struck.
    ///   - pace: how long faults last.
    init(seed: UInt64, duration: Duration, nodes: Int, pace: Pace) {
        let lanes = ChaosFault.Place.allCases.enumerated().map { number, place in
            // A lane's draws do not depend on how many the others make; the generator's mixing keeps neighbours apart.
            Lane(place, nodes: nodes, pace: pace, generator: Generator(seed: seed ^ (UInt64(number + 1) << 56)))
        }
        steps = lanes.flatMap { lane -> [Step] in
            var lane = lane
            return lane.steps(until: duration)
        }
        // Those at one time in the order of their words, so that it is the same everywhere.
        .sorted { ($0.at, $0.fault.words) < ($1.at, $1.fault.words) }
    }

    /// What is done to one of them.
    func steps(at place: ChaosFault.Place) -> [Step] { steps.filter { $0.fault.place == place } }
}

/// What is done at one place, one after another.
private struct Lane {
    private let kinds: [(inout Lane) -> ChaosFault]
    private let gap: ClosedRange<Int>
    private var generator: Generator

    init(_ place: ChaosFault.Place, nodes: Int, pace: ChaosPlan.Pace, generator: Generator) {
        self.generator = generator
        gap = pace.gap
        kinds =
            switch place {
            case .nodes:
                [
                    { .nodeKilled($0.number(below: nodes), away: $0.duration(pace.nodeAway)) },
                    { .nodeStopped($0.number(below: nodes), for: $0.duration(pace.nodeStopped)) },
                ]
            case .database:
                [
                    { _ in .backendsTerminated }, { _ in .databaseRestarted },
                    { .databaseAway(for: $0.duration(pace.databaseAway)) },
                    { .snapshotPinned(for: $0.duration(pace.snapshotPinned)) },
                    { .rowLocked($0.row(), for: $0.duration(pace.rowLocked)) },
                    { .diskFull(for: $0.duration(pace.diskFull)) },
                ]
            case .apns:
                [
                    { .apnsDrops(for: $0.duration(pace.apns)) },
                    { .apnsLosesAnswers(for: $0.duration(pace.apns)) },
                    { .apnsStalls(for: $0.duration(pace.apns)) },
                ]
            case .players:
                [
                    { _ in .tokensRotated }, { .loadRaised(for: $0.duration(pace.loadRaised)) },
                    { .campaignInterrupted(after: $0.duration(pace.campaign), away: $0.duration(pace.campaign)) },
                ]
            }
    }

    mutating func steps(until end: Duration) -> [ChaosPlan.Step] {
        var steps: [ChaosPlan.Step] = []
        var at = duration(gap)
        while true {
            for kind in shuffled() {
                let fault = kind(&self)
                guard at <= end, at + fault.length <= end + end / 4 else { return steps }
                steps.append(ChaosPlan.Step(at: at, fault: fault))
                at += fault.length + duration(gap)
            }
        }
    }

    /// Every kind once, in an order that is drawn.
    private mutating func shuffled() -> [(inout Lane) -> ChaosFault] {
        var rest = kinds
        return (0..<rest.count).map { _ in rest.remove(at: number(below: rest.count)) }
    }

    private mutating func row() -> ChaosFault.Row {
        ChaosFault.Row.allCases[number(below: ChaosFault.Row.allCases.count)]
    }

    private mutating func number(below bound: Int) -> Int { generator.number(below: bound) }

    private mutating func duration(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(range.lowerBound + generator.number(below: range.count))
    }
}
