import Testing

@testable import Benchmarks

@Suite struct ChaosPlanTests {
    private static let runs: [(duration: Duration, pace: ChaosPlan.Pace)] = [
        (.seconds(600), .full), (.seconds(25), .short),
    ]

    private func plan(_ seed: UInt64, _ run: (duration: Duration, pace: ChaosPlan.Pace)) -> ChaosPlan {
        ChaosPlan(seed: seed, duration: run.duration, nodes: 3, pace: run.pace)
    }

    @Test func `a seed determines the plan`() {
        for run in Self.runs {
            #expect(plan(7, run) == plan(7, run))
            #expect(plan(7, run) != plan(8, run))
        }
        #expect(
            plan(1, Self.runs[1]).steps.prefix(3).map(\.description) == [
                "0.6 s  APNs: drops connections for 2.9 s",
                "1.0 s  PostgreSQL: all backends terminated",
                "1.1 s  network: PostgreSQL lossy, node 3, for 1.7 s",
            ]
        )
    }

    @Test(arguments: UInt64(1)...200)
    func `every kind of fault occurs with every seed`(seed: UInt64) {
        for run in Self.runs {
            let kinds = Set(plan(seed, run).steps.map(\.fault).map(Self.kind))
            #expect(kinds.count == 23, "\(kinds.sorted())")
            let length = run.duration + .seconds(5)
            let losing = ChaosPlan(seed: seed, duration: length, nodes: 1, losesCommits: true, pace: run.pace)
            #expect(losing.steps.contains { if case .commitsLost = $0.fault { true } else { false } })
        }
    }

    @Test(arguments: UInt64(1)...50)
    func `faults of one target do not overlap, and begin in time`(seed: UInt64) {
        for run in Self.runs {
            let plan = plan(seed, run)
            #expect(plan.steps.map(\.at) == plan.steps.map(\.at).sorted())
            for target in ChaosFault.Target.allCases {
                let steps = plan.steps(for: target)
                for (step, next) in zip(steps, steps.dropFirst()) {
                    #expect(step.at + step.fault.length < next.at)
                }
                #expect(steps.allSatisfy { $0.at <= run.duration })
            }
        }
    }

    @Test(arguments: UInt64(1)...50)
    func `a node is stopped for longer than a lease`(seed: UInt64) {
        for run in Self.runs {
            for step in plan(seed, run).steps(for: .nodes) {
                switch step.fault {
                case .nodeStopped(let node, let length):
                    #expect(length > .seconds(5))
                    #expect((0..<3).contains(node))
                case .nodeKilled(let node, _): #expect((0..<3).contains(node))
                default: Issue.record("\(step) does not affect nodes")
                }
            }
        }
    }

    @Test(arguments: UInt64(1)...50)
    func `rows and shards are locked, and links broken, for longer than a lease, in every plan`(seed: UInt64) {
        for run in Self.runs {
            var lengths: [Int: [Duration]] = [:]
            for step in plan(seed, run).steps {
                switch step.fault {
                case .rowLocked(_, let length): lengths[0, default: []].append(length)
                case .shardsLocked(let count, let length):
                    #expect((1...3).contains(count))
                    lengths[1, default: []].append(length)
                case .linkBroken(let link, let length):
                    #expect((0..<3).contains(link.node))
                    lengths[2, default: []].append(length)
                default: break
                }
            }
            #expect(lengths.count == 3)
            #expect(lengths.values.joined().allSatisfy { $0 > .seconds(1) && $0 <= .seconds(20) })
        }
    }

    /// Returns the description up to the first number.
    private static func kind(_ fault: ChaosFault) -> String {
        let text = fault.description.replacing(#/^node \d: /#, with: "node: ")
        return String(text.prefix { !$0.isNumber && $0 != "," })
    }
}
