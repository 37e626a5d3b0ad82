import Foundation
import GameCore
import Testing

@testable import Measurements

@Suite struct TakeoverTests {
    private static let dead = UUID()
    private static let living = UUID()
    private static let newcomer = UUID()

    private func holding(_ shard: Int, _ holder: UUID?, until seconds: Int64) -> Takeover.Holding {
        Takeover.Holding(shard: shard, holder: holder, expiresAt: Timestamp(microseconds: seconds * 1_000_000))
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

    private func done(
        _ place: ChaosFault.Place,
        at start: Double,
        lasting seconds: Double,
        _ dispatcher: Double? = nil,
        _ engine: Double? = nil
    ) -> ChaosRun.Done {
        ChaosRun.Done(
            atSeconds: start,
            place: place,
            what: "something",
            seconds: seconds,
            recoverySeconds: 1,
            takeover: place == .nodes
                ? Takeover.Times(dispatcherSeconds: dispatcher, shards: 85, engineSeconds: engine) : nil,
            note: ""
        )
    }

    @Test func `the longest takeover is one with PostgreSQL in order, if there is any`() {
        let quiet = done(.nodes, at: 0, lasting: 2, 5, 0.25)
        let disturbed = done(.nodes, at: 20, lasting: 2, 35, 30)
        let database = done(.database, at: 22, lasting: 30)
        let all = ChaosReport.longestTakeovers(in: [disturbed, database, quiet])
        #expect(all.dispatcher == 5 && all.engine == 0.25)
        let alone = ChaosReport.longestTakeovers(in: [disturbed, database])
        #expect(alone.dispatcher == 35 && alone.engine == 30)
        let none = ChaosReport.longestTakeovers(in: [database, done(.nodes, at: 60, lasting: 1)])
        #expect(none.dispatcher == nil && none.engine == nil)
    }
}
