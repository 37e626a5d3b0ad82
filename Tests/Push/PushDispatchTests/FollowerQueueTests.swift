import Simulation
import Testing

/// The limit of pushes in flight, and the circuit breaker.
struct FollowerQueueTests {
    @Test func `activities wait for pushes to land, urgent ones first`() throws {
        try expectTranscript(
            playing: ["fight", "walk"],
            maxInFlight: 1,
            """
            1 register A fight 0 | send A p5 newToken #1
            2 register C walk 0 | wait concurrencyLimit
            3 register B fight 1 | wait concurrencyLimit
            4 over fight | -
            5 ok #1 | wait concurrencyLimit; send B p10 adventureOver #2 due 4.0
            5.1 ok #2 | wait concurrencyLimit; send A p10 adventureOver #3 due 5.0
            6.2 ok #3 | wait concurrencyLimit; send B p10 end #4 due 5.1
            6.3 ok #4 | send A p10 end #5 due 6.2
            7 ok #5 | send C p5 newToken #6 due 2.0
            8 ok #6 | -
            """
        )
    }

    @Test func `an activity with a push in flight does not wait for another one to land`() throws {
        try expectTranscript(
            maxInFlight: 1,
            """
            1 register A fight 0 | send A p5 newToken #1
            2 policy fight | -
            3 ok #1 | wait lowSpacing; wake 11.0
            """
        )
    }

    @Test func `an activity that is released while it waits is passed over`() throws {
        try expectTranscript(
            maxInFlight: 1,
            """
            1 register A fight 0 | send A p5 newToken #1
            2 register B fight 1 | wait concurrencyLimit
            3 register C fight 1 | wait concurrencyLimit
            4 release B | -
            5 ok #1 | send C p5 newToken #2 due 3.0
            6 ok #2 | -
            """
        )
    }

    @Test func `an open circuit breaker delays pushes, and an accepted probe lets them go on`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B fight 1 | send B p5 newToken #2
            1.1 ok #1 | -
            1.1 ok #2 | -
            5 attack fight | send A p10 turn #3; send B p10 turn #4
            5.1 forbidden #3 | wait backingOff; wake 15.1
            5.1 forbidden #4 | wait backingOff
            15.1 look | send A p10 turn #5; send B p10 turn #6
            15.2 forbidden #5 | wait breakerOpen; wake 35.2
            15.3 forbidden #6 | wait breakerOpen
            20 over fight | drop ownTurn of B cancelledByEnd; wait breakerOpen; wait breakerOpen
            40 look | wait breakerOpen; wait breakerOpen; wake 55.2
            60 look | send A p10 adventureOver #7 due 55.2; wait breakerOpen; wake 80.0
            60.1 ok #7 | wait minimumSpacing; wake 61.0
            61 look | send A p10 end #8; wake 80.0
            61.1 ok #8 | -
            80 look | send B p10 adventureOver #9
            """
        )
    }

    @Test func `invalid tokens are tried again rarely, and delay no proven one`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 register B fight 1 | send B p5 newToken #2
            2 register C fight 1 | send C p5 newToken #3
            2 register D fight 1 | send D p5 newToken #4
            2.1 bad #2 | forget token
            2.1 bad #3 | forget token
            2.1 bad #4 | forget token
            3 register E fight 1 | send E p5 newToken #5
            3.1 bad #5 | wait backingOff; wake 13.1
            5 attack fight | send A p10 turn #6; wait backingOff
            5.1 ok #6 | -
            13.1 look | send E p10 newToken #7
            """
        )
    }
}
