import Encodings
import Foundation
import GameCore
import GameLog
import Testing

@testable import Benchmarks

@Suite struct ChaosRaidsTests {
    private static let start = Timestamp(epochSeconds: 1_790_000_000)

    private func raid(_ round: Int, endedAt: Timestamp? = nil) -> Raid {
        Raid(
            id: RaidID(rawValue: UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
            boss: BossCatalogue.all[0].id,
            regions: [],
            schedule: RaidSchedule(startsAt: Self.start, endsAt: Self.start + .seconds(3_600)),
            health: 1_000,
            round: round,
            state: endedAt == nil ? .running : .defeated,
            endedAt: endedAt
        )
    }

    @Test func `a round waits from its end until it is added up, also while nothing can be read`() {
        var waits = RaidWaits()
        waits.note([raid(4)], at: Self.start + .seconds(4.5))
        waits.note([raid(4)], at: Self.start + .seconds(5.5))
        #expect(waits.longest == .seconds(0.5))
        // The database was down, and round 4 has been added up since.
        waits.note([raid(9)], at: Self.start + .seconds(15))
        #expect(waits.longest == .seconds(10))
        // It lost rounds, which are played again.
        waits.note([raid(2)], at: Self.start + .seconds(16))
        #expect(waits.longest == .seconds(13))
        let ended = raid(20, endedAt: Self.start + .seconds(20))
        waits.note([ended], at: Self.start + .seconds(21))
        waits.note([ended], at: Self.start + .seconds(60))
        #expect(waits.longest == .seconds(18))
    }
}
