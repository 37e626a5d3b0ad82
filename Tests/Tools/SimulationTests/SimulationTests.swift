import Simulation
import Testing

@Suite struct SimulationTests {
    @Test func `the same seed has the same course, and another seed another`() async {
        let first = await Simulation(seed: 7, keepsTrace: true).run()
        let second = await Simulation(seed: 7, keepsTrace: true).run()
        #expect(first.trace.lines == second.trace.lines)
        #expect(first.trace.digest == second.trace.digest)
        let other = await Simulation(seed: 8).run()
        #expect(other.trace.digest != first.trace.digest)
    }

    /// Enough to see that a change has broken something; `deploy/test` runs a thousand.
    @Test(arguments: UInt64(1)...10)
    func `nothing that must hold is broken`(seed: UInt64) async {
        let result = await Simulation(seed: seed).run()
        #expect(result.breaches.isEmpty, "rangers-bench simulate --seeds 1 --seed \(seed) --trace")
    }

    /// By the checks of what it breaks: that another one complains is no proof that these can.
    @Test(arguments: Defect.allCases)
    func `a service that is broken on purpose is found out by the checks that are there for it`(defect: Defect) async {
        var missing = defect.breaks
        var others: Set<Int> = []
        // Most are found by a few seeds; what is rare moves to other ones with each change of the service.
        for seed in UInt64(1)...400 where !missing.isEmpty {
            let breaches = await Simulation(seed: seed, defect: defect).run().breaches
            missing.removeAll { breaches.contains(where: $0.isSeen) }
            others.formUnion(breaches.map(\.invariant))
        }
        #expect(missing.isEmpty, "no seed has shown it; breaches were of \(others.sorted())")
        #expect(!defect.breaks.isEmpty)
    }

    @Test func `a run has everything in it that can go wrong`() async {
        var events = 0
        var pushes = 0
        var disturbances = 0
        for seed in UInt64(20)...24 {
            let result = await Simulation(seed: seed).run()
            events += result.events
            pushes += result.pushes
            disturbances += result.disturbances
        }
        #expect(events > 50)
        #expect(pushes > 20)
        #expect(disturbances > 5)
    }
}
