import PartyAPI
import Synchronization
import Testing

@Suite struct ReadinessTests {
    @Test func `all that is missing is named, and what is asked for elsewhere is asked once for all`() async {
        let asked = Mutex((database: 0, stopping: 0))
        let readiness = Readiness(
            [
                ReadinessCheck("database") {
                    asked.withLock { $0.database += 1 }
                    return "It is away."
                },
                ReadinessCheck("key") { nil },
            ],
            immediate: [
                ReadinessCheck("serving") {
                    asked.withLock { $0.stopping += 1 }
                    return "It stops."
                }
            ],
            limit: .seconds(60)
        )
        let start = ContinuousClock.now
        await withTaskGroup(of: [String].self) { group in
            for _ in 0..<100 { group.addTask { await readiness.lacks.map { "\($0.name): \($0.reason)" } } }
            for await lacks in group { #expect(lacks == ["serving: It stops.", "database: It is away."]) }
        }
        let seconds = Int((ContinuousClock.now - start) / .seconds(1))
        let counts = asked.withLock { $0 }
        #expect(counts.stopping == 100)
        // Once, and once more for every second that this machine took.
        #expect((1...1 + seconds).contains(counts.database))
    }

    @Test func `nothing missing is ready`() async {
        #expect(await Readiness([ReadinessCheck("database") { nil }], limit: .seconds(60)).lacks.isEmpty)
    }
}
