import Foundation
import Simulation
import Testing

/// One run at a time, as in `SimulationTests`.
@Suite(.serialized) struct ChannelRunTests {
    /// Runs on a thread of its own: the tasks of a run belong to the thread that makes it.
    private func run(seed: UInt64, defect: Defect? = nil, kills: Int = 20, keepsLines: Bool = false) async
        -> ChannelRun.Result
    {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    returning: ChannelRun.run(seed: seed, defect: defect, kills: kills, keepsLines: keepsLines)
                )
            }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    /// A few seeds for a quick signal; each twentieth seed of `rangers-bench simulate` has such a run.
    @Test(arguments: UInt64(1)...6)
    func `keepers that are killed leave no channel behind, and never create too many`(seed: UInt64) async {
        let result = await run(seed: seed)
        #expect(result.violations.isEmpty)
        #expect(result.kills >= 20 && result.channels > 20)
    }

    @Test func `equal seeds give equal runs`() async {
        let first = await run(seed: 9, kills: 3, keepsLines: true)
        let second = await run(seed: 9, kills: 3, keepsLines: true)
        #expect(!first.lines.isEmpty && first.lines == second.lines)
    }

    @Test(arguments: Defect.allCases.filter(\.isOfChannels))
    func `the check of channels finds a defect`(defect: Defect) async {
        var missing = defect.expectedViolations
        for seed in UInt64(1)...50 where !missing.isEmpty {
            let violations = await run(seed: seed, defect: defect).violations
            missing.removeAll { violations.contains(where: $0.matches) }
        }
        #expect(missing.isEmpty)
    }
}
