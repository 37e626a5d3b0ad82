import Encodings
import GameCore
import PushCadence
import PushRules
import Testing

struct ActivityCadenceTests {
    private func expect(
        frequent: Bool = true,
        age: Duration = .zero,
        resuming lastTimestamp: Int64? = nil,
        change: (inout CadencePolicy) -> Void = { _ in },
        _ script: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var policy = CadencePolicy()
        change(&policy)
        var transcript = Transcript(
            ActivityCadence(
                policy: policy,
                frequentPushesEnabled: frequent,
                startedAt: Transcript.start - age,
                resuming: lastTimestamp,
                acknowledgedPosition: 0
            ),
            DeviceBudget(
                policy.pace(frequentPushesEnabled: frequent),
                lastPush: lastTimestamp.map(Timestamp.init(epochSeconds:))
            )
        )
        #expect(try transcript.play(script) == script, sourceLocation: sourceLocation)
    }

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

    @Test(arguments: [true, false])
    func `an alert goes at once at priority 10, with the newest state`(frequent: Bool) throws {
        try expect(
            frequent: frequent,
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingPending
            1.0 loot | wait \(frequent ? "10.0" : "30.0") lowSpacing
            2.0 down 1 | send 10 alert companionDown(1)
            2.1 ok | idle nothingPending
            """
        )
    }

    @Test func `each push carries one alert, and a second has one push`() throws {
        try expect(
            """
            0.0 down 1 | send 10 alert companionDown(1)
            0.1 down 2 | idle inFlight
            0.2 ok | wait 1.0 minimumSpacing
            1.0 look | send 10 alert companionDown(2)
            1.2 ok | idle nothingPending
            """
        )
    }

    @Test func `several events of one moment have an alert each`() throws {
        try expect(
            """
            0.0 turn | send 10 turn
            0.1 own | idle inFlight
            0.1 +down 1 | idle inFlight
            0.2 ok | wait 1.0 minimumSpacing
            1.0 look | send 10 alert companionDown(1)
            1.1 +down 2 | idle inFlight
            1.2 ok | wait 2.0 minimumSpacing
            2.0 look | send 10 alert companionDown(2)
            2.1 ok | wait 3.0 minimumSpacing
            3.0 look | send 10 alert ownTurn
            3.1 ok | idle nothingPending
            """
        )
    }

    @Test func `the revival of a hero cancels the alert`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingPending
            0.2 down 1 | wait 1.0 minimumSpacing
            0.3 down 2 | wait 1.0 minimumSpacing
            0.4 up 1 | wait 1.0 minimumSpacing; drop companionDown(1) cancelledByEvent
            1.0 look | send 10 alert companionDown(2)
            """
        )
    }

    @Test func `an alert that is cancelled in flight is not retried`() throws {
        try expect(
            """
            0.0 down 1 | send 10 alert companionDown(1)
            0.1 up 1 | idle inFlight
            0.2 retry 1 | wait 3.0 turnSpacing; drop companionDown(1) cancelledByEvent
            """
        )
    }

    @Test func `an alert whose push failed is retried until it expires`() throws {
        try expect(
            change: { $0.alertExpiry = .seconds(10) },
            """
            0.0 down 1 | send 10 alert companionDown(1)
            1.0 retry 2 | wait 3.0 backingOff
            3.0 look | send 10 alert companionDown(1)
            4.0 retry 7 | wait 11.0 backingOff
            11.0 look | send 10 turn; drop companionDown(1) expired
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

    @Test func `while an alert waits for budget, the state goes ahead at priority 5`() throws {
        try expect(
            frequent: false,
            change: {
                $0.standard.highCapacity = 3
                $0.standard.alertReserve = 2
                $0.standard.highRefill = .seconds(60)
            },
            """
            0.0 down 1 | send 10 alert companionDown(1)
            0.1 ok | idle nothingPending
            2.0 down 2 | wait 30.0 turnSpacing
            30.0 look | send 5 turnWithoutFrequentPushes
            30.1 ok | wait 60.0 budget
            60.0 look | send 10 alert companionDown(2)
            """
        )
    }

    @Test func `the alert of an own turn goes at once, and the end of the turn cancels it`() throws {
        try expect(
            """
            0.0 own | send 10 alert ownTurn
            0.1 ok | idle nothingPending
            0.5 acted | wait 3.0 turnSpacing
            3.0 look | send 10 turn
            3.1 ok | idle nothingPending
            3.2 own | wait 4.0 minimumSpacing
            3.3 acted | wait 6.0 turnSpacing; drop ownTurn cancelledByEvent
            """
        )
    }

    @Test func `the alert of a hero who is down precedes that of a turn, and has a reserve`() throws {
        try expect(
            frequent: false,
            change: {
                $0.standard.highCapacity = 5
                $0.standard.alertReserve = 4
                $0.standard.highRefill = .seconds(600)
            },
            """
            0.0 own | send 10 alert ownTurn
            0.1 ok | idle nothingPending
            0.2 acted | wait 30.0 turnSpacing
            1.0 own | wait 30.0 turnSpacing
            1.1 down 1 | send 10 alert companionDown(1)
            1.2 ok | wait 1200.0 budget
            9.0 acted | wait 31.1 turnSpacing; drop ownTurn starved
            """
        )
    }

    @Test func `an activity says that it ends soon, and is ended before the system ends it`() throws {
        // Eight hours less 25 minutes are 27,300 s; less twelve, 28,080 s.
        try expect(
            age: .seconds(26_400),
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingPending
            900.0 look | send 5 activityEndsSoon
            900.1 ok | idle nothingPending
            1000.0 down 1 | send 10 alert companionDown(1)
            1000.1 ok | idle nothingPending
            1679.9 look | idle nothingPending
            1680.0 look | send 10 end tooOld
            1680.1 retry 5 | wait 1685.1 backingOff
            1685.1 look | send 10 end tooOld
            1685.2 ok | idle ended
            1700.0 down 2 | idle ended
            """
        )
    }

    @Test func `a failed age warning is retried, and a late one gives way to the end`() throws {
        try expect(
            age: .seconds(27_300),
            """
            0.0 look | send 5 activityEndsSoon
            0.1 retry 20 | wait 20.1 backingOff
            20.1 look | send 5 activityEndsSoon
            20.2 ok | idle nothingPending
            """
        )
        try expect(age: .seconds(28_800), "0.0 look | send 10 end tooOld")
    }

    @Test func `a replaced activity is ended, and its alerts are cancelled`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingPending
            0.2 down 1 | wait 1.0 minimumSpacing
            0.3 replaced | wait 1.0 minimumSpacing; drop companionDown(1) cancelledByEnd
            1.0 look | send 10 end replaced
            1.1 ok | idle ended
            """
        )
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
                acknowledgedPosition: 0
            )
            cadence.currentStateRequired(position: 1, at: start)
            guard case .send(let push) = cadence.next(at: start, showing: 1, spending: &budget) else {
                Issue.record("not sent")
                return
            }
            #expect(push.priority == priority)
        }
    }

    @Test func `a full queue drops its oldest alert`() throws {
        try expect(
            change: { $0.maxQueuedAlerts = 2 },
            """
            0.0 loot | send 5 low
            0.1 down 1 | idle inFlight
            0.2 down 2 | idle inFlight
            0.3 down 3 | idle inFlight; drop companionDown(1) queueFull
            """
        )
    }

    @Test func `the alert of the outcome precedes the end, and the others are cancelled`() throws {
        try expect(
            """
            0.0 turn | send 10 turn
            0.1 down 1 | idle inFlight
            0.2 won | idle inFlight
            0.3 over | idle inFlight; drop companionDown(1) cancelledByEnd
            0.4 ok | wait 1.0 minimumSpacing
            1.0 look | send 10 alert bossDefeated
            1.1 ok | wait 2.0 minimumSpacing
            2.0 look | send 10 end
            2.1 ok | idle ended
            3.0 loot | idle ended
            4.0 token | idle ended
            """
        )
    }

    @Test func `the end of a completed journey has an alert of its own`() throws {
        try expect(
            """
            0.0 completed | send 10 alert adventureOver
            0.1 ok | wait 1.0 minimumSpacing
            1.0 look | send 10 end
            """
        )
    }

    @Test func `an end is retried until it is accepted`() throws {
        try expect(
            """
            0.0 over | send 10 end
            0.1 retry 5 | wait 5.1 backingOff
            5.1 look | send 10 end
            5.2 retry 60 | wait 65.2 backingOff
            65.2 look | send 10 end
            65.3 ok | idle ended
            """
        )
    }

    @Test func `the end reserve suffices for the alert of the outcome, and the end goes at priority 5`() throws {
        try expect(
            frequent: false,
            change: {
                $0.standard.highCapacity = 3
                $0.standard.alertReserve = 2
            },
            """
            0.0 down 1 | send 10 alert companionDown(1)
            0.1 ok | idle nothingPending
            1.0 down 2 | wait 30.0 turnSpacing
            2.0 wiped | send 10 alert partyWiped
            2.1 over | idle inFlight; drop companionDown(2) starved
            2.2 ok | wait 3.0 minimumSpacing
            3.0 look | send 5 end
            """
        )
    }

    @Test func `while the alert of the outcome waits for budget, the activity shows the final state`() throws {
        try expect(
            frequent: false,
            change: {
                $0.standard.highCapacity = 3
                $0.standard.alertReserve = 2
                $0.standard.highRefill = .seconds(60)
            },
            """
            0.0 down 0 | send 10 alert ownHeroDown
            0.1 ok | idle nothingPending
            1.0 boss | send 10 alert bossAppeared
            1.1 ok | idle nothingPending
            2.0 won | send 10 alert bossDefeated
            2.1 completed | idle inFlight
            2.2 ok | wait 32.0 turnSpacing
            32.0 look | send 5 turnWithoutFrequentPushes
            32.1 ok | wait 60.0 budget
            60.0 look | send 10 alert adventureOver
            60.1 ok | wait 61.0 minimumSpacing
            61.0 look | send 5 end
            61.1 ok | idle ended
            """
        )
    }

    @Test func `alerts of companions are combined, and those of revived ones are cancelled`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 down 1 | idle inFlight
            0.2 down 2 | idle inFlight
            0.3 down 3 | idle inFlight
            0.4 down 0 | idle inFlight
            0.5 up 2 | idle inFlight; drop companionDown(2) cancelledByEvent
            0.6 ok | wait 1.0 minimumSpacing
            1.0 look | send 10 alert ownHeroDown
            1.1 ok | wait 2.0 minimumSpacing
            2.0 look | send 10 alert companionDown(3) and 1 more
            2.1 up 1 | idle inFlight
            2.2 retry 1 | wait 3.2 backingOff; drop companionDown(1) cancelledByEvent
            3.2 look | send 10 alert companionDown(3)
            """
        )
    }

    @Test func `a member who leaves gets the end, and nothing afterwards`() throws {
        try expect(
            """
            0.0 left 1 | send 5 low
            0.1 ok | idle nothingPending
            1.0 left 0 | send 10 end
            1.1 ok | idle ended
            2.0 down 1 | idle ended
            """
        )
    }

    @Test func `a new token gets the current state at once`() throws {
        try expect(
            frequent: false,
            """
            0.0 token | send 10 newToken
            0.1 ok | idle nothingPending
            0.2 loot | wait 30.0 lowSpacing
            2.0 token | send 10 newToken
            2.1 ok | idle nothingPending
            4.0 token | send 5 newToken
            """
        )
    }

    @Test func `a state or end sent to an old token is pending for the new one`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 token | idle inFlight
            0.2 ok | wait 1.0 minimumSpacing
            1.0 look | send 10 newToken
            1.1 ok | idle nothingPending
            5.0 over | send 10 end
            5.1 token | idle inFlight
            5.2 ok | wait 6.0 minimumSpacing
            6.0 look | send 10 end
            6.1 ok | idle ended
            """
        )
    }

    @Test func `nothing is sent to a dead token, and its successor gets alerts, state and end`() throws {
        try expect(
            """
            0.0 down 1 | send 10 alert companionDown(1)
            0.1 dead | idle tokenDead
            1.0 down 2 | idle tokenDead
            2.0 token | send 10 alert companionDown(2) and 1 more
            2.1 ok | idle nothingPending
            3.0 loot | wait 12.0 lowSpacing
            12.0 look | send 5 low
            12.1 dead | idle tokenDead
            13.0 over | idle tokenDead
            14.0 token | send 10 end
            """
        )
    }

    @Test func `a failure of an old token does not affect the new one`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 token | idle inFlight
            0.2 retry 3600 | wait 1.0 minimumSpacing
            1.0 look | send 10 newToken
            1.1 ok | idle nothingPending
            5.0 over | send 10 end
            5.1 token | idle inFlight
            5.2 refused | wait 6.0 minimumSpacing
            6.0 look | send 10 end
            """
        )
    }

    @Test func `the alert of a hero who left is cancelled`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.2 down 1 | idle inFlight
            0.3 left 1 | idle inFlight; drop companionDown(1) cancelledByEvent
            """
        )
    }

    @Test func `an alert that is cancelled while it waits for budget has starved`() throws {
        try expect(
            frequent: false,
            change: {
                $0.standard.highCapacity = 3
                $0.standard.alertReserve = 2
            },
            """
            0.0 own | send 10 alert ownTurn
            0.1 acted | idle inFlight
            0.2 ok | wait 30.0 turnSpacing
            1.0 own | wait 30.0 turnSpacing
            5.0 acted | wait 30.0 turnSpacing; drop ownTurn starved
            """
        )
    }

    @Test func `after the alert of the outcome, the end goes at priority 5 if budget is short`() throws {
        try expect(
            frequent: false,
            """
            0.0 token | send 10 newToken
            0.1 ok | idle nothingPending
            5.0 completed | send 10 alert adventureOver
            5.1 ok | wait 6.0 minimumSpacing
            6.0 look | send 5 end
            6.1 ok | idle ended
            """
        )
    }

    @Test func `an age warning that a turn carried is not repeated`() throws {
        try expect(
            age: .seconds(28_000),
            """
            0.0 turn | send 10 turn
            0.1 ok | idle nothingPending
            """
        )
    }

    @Test func `a late report that an old token is dead does not affect the new one`() throws {
        try expect(
            """
            0.0 down 1 | send 10 alert companionDown(1)
            0.1 token | idle inFlight
            0.2 dead | wait 1.0 minimumSpacing
            1.0 look | send 10 alert companionDown(1)
            """
        )
    }

    @Test func `a push that APNs rejects for good is not retried`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 refused | idle nothingPending; drop state rejected
            2.0 down 1 | send 10 alert companionDown(1)
            2.1 refused | wait 5.0 turnSpacing; drop companionDown(1) rejected
            5.0 look | send 10 turn
            5.1 ok | idle nothingPending
            9.0 over | send 10 end
            9.1 refused | idle ended; drop end rejected
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
