import GameCore
import SimulatedPlayers

/// A fault that is injected into a running service.
enum ChaosFault: Hashable, Sendable {
    /// A node gets SIGKILL, and is started again after a while.
    case nodeKilled(Int, away: Duration)
    /// A node gets SIGSTOP and, after more than the duration of a lease, SIGCONT.
    case nodeStopped(Int, for: Duration)
    /// Every session of the nodes is terminated.
    case backendsTerminated
    /// PostgreSQL stops at once, as in a crash, and starts again.
    case databaseRestarted
    /// PostgreSQL stops at once, as in a crash, and starts again after a while.
    case databaseAway(for: Duration)
    /// PostgreSQL stops at once, and comes back as it was a while before, as an asynchronous standby that takes over.
    case commitsLost(of: Duration)
    /// A reader holds a snapshot open, so that vacuum removes no row that dies during that time.
    case snapshotPinned(for: Duration)
    /// A session locks the newest live row of a kind, and rolls back after a while.
    case rowLocked(Row, for: Duration)
    /// A session locks rows of `shards`, those of shards with live adventures, and rolls back after a while.
    case shardsLocked(Int, for: Duration)
    /// The disk with the game's tables is full.
    case diskFull(for: Duration)
    /// A fault hits some of the pushes to APNs.
    case pushesDisturbed(PushFault.Kind, for: Duration)
    /// Every live activity gets another push token.
    case tokensRotated
    /// Guest parties are created, play for a time, and stop in the middle of their adventures.
    case loadRaised(for: Duration)
    /// An operator's campaign is killed half-way, and continued after a while.
    case campaignInterrupted(after: Duration, away: Duration)
    /// The network between a node and PostgreSQL or APNs loses packets.
    case linkBroken(Link, for: Duration)

    /// The kind of a locked row.
    enum Row: String, CaseIterable, Hashable, Sendable {
        case activity
        case adventure
        case lease
    }

    /// A network link with a fault.
    struct Link: Hashable, Sendable, CustomStringConvertible {
        enum Peer: String, CaseIterable, Hashable, Sendable {
            case database = "PostgreSQL"
            case apns = "APNs"
        }

        enum Kind: String, CaseIterable, Hashable, Sendable {
            /// Nothing passes from the node to its peer.
            case requestsLost = "requests lost"
            /// Nothing passes from the peer to the node.
            case responsesLost = "responses lost"
            /// Nothing passes in either direction.
            case cut = "cut"
            /// Some packets arrive only when they are sent again.
            case lossy = "lossy"
        }

        /// The number of the node, from 0.
        let node: Int
        let peer: Peer
        let kind: Kind

        var description: String { "\(peer.rawValue) \(kind.rawValue), node \(node + 1)" }
    }

    /// The part of the system that a fault affects; faults of one target do not overlap.
    enum Target: String, CaseIterable, Encodable, Hashable, Sendable {
        case nodes
        case database
        case apns
        case players
        case network
    }

    var target: Target {
        switch self {
        case .nodeKilled, .nodeStopped: .nodes
        case .backendsTerminated, .databaseRestarted, .databaseAway, .commitsLost, .snapshotPinned, .rowLocked,
            .shardsLocked, .diskFull:
            .database
        case .pushesDisturbed: .apns
        case .tokensRotated, .loadRaised, .campaignInterrupted: .players
        case .linkBroken: .network
        }
    }

    /// Whether no node can work during the fault: PostgreSQL is down, terminates all sessions, or cannot write.
    var isOutage: Bool {
        switch self {
        case .backendsTerminated, .databaseRestarted, .databaseAway, .commitsLost, .diskFull: true
        case .nodeKilled, .nodeStopped, .snapshotPinned, .rowLocked, .shardsLocked, .pushesDisturbed, .tokensRotated,
            .loadRaised, .campaignInterrupted, .linkBroken:
            false
        }
    }

    /// Whether a node cannot take over during the fault.
    var hindersTakeover: Bool {
        if case .linkBroken(let link, _) = self { return link.peer == .database }
        return isOutage
    }

    /// The planned duration, without recovery.
    var length: Duration {
        switch self {
        case .nodeKilled(_, let length), .nodeStopped(_, let length), .databaseAway(let length),
            .commitsLost(let length), .snapshotPinned(let length), .rowLocked(_, let length),
            .shardsLocked(_, let length), .diskFull(let length),
            .pushesDisturbed(_, let length), .loadRaised(let length), .linkBroken(_, let length):
            length
        case .campaignInterrupted(let after, let away): after + away
        case .backendsTerminated, .databaseRestarted, .tokensRotated: .zero
        }
    }
}

extension ChaosFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .nodeKilled(let node, let length): "node \(node + 1): SIGKILL, restarted after \(length.text)"
        case .nodeStopped(let node, let length): "node \(node + 1): SIGSTOP, SIGCONT after \(length.text)"
        case .backendsTerminated: "PostgreSQL: all backends terminated"
        case .databaseRestarted: "PostgreSQL: immediate restart"
        case .databaseAway(let length): "PostgreSQL: down for \(length.text)"
        case .commitsLost(let length): "PostgreSQL: loses the commits of \(length.text)"
        case .snapshotPinned(let length): "PostgreSQL: oldest snapshot pinned for \(length.text)"
        case .rowLocked(let row, let length): "PostgreSQL: row locked for \(length.text) (\(row.rawValue))"
        case .shardsLocked(let count, let length): "PostgreSQL: shards locked for \(length.text) (\(count))"
        case .diskFull(let length): "PostgreSQL: disk full for \(length.text)"
        case .pushesDisturbed(.connectionDrop, let length): "APNs: drops connections for \(length.text)"
        case .pushesDisturbed(.lostResponse, let length): "APNs: loses responses for \(length.text)"
        case .pushesDisturbed(.stall, let length): "APNs: stalls for \(length.text)"
        case .tokensRotated: "devices: all tokens rotated"
        case .loadRaised(let length): "players: more of them for \(length.text)"
        case .campaignInterrupted(let after, let away):
            "operator: campaign killed after \(after.text), continued after \(away.text)"
        case .linkBroken(let link, let length): "network: \(link), for \(length.text)"
        }
    }
}

/// The faults of a run and their times, drawn from a seed.
///
/// Faults of different targets overlap; those of one target do not. Each target begins with every kind of fault once,
/// in random order, before a kind comes again.
struct ChaosPlan: Hashable, Sendable {
    /// The durations of faults and of the gaps between them, in milliseconds.
    struct Pace: Hashable, Sendable {
        /// The downtime of a killed node.
        let nodeAway: ClosedRange<Int>
        /// The time for which a node is stopped: longer than a dispatcher's lease, which is 1 s.
        let nodeStopped: ClosedRange<Int>
        let databaseAway: ClosedRange<Int>
        /// The age of the copy to which the database goes back.
        let commitsLost: ClosedRange<Int>
        let snapshotPinned: ClosedRange<Int>
        /// The time for which a row is locked: longer than a dispatcher's lease.
        let rowLocked: ClosedRange<Int>
        let shardsLocked: ClosedRange<Int>
        let diskFull: ClosedRange<Int>
        let apns: ClosedRange<Int>
        let loadRaised: ClosedRange<Int>
        let campaign: ClosedRange<Int>
        let linkBroken: ClosedRange<Int>
        /// The time between two faults of one target.
        let gap: ClosedRange<Int>

        /// The durations for runs of minutes.
        static let full = Self(
            nodeAway: 1_000...10_000,
            nodeStopped: 6_000...15_000,
            databaseAway: 30_000...30_000,
            commitsLost: 2_000...6_000,
            snapshotPinned: 120_000...150_000,
            rowLocked: 8_000...20_000,
            shardsLocked: 5_000...15_000,
            diskFull: 5_000...15_000,
            apns: 3_000...15_000,
            loadRaised: 10_000...30_000,
            campaign: 1_000...4_000,
            linkBroken: 3_000...15_000,
            gap: 5_000...20_000
        )

        /// The durations for a run of half a minute.
        static let short = Self(
            nodeAway: 500...2_000,
            nodeStopped: 6_000...7_000,
            databaseAway: 4_000...5_000,
            commitsLost: 1_000...2_000,
            snapshotPinned: 2_000...3_000,
            rowLocked: 2_500...3_500,
            shardsLocked: 1_500...2_500,
            diskFull: 2_000...3_000,
            apns: 2_000...3_000,
            loadRaised: 4_000...6_000,
            campaign: 700...1_500,
            linkBroken: 1_500...2_500,
            gap: 500...1_300
        )
    }

    struct Step: Hashable, Sendable, CustomStringConvertible {
        /// The time since the beginning of the plan; a fault begins later when its target has not recovered yet.
        let at: Duration
        let fault: ChaosFault

        var description: String { "\(at.text)  \(fault)" }
    }

    /// The steps, in order of time.
    let steps: [Step]

    /// Draws a plan.
    /// - Parameters:
    ///   - seed: the seed.
    ///   - duration: no fault begins later, and none ends much later.
    ///   - nodes: the number of nodes.
    ///   - losesCommits: whether the database loses commits.
    ///   - pace: the durations of faults.
    init(seed: UInt64, duration: Duration, nodes: Int, losesCommits: Bool = false, pace: Pace) {
        steps = ChaosFault.Target.allCases.enumerated().flatMap { number, target in
            // A target's draws do not depend on those of the others; the generator's mixing keeps similar seeds apart.
            let generator = Generator(seed: seed ^ (UInt64(number + 1) << 56))
            var lane = Lane(target, nodes: nodes, losesCommits: losesCommits, pace: pace, generator: generator)
            return lane.steps(until: duration)
        }.sorted { ($0.at, $0.fault.description) < ($1.at, $1.fault.description) }
    }

    /// Returns the steps of one target.
    func steps(for target: ChaosFault.Target) -> [Step] { steps.filter { $0.fault.target == target } }
}

/// Draws the faults of one target.
private struct Lane {
    private static let maxLockedShards = 3

    private var kinds: [(inout Lane) -> ChaosFault]
    private let gap: ClosedRange<Int>
    private var generator: Generator

    init(_ target: ChaosFault.Target, nodes: Int, losesCommits: Bool, pace: ChaosPlan.Pace, generator: Generator) {
        self.generator = generator
        gap = pace.gap
        kinds =
            switch target {
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
                    { .shardsLocked($0.number(below: Self.maxLockedShards) + 1, for: $0.duration(pace.shardsLocked)) },
                ]
            case .apns:
                PushFault.Kind.allCases.map { kind in { .pushesDisturbed(kind, for: $0.duration(pace.apns)) } }
            case .players:
                [
                    { _ in .tokensRotated }, { .loadRaised(for: $0.duration(pace.loadRaised)) },
                    { .campaignInterrupted(after: $0.duration(pace.campaign), away: $0.duration(pace.campaign)) },
                ]
            case .network:
                ChaosFault.Link.Peer.allCases.flatMap { peer in
                    ChaosFault.Link.Kind.allCases.map { kind in
                        {
                            let link = ChaosFault.Link(node: $0.number(below: nodes), peer: peer, kind: kind)
                            return .linkBroken(link, for: $0.duration(pace.linkBroken))
                        }
                    }
                }
            }
        if losesCommits, target == .database {
            kinds.append { .commitsLost(of: $0.duration(pace.commitsLost)) }
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

    /// Returns every kind once, in random order.
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
