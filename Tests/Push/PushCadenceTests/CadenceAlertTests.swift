import PushCadence
import Testing

/// Alerts: when they are sent, combined, cancelled or dropped.
struct CadenceAlertTests {
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
            0.2 retry 1 | wait 10.0 lowSpacing; drop companionDown(1) cancelledByEvent
            10.0 look | send 5 low
            """
        )
    }

    @Test(arguments: [true, false])
    func `an alert that is cancelled before it is sent leaves a small change, which goes at priority 5`(frequent: Bool)
        throws
    {
        let due = frequent ? "10.0" : "30.0"
        try expect(
            frequent: frequent,
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingPending
            0.2 down 1 | wait 1.0 minimumSpacing
            0.3 up 1 | wait \(due) lowSpacing; drop companionDown(1) cancelledByEvent
            \(due) look | send 5 low
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
            11.0 look | wait 13.0 lowSpacing; drop companionDown(1) expired
            13.0 look | send 5 low
            """
        )
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
            2.0 down 2 | wait 30.0 lowSpacing
            30.0 look | send 5 low
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

    @Test func `the alert of a hero who left is cancelled`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.2 down 1 | idle inFlight
            0.3 left 1 | idle inFlight; drop companionDown(1) cancelledByEvent
            """
        )
    }

    @Test func `a hero in danger comes before the own turn, and a gain of health or the fall cancels its alert`() throws
    {
        try expect(
            """
            0.0 own | send 10 alert ownTurn
            0.1 own | idle inFlight
            0.1 +hit | idle inFlight
            0.2 ok | wait 1.0 minimumSpacing
            1.0 look | send 10 alert heroInDanger
            1.1 hit | idle inFlight
            1.2 healed | idle inFlight; drop heroInDanger cancelledByEvent
            1.3 hit | idle inFlight
            1.4 down 0 | idle inFlight; drop heroInDanger cancelledByEvent
            1.5 ok | wait 2.0 minimumSpacing
            2.0 look | send 10 alert ownHeroDown
            2.1 ok | wait 3.0 minimumSpacing
            3.0 look | send 10 alert ownTurn
            """
        )
    }

    @Test func `a hero in danger takes nothing of the reserve, which heavier alerts need`() throws {
        // Two of six pushes are not reserved: the third alert waits, and the heavier ones after it do not.
        try expect(
            frequent: false,
            """
            0.0 hit | send 10 alert heroInDanger
            0.1 ok | idle nothingPending
            1.0 hit | send 10 alert heroInDanger
            1.1 ok | idle nothingPending
            2.0 hit | wait 31.0 lowSpacing
            3.0 down 1 | send 10 alert companionDown(1)
            3.1 ok | wait 800.0 budget
            4.0 down 2 | send 10 alert companionDown(2)
            4.1 ok | wait 1200.0 budget
            5.0 down 0 | send 10 alert ownHeroDown; drop heroInDanger starved
            5.1 ok | idle nothingPending
            6.0 wiped | send 10 alert partyWiped
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
}
