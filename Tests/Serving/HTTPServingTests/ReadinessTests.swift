import HTTPServing
import Synchronization
import Testing

@Suite struct ReadinessTests {
    @Test func `all failures are reported, and concurrent requests share the checks of other systems`() async {
        let calls = Mutex((database: 0, stopping: 0))
        let readiness = Readiness(
            [
                ReadinessCheck("database") {
                    calls.withLock { $0.database += 1 }
                    return "It is unreachable."
                },
                ReadinessCheck("key") { nil },
            ],
            immediate: [
                ReadinessCheck("serving") {
                    calls.withLock { $0.stopping += 1 }
                    return "It is stopping."
                }
            ],
            limit: .seconds(60)
        )
        let start = ContinuousClock.now
        await withTaskGroup(of: [String].self) { group in
            for _ in 0..<100 { group.addTask { await readiness.failures.map { "\($0.name): \($0.reason)" } } }
            for await failures in group {
                #expect(failures == ["serving: It is stopping.", "database: It is unreachable."])
            }
        }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        let counts = calls.withLock { $0 }
        #expect(counts.stopping == 100)
        // One call, and at most one more for each second of the test.
        #expect((1...1 + seconds).contains(counts.database))
    }

    @Test func `without failures the process is ready`() async {
        #expect(await Readiness([ReadinessCheck("database") { nil }], limit: .seconds(60)).failures.isEmpty)
    }
}
