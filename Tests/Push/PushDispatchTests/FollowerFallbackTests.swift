import Encodings
import Foundation
import GameCore
import GameLog
import PushCadence
import PushRules
import Simulation
import Testing

@testable import PushDispatch

/// The requests for ordinary alerts.
struct FollowerFallbackTests {
    @Test func `members get alerts if any of them has a device for them, with or without an activity`() throws {
        let shard = try expectTranscript(
            """
            5 attack fight | -
            6 alertDevice fight | -
            20 clock | alert 1 ownTurn
            21 register A fight 1 | send A p5 newToken #1
            21.1 ok #1 | -
            26 attack fight | alert 0 ownTurn; send A p10 turn #2
            26.1 ok #2 | -
            30 over fight | alert 0 adventureOver, 1 adventureOver; send A p10 adventureOver #3
            """
        )
        #expect(shard.activityCount == 1)
    }

    @Test func `the next holder requests the alerts of the last minute again`() throws {
        try expectTranscript(
            """
            5 attack fight | -
            6 alertDevice fight | -
            20 clock | alert 1 ownTurn
            22 restart | alert 1 ownTurn again
            81 restart | -
            """
        )
    }

    @Test func `a node that may have lost the lease does not know who shows the adventure`() throws {
        try expectTranscript(
            """
            5 attack fight | -
            6 alertDevice fight | -
            7 renew 10 | -
            20 clock | alert 1 ownTurn again
            """
        )
    }

    @Test func `the devices of a player who joins are looked for, unless the adventure is followed for others`() throws
    {
        try expectTranscript(
            """
            5 join fight 2 | find devices for alerts
            6 alertDevice fight | -
            7 join fight 3 | -
            """
        )
    }

    @Test func `an adventure that ended while its devices were looked for still gets the alert of its end`() throws {
        try expectTranscript(
            """
            7 over fight | -
            8 alertDevice fight | alert 0 adventureOver, 1 adventureOver again
            100 clock | -
            """
        )
    }

    @Test func `an adventure is followed until its end`() throws {
        let shard = try expectTranscript(
            """
            5 alertDevice fight | -
            6 leave fight 1 | -
            7 over fight | alert 0 adventureOver
            100 clock | -
            """
        )
        #expect(shard.activityCount == 0)
    }

    @Test func `the budget leaves room for weightier alerts, and claims each alert once, in order`() {
        let (fight, walk) = (AdventureID(rawValue: UUID()), AdventureID(rawValue: UUID()))
        var budget = FallbackBudget(hourlyBudget: 6, sent: [])
        var moment = Timestamp(epochSeconds: 1_790_000_000)
        func claim(_ sequence: Int, of id: AdventureID, _ weight: AlertWeight) -> FallbackDenial? {
            moment = moment + .seconds(60)
            return budget.claim(sequence, of: id, weight, at: moment)
        }
        #expect([2, 4, 6].map { claim($0, of: fight, .routine) } == [nil, nil, nil])
        #expect(claim(6, of: fight, .final) == .alreadySent && claim(5, of: fight, .final) == .alreadySent)
        #expect(claim(8, of: fight, .routine) == .overBudget)
        #expect(claim(8, of: fight, .companion) == nil && claim(9, of: fight, .companion) == .overBudget)
        // Another adventure has sequences of its own.
        #expect(claim(1, of: walk, .personal) == nil && claim(2, of: walk, .personal) == .overBudget)
        #expect(claim(10, of: fight, .final) == nil && claim(11, of: fight, .final) == .overBudget)
        moment = moment + .seconds(3_600)
        #expect(claim(3, of: walk, .routine) == nil && budget.sent.count == 1)
    }
}
