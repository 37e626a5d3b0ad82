import PushCadence
import Testing

/// Activities that the device starts at a scheduled time.
struct CadenceScheduleTests {
    @Test func `a scheduled activity gets nothing before its start, and then the current state`() throws {
        try expect(
            startsAfter: .seconds(60),
            """
            0.0 token | wait 60.0 scheduled
            10.0 loot | wait 60.0 scheduled
            20.0 boss | wait 60.0 scheduled
            60.0 look | send 10 alert bossAppeared
            60.1 ok | idle nothingPending
            61.5 turn | wait 63.0 turnSpacing
            63.0 look | send 10 turn
            """
        )
    }

    @Test func `an end is the only push before the start`() throws {
        try expect(
            startsAfter: .seconds(60),
            """
            0.0 token | wait 60.0 scheduled
            1.0 won | wait 60.0 scheduled
            2.0 over | send 10 end; drop bossDefeated cancelledByEnd
            2.1 retry 5 | wait 7.1 backingOff
            7.1 look | send 10 end
            7.2 ok | idle ended
            60.0 look | idle ended
            """
        )
    }

    @Test func `the age of a scheduled activity counts from its start`() throws {
        try expect(
            startsAfter: .seconds(3_600),
            """
            0.0 token | wait 3600.0 scheduled
            3600.0 look | send 5 newToken
            3600.1 ok | idle nothingPending
            30899.9 look | idle nothingPending
            30900.0 look | send 5 activityEndsSoon
            30900.1 ok | idle nothingPending
            31680.0 look | send 10 end tooOld
            """
        )
    }

    @Test func `the app may announce another start`() throws {
        try expect(
            startsAfter: .seconds(3_600),
            """
            0.0 token | wait 3600.0 scheduled
            1.0 starts 30 | wait 30.0 scheduled
            30.0 look | send 5 newToken
            30.1 ok | idle nothingPending
            """
        )
    }
}
