import PushCadence
import Testing

/// The end of an activity: of its adventure, because of its age, or by a newer activity.
struct CadenceEndTests {
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
            1.0 down 2 | wait 30.0 lowSpacing
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
            2.2 ok | wait 32.0 lowSpacing
            32.0 look | send 5 low
            32.1 ok | wait 60.0 budget
            60.0 look | send 10 alert adventureOver
            60.1 ok | wait 61.0 minimumSpacing
            61.0 look | send 5 end
            61.1 ok | idle ended
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

    @Test func `after the alert of the outcome, the end goes at priority 5 if budget is short`() throws {
        try expect(
            frequent: false,
            """
            0.0 boss | send 10 alert bossAppeared
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
}
