import Simulation
import TestSupport
import Testing

/// One run at a time: each has a thread of its own, and many of them would hold up the tests that wait for servers.
@Suite(.serialized) struct SimulationTests {
    @Test func `equal seeds give equal runs, and different seeds different runs`() async {
        let first = await Simulation(seed: 7, keepsTrace: true).run()
        let second = await Simulation(seed: 7, keepsTrace: true).run()
        #expect(first.trace.lines == second.trace.lines)
        #expect(first.trace.digest == second.trace.digest)
        let other = await Simulation(seed: 8).run()
        #expect(other.trace.digest != first.trace.digest)
    }

    /// A few seeds for a quick signal, with those of earlier findings; `deploy/test` runs 500.
    @Test(arguments: Array(UInt64(1)...8) + [142, 2052, 2738, 3464, 4616, 4794, 64284])
    func `a run violates no invariant`(seed: UInt64) async {
        let result = await Simulation(seed: seed).run()
        #expect(result.violations.isEmpty, "rangers-bench simulate --seeds 1 --seed \(seed) --trace")
    }

    @Test(arguments: Defect.allCases.filter { !$0.isOfRaids && !$0.isOfChannels })
    func `the checks of the broken invariants find a defect`(defect: Defect) async {
        await expectFindings(of: defect, in: UInt64(1)...400)
    }

    /// Only one run in three has a raid.
    @Test(arguments: Defect.allCases.filter(\.isOfRaids))
    func `the checks of raids find a defect`(defect: Defect) async {
        await expectFindings(of: defect, in: stride(from: UInt64(3), through: 400, by: 3))
    }

    /// Only the checks of the broken invariants count: a violation that another check finds does not prove that these
    /// work.
    private func expectFindings(of defect: Defect, in seeds: some Sequence<UInt64>) async {
        var missing = defect.expectedViolations
        var others: Set<Int> = []
        // A few seeds find most defects. Rare defects take more seeds, and different ones after each change of the
        // service.
        for seed in seeds where !missing.isEmpty {
            let violations = await Simulation(seed: seed, defect: defect).run().violations
            missing.removeAll { violations.contains(where: $0.matches) }
            others.formUnion(violations.map(\.invariant))
        }
        #expect(missing.isEmpty, "not found within 400 seeds; violated invariants: \(others.sorted())")
        #expect(!defect.expectedViolations.isEmpty)
    }

    @Test func `runs have events, pushes and faults`() async {
        var events = 0
        var pushes = 0
        var faults = 0
        for seed in UInt64(20)...29 {
            let result = await Simulation(seed: seed).run()
            events += result.events
            pushes += result.pushes
            faults += result.faults
        }
        #expect(events > 50)
        #expect(pushes > 20)
        #expect(faults > 5)
    }
}

@Suite(.computing) struct FollowerRunTests {
    /// A few seeds for a quick signal; each seed of `rangers-bench simulate` has such a run.
    @Test(arguments: Array(1_000..<1_150) + [18_198])
    func `the invariants hold for a follower alone, and every activity gets its end`(seed: UInt64) {
        var run = FollowerRun(seed: seed)
        #expect(run.run().violations.isEmpty, "rangers-bench simulate --seeds 1 --seed \(seed) --trace")
    }
}
