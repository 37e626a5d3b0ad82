import Encodings
import GameCore
import GameTestSupport
import TestSupport
import Testing

@testable import GameEngine

@Suite struct JourneyScheduleTests {
    private let schedule = JourneySchedule(interval: .seconds(10))

    private func seconds(_ value: Double) -> Timestamp {
        Timestamp(microseconds: Int64(value * 1_000_000))
    }

    @Test func `nothing is due before the next slot begins`() {
        #expect(schedule.window(from: seconds(100), to: seconds(100.099), journeys: 1, batch: 500) == nil)
        #expect(
            schedule.window(from: seconds(100), to: seconds(100.1), journeys: 1, batch: 500)
                == JourneySchedule.Window(after: 1_000, through: 1_001)
        )
    }

    @Test func `a journey ticks first one interval after its start`() throws {
        let startedAt = seconds(1_003.25)
        let phase = schedule.phase(startingAt: startedAt)
        func ticks(until moment: Double) throws -> Int {
            let window = try #require(
                schedule.window(from: seconds(1_000), to: seconds(moment), journeys: 1, batch: 500)
            )
            return schedule.ticks(ofPhase: phase, startedAt: startedAt, in: window)
        }
        #expect(try ticks(until: 1_003.3) == 0)
        #expect(try ticks(until: 1_013.1) == 0)
        #expect(try ticks(until: 1_013.2) == 1)
        #expect(try ticks(until: 1_043.2) == 4)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `whatever the poll cycles, a journey gets each of its ticks exactly once`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let startedAt = Timestamp(microseconds: 1_700_000_000_000_000 + Int64(generator.next() % 20_000_000))
        let phase = schedule.phase(startingAt: startedAt)
        var tickedUntil = startedAt
        var now = startedAt
        var ticks = 0
        let journeys = Int(generator.next() % 5_000) + 1
        for _ in 0..<20 {
            now = now + .milliseconds(Int64(generator.next() % 30_000))
            while let window = schedule.window(from: tickedUntil, to: now, journeys: journeys, batch: 500) {
                let due = schedule.ticks(ofPhase: phase, startedAt: startedAt, in: window)
                #expect(due == 0 || window.phases.contains(phase))
                #expect(due <= JourneySchedule.maxTicksPerWindow)
                ticks += due
                if due > 0 {
                    let first = schedule.firstTick(ofPhase: phase, startedAt: startedAt, in: window)
                    #expect(first > tickedUntil && first > startedAt && first <= schedule.end(of: window))
                    #expect(schedule.phase(startingAt: first) == phase)
                    let later = schedule.end(of: window) - first
                    #expect(Int(later.wholeMicroseconds / 10_000_000) == due - 1)
                }
                tickedUntil = schedule.end(of: window)
                #expect(tickedUntil <= now)
            }
        }
        // A slot begins up to a hundredth of the interval before the journey's start.
        let elapsed = (now - startedAt).wholeMicroseconds
        let whole = Int(elapsed / 10_000_000)
        let slack = elapsed % 10_000_000 > 9_900_000 ? 1 : 0
        #expect((whole...(whole + slack)).contains(ticks))
    }

    @Test func `many journeys are taken in parts of the interval`() throws {
        let window = try #require(
            schedule.window(from: seconds(0), to: seconds(600), journeys: 50_000, batch: 500)
        )
        #expect(window.through - window.after == 1)
        let few = try #require(schedule.window(from: seconds(0), to: seconds(600), journeys: 500, batch: 500))
        #expect(few.through - few.after == 1_000 && few.phases.count == 100)
    }

    @Test func `a long outage is caught up in windows of ten ticks`() throws {
        let window = try #require(schedule.window(from: seconds(0), to: seconds(3_600), journeys: 1, batch: 500))
        #expect(schedule.end(of: window) == seconds(100))
    }
}
