import Simulation
import Testing

/// Logs and clocks that are not the ones that were read: the database lost commits.
struct FollowerForkTests {
    @Test func `an accepted alert is not repeated after a failover that lost its flush`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 over fight | send A p10 adventureOver #2
            2.1 save | -
            2.2 ok #2 | wait minimumSpacing; wake 3.0
            2.3 flush | flush to 3, pending 2.0, A live sent 2 shown 1.999999 accepted adventureOver, log of A
            2.4 clock | -
            2.5 failover | fork; wait minimumSpacing
            4 look | send A p10 end #3 due 3.0
            """
        )
    }

    @Test func `a clock before that up to which an adventure was loaded belongs to another history`() throws {
        try expectTranscript(
            """
            1 blind | -
            1 register A fight 0 | -
            1.1 save | -
            1.5 readHead | -
            2 clock | -
            3 seeing | send A p5 newToken #1 due 1.0
            3.1 failover | fork; wait minimumSpacing; wake 4.0
            4 look | send A p5 newToken #2
            """
        )
    }

    @Test func `a log that ends before what was read is loaded anew, and phones get the current state`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 save | -
            4 attack fight | send A p10 turn #2
            4.1 ok #2 | -
            5 failover | fork; send A p5 newToken #3
            5.1 ok #3 | -
            """
        )
    }

    @Test func `a log with other entries is loaded anew`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 save | -
            3 policy fight | wait lowSpacing; wake 11.0
            4 blind | -
            4 failover | -
            5 attack fight | -
            6 seeing | fork; send A p10 newToken #2
            6.1 ok #2 | -
            """
        )
    }

    @Test func `an activity whose end was stored gets nothing more, although the database has lost that`() throws {
        let shard = try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            1.2 flush | flush to 2, A live sent 1 shown 1.0, log of A
            1.3 save | -
            2 requestEnd A | send A p10 end requested #2 for 3
            2.1 ok #2 | -
            2.2 flush | flush to 3, A ended sent 2 shown 2.0, log of A, report for 3: ok
            2.3 ages | -
            3 failover | fork; proven
            4 flush | flush to 2, A ended sent 2 shown 1.0, log of A
            """
        )
        #expect(shard.activityCount == 0)
    }

    @Test func `an activity that the database lost, and the app registers again, gets later timestamps`() throws {
        try expectTranscript(
            """
            1 save | -
            2 register A fight 0 | send A p5 newToken #1
            2.1 ok #1 | -
            2.2 failover | fork
            2.3 register A fight 0 | wait minimumSpacing; wake 3.0
            4 look | send A p5 newToken #2 due 3.0
            """
        )
    }

    @Test func `a clock that went back is loaded anew`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            15 clock | send A p10 turn #2
            15.1 ok #2 | -
            16 clockBack 10 | fork; send A p5 newToken #3
            16.1 ok #3 | -
            25 clock | send A p10 turn #4 due 15.0
            """
        )
    }

    @Test func `a log with an entry that is earlier than the clock was is loaded anew`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            15 clock | send A p10 turn #2
            15.1 ok #2 | -
            16 blind | -
            16 clockBack 10 | -
            17 policy fight | -
            27 clock | -
            28 seeing | fork; send A p10 newToken #3
            28.1 ok #3 | -
            """
        )
    }

    @Test func `a log that differs from the one up to which an adventure was loaded is loaded anew`() throws {
        try expectTranscript(
            """
            1 blind | -
            1 register A fight 0 | -
            2 policy fight | -
            2 save | -
            3 attack fight | -
            4 page 1 | -
            5 failover | -
            6 policy fight | -
            7 seeing | fork; send A p5 newToken #1
            7.1 ok #1 | -
            """
        )
    }

    @Test func `a log that differs from the one that was loaded at the start is loaded anew`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            1.2 flush | flush to 2, A live sent 1 shown 1.0, log of A
            2 save | -
            3 policy fight | wait lowSpacing; wake 11.0
            4 blind | -
            4 failover | -
            5 attack fight | -
            6 seeing | fork; proven; send A p10 newToken #2
            6.2 ok #2 | -
            9 takeOver lost | proven; fork; proven; send A p5 newToken #3
            9.1 ok #3 | -
            """
        )
    }

    @Test func `nothing follows an end, and no dead token is used, when the log is loaded anew`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B fight 1 | send B p5 newToken #2
            1 register C fight 0 | send C p5 newToken #3
            1.1 gone #1 | forget token
            1.1 ok #2 | -
            1.1 ok #3 | -
            1.2 save | -
            2 leave fight 1 | send B p10 end #4; wait lowSpacing; wake 11.0
            2.1 ok #4 | -
            3 failover | fork; send C p5 newToken #5
            3.1 ok #5 | -
            6 attack fight | send C p10 turn #6
            6.1 ok #6 | -
            7 token A | send A p10 newToken #7
            8 flush | flush to 6, pending 1.0, A live sent 7 shown 0.999999, B ended sent 2 shown 1.0, C live sent 6 shown 6.0, log of A, log of C
            """
        )
    }

    @Test func `a dead token is not used again, although the database has lost the one that replaced it`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 save | -
            1.2 gone #1 | forget token
            2 token A | send A p5 newToken #2
            2.1 ok #2 | -
            3 failover | fork
            4 flush | flush to 2, A dead sent 2 shown 0.999999
            5 token A | send A p5 newToken #3
            5.1 ok #3 | -
            """
        )
    }

    @Test func `the answer to a push of the lost history changes nothing, and timestamps grow`() throws {
        let shard = try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 save | -
            1.2 policy fight | -
            1.3 failover | fork; wait minimumSpacing; wake 2.0
            1.4 gone #1 | -
            2 look | send A p5 newToken #2
            2.1 ok #2 | -
            3 flush | flush to 2, A live sent 2 shown 1.0, log of A
            """
        )
        #expect(shard.timestamps == [1, 2])
    }
}
