import PushCadence
import Testing

/// New, replaced and dead tokens.
struct CadenceTokenTests {
    @Test func `a new token gets the current state at once`() throws {
        try expect(
            frequent: false,
            """
            0.0 token | send 5 newToken
            0.1 ok | idle nothingPending
            0.2 loot | wait 30.0 lowSpacing
            2.0 token | send 5 newToken
            2.1 ok | idle nothingPending
            4.0 token | send 5 newToken
            """
        )
    }

    @Test(arguments: [true, false])
    func `a new token gets a pending turn at the priority of a turn`(frequent: Bool) throws {
        try expect(
            frequent: frequent,
            """
            0.0 turn | send \(frequent ? "10 turn" : "5 turnWithoutFrequentPushes")
            0.1 ok | idle nothingPending
            1.0 turn | wait \(frequent ? "3.0" : "30.0") turnSpacing
            1.5 token | send \(frequent ? "10" : "5") newToken
            1.6 ok | idle nothingPending
            """
        )
    }

    @Test func `a state or end sent to an old token is pending for the new one`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 token | idle inFlight
            0.2 ok | wait 1.0 minimumSpacing
            1.0 look | send 5 newToken
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
            1.0 look | send 5 newToken
            1.1 ok | idle nothingPending
            5.0 over | send 10 end
            5.1 token | idle inFlight
            5.2 refused | wait 6.0 minimumSpacing
            6.0 look | send 10 end
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
}
