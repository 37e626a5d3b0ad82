import Encodings
import Foundation
import GameCore
import Testing

@testable import Benchmarks

@Suite struct TakeoverTests {
    private static let dead = UUID()
    private static let living = UUID()
    private static let newcomer = UUID()

    private func holding(_ shard: Int, _ holder: UUID?, until seconds: Int64) -> Takeover.Holding {
        Takeover.Holding(shard: shard, holder: holder, expiresAt: Timestamp(microseconds: seconds * 1_000_000))
    }

    @Test func `shards that nobody sends for are a complaint`() {
        func times(_ seconds: Double?) -> Takeover.Times {
            Takeover.Times(dispatcherSeconds: seconds, shards: 81, engineDueSeconds: nil, engineSeconds: nil)
        }
        #expect(times(89).complaint(about: "node 1") == nil)
        #expect(times(nil).complaint(about: "node 1")?.hasPrefix("node 1: ") == true)
    }

    @Test func `it is over when the last shard has a dispatcher that lives`() {
        let before = [
            holding(0, Self.dead, until: 5), holding(1, Self.dead, until: 5), holding(2, Self.living, until: 5),
        ]
        let half = [holding(0, Self.living, until: 10), before[1], holding(2, Self.living, until: 10)]
        let whole = [half[0], holding(1, Self.newcomer, until: 10), half[2]]
        var takeover = Takeover(from: before)
        let seen = [
            before,
            // The other one renews: what the dead one had is nobody's yet.
            [before[0], before[1], holding(2, Self.living, until: 7)],
            // It takes one of them.
            half,
            // The other is given back, and taken by one that was not there before.
            [half[0], holding(1, nil, until: 5), half[2]],
            whole,
        ]
        .map { takeover.isOver($0) }
        #expect(seen == [false, false, false, false, true])
        #expect([before, half, whole].map(takeover.changed) == [0, 1, 2])
    }

    @Test func `where nobody had to take anything over it is over once all have renewed, and never without leases`() {
        var takeover = Takeover(from: [holding(0, Self.living, until: 5)])
        let renewed = [holding(0, Self.living, until: 6)]
        let seen = [[], renewed].map { takeover.isOver($0) }
        #expect(seen == [false, true] && takeover.changed(renewed) == 0)
    }

    @Test func `what is due at the blow is waited for from the blow on`() {
        var takeover = EngineTakeover()
        let blow = Timestamp(microseconds: 1_000_000)
        let later = Timestamp(microseconds: 1_400_000)
        #expect(takeover.moment(at: blow) == blow)
        #expect(takeover.looked(true, at: blow, beganSeconds: 0.01, endedSeconds: 0.02) == nil)
        #expect(takeover.moment(at: later) == blow)
        #expect(takeover.looked(true, at: later, beganSeconds: 0.2, endedSeconds: 0.21) == nil)
        #expect(takeover.looked(false, at: later, beganSeconds: 0.4, endedSeconds: 0.45) == 0...0.45)
    }

    @Test func `where nothing is due at the blow that is no takeover, and the first that comes due is waited for`() {
        var takeover = EngineTakeover()
        let times = (0..<4).map { Timestamp(microseconds: 1_000_000 + Int64($0) * 500_000) }
        #expect(takeover.looked(false, at: times[0], beganSeconds: 0, endedSeconds: 0.02) == nil)
        #expect(takeover.looked(false, at: times[1], beganSeconds: 0.5, endedSeconds: 0.52) == nil)
        #expect(takeover.looked(true, at: times[2], beganSeconds: 1, endedSeconds: 1.02) == nil)
        #expect(takeover.moment(at: times[3]) == times[2])
        // It came due at some time after the last look that found nothing.
        #expect(takeover.looked(false, at: times[3], beganSeconds: 1.5, endedSeconds: 1.75) == 0.5...1.75)
    }

    private func done(
        _ place: ChaosFault.Place,
        isOutage: Bool = false,
        at start: Double,
        lasting seconds: Double,
        _ dispatcher: Double? = nil,
        _ engine: ClosedRange<Double>? = nil
    ) -> ChaosRun.Done {
        ChaosRun.Done(
            atSeconds: start,
            place: place,
            isOutage: isOutage,
            what: "something",
            seconds: seconds,
            recoverySeconds: 1,
            takeover: place == .nodes
                ? Takeover.Times(
                    dispatcherSeconds: dispatcher,
                    shards: 85,
                    engineDueSeconds: engine?.lowerBound,
                    engineSeconds: engine.map { $0.upperBound - $0.lowerBound }
                ) : nil,
            note: ""
        )
    }

    @Test func `takeovers count unless PostgreSQL was out meanwhile, and it is said how many do`() {
        let quiet = done(.nodes, at: 0, lasting: 2, 5, 0...0.25)
        let locked = done(.nodes, at: 20, lasting: 2, 6.5, 1...1.5)
        let row = done(.database, at: 18, lasting: 20)
        let struck = done(.nodes, at: 60, lasting: 2, 35, 0...30)
        let away = done(.database, isOutage: true, at: 62, lasting: 30)
        let all = [struck, away, locked, row, quiet]
        let dispatcher = LongestTakeover(in: all, \.dispatcherWait)
        #expect(dispatcher.seconds == 6.5 && dispatcher.counted == 2 && dispatcher.blows == 3)
        #expect(dispatcher.words == "6.5 s (2 of 3 counted)")
        let engine = LongestTakeover(in: all, \.engineWait)
        #expect(engine.seconds == 0.5 && engine.counted == 2 && engine.blows == 3)
        let alone = LongestTakeover(in: [struck, away], \.dispatcherWait)
        #expect(alone.seconds == nil && alone.words == "- (0 of 1 counted)")
        // What was over before PostgreSQL went away counts, and what came due after it was back.
        let around = [done(.nodes, at: 60, lasting: 2, 1.5, 35...36), away]
        #expect(LongestTakeover(in: around, \.dispatcherWait).seconds == 1.5)
        #expect(LongestTakeover(in: around, \.engineWait).seconds == 1)
        // Where nobody came within the time that is a blow that does not count, and says so.
        #expect(LongestTakeover(in: [done(.nodes, at: 0, lasting: 1)], \.engineWait).words == "- (0 of 1 counted)")
    }

    @Test func `only what keeps everybody from work is an outage`() {
        let outages: [ChaosFault] = [
            .backendsTerminated, .databaseRestarted, .databaseAway(for: .seconds(1)), .diskFull(for: .seconds(1)),
        ]
        let others: [ChaosFault] = [
            .snapshotPinned(for: .seconds(1)), .rowLocked(.adventure, for: .seconds(1)),
            .nodeKilled(0, away: .seconds(1)),
        ]
        #expect(outages.filter(\.isOutage) == outages)
        #expect(others.filter(\.isOutage).isEmpty)
    }
}
