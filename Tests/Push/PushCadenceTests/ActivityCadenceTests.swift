import Encodings
import GameCore
import PushCadence
import PushRules
import Testing

/// The pace of states, and the budget that they leave to alerts.
struct ActivityCadenceTests {
    @Test func `small changes are coalesced at priority 5`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingPending
            2.0 loot | wait 10.0 lowSpacing
            7.0 loot | wait 10.0 lowSpacing
            10.0 look | send 5 low
            10.1 ok | idle nothingPending
            """
        )
        try expect(
            frequent: false,
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingPending
            2.0 loot | wait 30.0 lowSpacing
            30.0 look | send 5 low
            """
        )
    }

    @Test func `with frequent pushes, turns go at priority 10 every few seconds`() throws {
        try expect(
            """
            0.0 turn | send 10 turn
            0.1 ok | idle nothingPending
            0.5 turn | wait 3.0 turnSpacing
            1.0 turn | wait 3.0 turnSpacing
            3.0 look | send 10 turn
            """
        )
    }

    @Test func `without frequent pushes, turns go at priority 5 at longer intervals`() throws {
        try expect(
            frequent: false,
            """
            0.0 turn | send 5 turnWithoutFrequentPushes
            0.1 ok | idle nothingPending
            0.5 turn | wait 30.0 turnSpacing
            30.0 look | send 5 turnWithoutFrequentPushes
            """
        )
    }

    @Test func `a turn brings waiting small changes forward`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingPending
            1.0 loot | wait 10.0 lowSpacing
            2.0 turn | wait 3.0 turnSpacing
            4.0 look | send 10 turn
            """
        )
    }

    @Test func `a turn is demoted when only the reserve of alerts is left`() throws {
        try expect(
            change: {
                $0.frequent.highCapacity = 5
                $0.frequent.alertReserve = 3
                $0.frequent.highRefill = .seconds(60)
            },
            """
            0.0 turn | send 10 turn
            0.1 ok | idle nothingPending
            3.0 turn | send 10 turn
            3.1 ok | idle nothingPending
            6.0 turn | send 5 turnDemoted
            6.1 ok | idle nothingPending
            7.0 down 1 | send 10 alert companionDown(1)
            7.1 ok | idle nothingPending
            """
        )
    }

    @Test func `a push that certainly failed is refunded, and one that may have arrived is not`() throws {
        for (failure, next) in [("retry", "send 10 end"), ("lost", "send 5 end")] {
            try expect(
                frequent: false,
                change: {
                    $0.standard.highCapacity = 3
                    $0.standard.alertReserve = 2
                },
                """
                0.0 over | send 10 end
                0.1 \(failure) 5 | wait 5.1 backingOff
                5.1 look | \(next)
                """
            )
        }
    }

    @Test func `the activities of a phone share one budget`() throws {
        let start = Transcript.start
        var policy = CadencePolicy()
        policy.standard.alertReserve = policy.standard.highCapacity - 1
        var budget = DeviceBudget(policy.standard)
        // One push beyond the reserve of alerts is left, and the first activity spends it.
        for priority in [PushPriority.high, .low] {
            var cadence = ActivityCadence(
                policy: policy,
                frequentPushesEnabled: false,
                startedAt: start,
                resuming: nil,
                acknowledgedAt: 0
            )
            cadence.pushRequested(moment: 1, at: start)
            guard case .send(let push) = cadence.next(at: start, showing: 1, spending: &budget) else {
                Issue.record("not sent")
                return
            }
            #expect(push.priority == priority)
        }
    }

    @Test func `a push that APNs rejects for good is not retried`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 refused | idle nothingPending; drop state rejected
            2.0 down 1 | send 10 alert companionDown(1)
            2.1 refused | wait 12.0 lowSpacing; drop companionDown(1) rejected
            12.0 look | send 5 low
            12.1 ok | idle nothingPending
            19.0 over | send 10 end
            19.1 refused | idle ended; drop end rejected
            """
        )
    }

    @Test func `a resumed cadence assumes that only the reserve of alerts is left`() throws {
        try expect(
            resuming: Transcript.start.epochSeconds - 2,
            """
            0.0 turn | wait 1.0 turnSpacing
            1.0 look | send 5 turnDemoted
            1.1 ok | idle nothingPending
            3.0 down 1 | send 10 alert companionDown(1)
            """
        )
    }
}
