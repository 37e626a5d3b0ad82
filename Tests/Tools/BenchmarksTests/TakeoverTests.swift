import Encodings
import Foundation
import GameCore
import Testing

@testable import Benchmarks

@Suite struct TakeoverTests {
    private static let dead = UUID()
    private static let living = UUID()
    private static let new = UUID()
    private static let kill = ChaosFault.nodeKilled(0, away: .seconds(2))

    private func lease(_ shard: Int, _ holder: UUID?, until seconds: Int64?) -> Takeover.Lease {
        Takeover.Lease(shard: shard, holder: holder, expiresAt: seconds.map { Timestamp(epochSeconds: $0) })
    }

    @Test func `shards without a dispatcher and clocks without an engine are problems`() {
        func problems(_ dispatcher: Double?, _ engine: Double? = nil, isLate: Bool = false) -> [String] {
            Takeover.Times(dispatcherSeconds: dispatcher, shards: 81, engineSeconds: engine, areClocksLate: isLate)
                .problems
        }
        #expect(problems(89) == [] && problems(89, 0.5) == [])
        #expect(problems(nil) == ["some shards have no dispatcher 90.0 s later"])
        #expect(problems(5, isLate: true) == ["clocks stand still 90.0 s later"])
        #expect(problems(nil, isLate: true).count == 2)
    }

    @Test func `a takeover is complete when every shard has a living dispatcher`() {
        let before = [
            lease(0, Self.dead, until: 5), lease(1, Self.dead, until: 5), lease(2, Self.living, until: 5),
        ]
        let half = [
            lease(0, Self.living, until: 10), lease(1, Self.dead, until: nil), lease(2, Self.living, until: 10),
        ]
        let whole = [half[0], lease(1, Self.new, until: 10), half[2]]
        var takeover = Takeover(from: before)
        let seen = [
            before,
            // The living dispatcher renews; the dead one's leases have no new holder yet.
            [before[0], before[1], lease(2, Self.living, until: 7)],
            // It takes one of these leases; the dead dispatcher is removed.
            half,
            // The other lease is released, and taken by a new dispatcher.
            [half[0], lease(1, nil, until: nil), half[2]],
            whole,
        ]
        .map { takeover.isComplete($0) }
        #expect(seen == [false, false, false, false, true])
        #expect([before, half, whole].map(takeover.changedLeases) == [0, 1, 2])
    }

    @Test func `without a lease to take over, a takeover is complete once all are renewed, and never without leases`() {
        var takeover = Takeover(from: [lease(0, Self.living, until: 5)])
        let renewed = [lease(0, Self.living, until: 6)]
        let seen = [[], renewed].map { takeover.isComplete($0) }
        #expect(seen == [false, true] && takeover.changedLeases(renewed) == 0)
    }

    private func injected(
        _ fault: ChaosFault,
        at start: Double,
        lasting seconds: Double,
        _ dispatcher: Double? = nil,
        _ engine: Double? = nil
    ) -> InjectedFault {
        InjectedFault(
            atSeconds: start,
            fault: fault,
            seconds: seconds,
            recoverySeconds: 1,
            takeover: fault.target == .nodes
                ? Takeover.Times(
                    dispatcherSeconds: dispatcher,
                    shards: 85,
                    engineSeconds: engine,
                    areClocksLate: false
                ) : nil,
            note: ""
        )
    }

    @Test func `takeovers that overlap an outage do not count`() {
        let quiet = injected(Self.kill, at: 0, lasting: 2, 5, 0.25)
        let locked = injected(Self.kill, at: 20, lasting: 2, 6.5, 0.5)
        let row = injected(.rowLocked(.lease, for: .seconds(20)), at: 18, lasting: 20)
        let struck = injected(Self.kill, at: 60, lasting: 2, 35, 30)
        let away = injected(.databaseRestarted, at: 62, lasting: 30)
        let all = [struck, away, locked, row, quiet]
        let dispatchers = TakeoverStatistics(in: all, \.dispatcherSeconds)
        #expect(dispatchers.seconds.sorted() == [5, 6.5] && dispatchers.nodeFaults == 3)
        #expect(dispatchers.description == "p50 5.0 s, p99 6.5 s, max 6.5 s (2 of 3 counted)")
        let engines = TakeoverStatistics(in: all, \.engineSeconds)
        #expect(engines.seconds.sorted() == [0.25, 0.5] && engines.nodeFaults == 3)
        let cut = ChaosFault.Link(node: 1, peer: .database, kind: .cut)
        let broken = injected(.linkBroken(cut, for: .seconds(9)), at: 0, lasting: 9)
        #expect(TakeoverStatistics(in: all + [broken], \.dispatcherSeconds).seconds == [6.5])
        let alone = TakeoverStatistics(in: [struck, away], \.dispatcherSeconds)
        #expect(alone.seconds == [] && alone.description == "p50 - s, p99 - s, max - s (0 of 1 counted)")
        // Takeovers before and after the outage count.
        let around = [injected(Self.kill, at: 60, lasting: 2, 1.5, 1), away]
        #expect(TakeoverStatistics(in: around, \.dispatcherSeconds).seconds == [1.5])
        #expect(TakeoverStatistics(in: around, \.engineSeconds).seconds == [1])
        // A takeover that took too long does not count.
        #expect(TakeoverStatistics(in: [injected(Self.kill, at: 0, lasting: 1)], \.engineSeconds).seconds == [])
    }

    @Test func `only faults that stop all nodes are outages`() {
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
