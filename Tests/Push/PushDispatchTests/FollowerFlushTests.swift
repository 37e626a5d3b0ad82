import Simulation
import Testing

/// What a shard stores, and from where on its log is read again.
struct FollowerFlushTests {
    @Test func `dead tokens and first states are flushed at once, and plain states later`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B fight 1 | send B p5 newToken #2
            1.2 ok #1 | -
            1.2 gone #2 | forget token
            2 flush | flush to 3, A live sent 1 shown 1.0, B dead sent 1 shown 1.000001, log of A, log of B
            5 attack fight | send A p10 turn #3
            5.1 ok #3 | -
            6 flush | -
            7 flushAll | flush to 4, A live sent 5 shown 5.0, B dead sent 1 shown 5.0, log of A, log of B
            8 flushAll | -
            """
        )
    }

    @Test func `a timestamp that is ahead, since the clock was set back, is flushed at once`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 flush | flush to 2, A live sent 1 shown 1.0, log of A
            3 ahead A 60 | -
            4 restart | proven
            5 attack fight | wait turnSpacing; wake 7.0
            7 look | send A p5 turnDemoted #2
            7.1 ok #2 | -
            8 flush | flush to 3, A live sent 61 shown 5.0, log of A
            """
        )
    }

    @Test func `an alert is flushed when it is accepted, and the end after it`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 over fight | send A p10 adventureOver #2
            2.1 ok #2 | wait minimumSpacing; wake 3.0
            2.2 flush | flush to 3, pending 2.0, A live sent 2 shown 1.999999 accepted adventureOver, log of A
            3 look | send A p10 end #3
            3.1 flush | -
            3.2 ok #3 | -
            4 flush | flush to 3, A ended sent 3 shown 2.0, log of A
            5 flush | -
            """
        )
    }

    @Test func `a change that waits is flushed for operators after five seconds`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 flushAll | flush to 2, A live sent 1 shown 1.0, log of A
            2 renew 1 | -
            15 clock | wake 20.0
            16 flushAll | -
            20 flushAll | wake 25.0
            20.1 flushAll | flush to 2, pending 15.0
            21 renew 100 | -
            25 look | send A p10 turn #2
            25.1 ok #2 | -
            26 flushAll | flush to 2, A live sent 25 shown 15.0, log of A
            """
        )
    }

    @Test func `a change that waits for a token that APNs has only rejected is not flushed for operators`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1 bad #1 | wait backingOff; wake 11.0
            2 flushAll | flush to 2, A live sent 1 shown 0.999999, log of A
            10 flushAll | -
            11 look | send A p5 newToken #2
            11 ok #2 | -
            12 flushAll | flush to 2, A live sent 11 shown 1.0, log of A
            """
        )
    }

    @Test func `a batch that is not stored is part of the next one`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B fight 1 | send B p5 newToken #2
            1.1 ok #1 | -
            1.1 ok #2 | -
            2 request A | send A p10 requested #3 for 4
            2.1 ok #3 | -
            2.2 release B | -
            3 take | flush to 5, A live sent 2 shown 2.0, B live sent 1 shown 1.000001, log of A, log of B, report for 4: ok
            4 failed | -
            5 take | flush to 5, A live sent 2 shown 2.0, B live sent 1 shown 1.000001, log of A, log of B, report for 4: ok
            5.1 stored | -
            6 flush | -
            """
        )
    }

    @Test func `nothing is left to flush of a released activity`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            1.5 policy fight | wait lowSpacing; wake 11.0
            2 release A | -
            3 flush | flush to 4, A live sent 1 shown 1.499999, log of A
            4 flush | -
            5 flushAll | flush to 4
            6 flushAll | -
            """
        )
    }

    @Test func `the report of a later try replaces one that was not stored`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 request A | send A p10 requested #2 for 3
            2.1 busy #2 | wait minimumSpacing; wake 3.0
            2.2 take | flush to 2, pending 2.0, A live sent 2 shown 1.999999, log of A, report for 3: busy
            3 look | send A p10 requested #3 for 3
            3.1 ok #3 | -
            3.2 failed | -
            4 take | flush to 3, A live sent 3 shown 2.0, log of A, report for 3: ok
            """
        )
    }

    @Test func `an activity that has changed while a batch is stored is part of the next one`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 take | flush to 2, A live sent 1 shown 1.0, log of A
            3 request A | send A p10 requested #2 for 3
            3.1 ok #2 | -
            4 stored | -
            5 flush | flush to 3, A live sent 3 shown 3.0, log of A, report for 3: ok
            """
        )
    }

    @Test func `an activity with a newer token than the one whose end is stored is closed, too`() throws {
        let shard = try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 leave fight 0 | send A p10 end #2
            2.1 ok #2 | -
            3 take | flush to 3, A ended sent 2 shown 2.0, log of A
            4 token A | -
            5 stored | -
            6 flush | -
            """
        )
        #expect(shard.activityCount == 0)
    }

    @Test func `the checkpoint stays before a requested push until that is stored`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            2 request A | -
            3 policy fight | -
            4 flush | -
            5 ok #1 | send A p10 requested #2 for 3
            6 flush | flush to 2, pending 2.0, A live sent 5 shown 1.999999, log of A
            6.1 ok #2 | -
            7 flush | flush to 4, A live sent 5 shown 3.0, log of A, report for 3: ok
            """
        )
    }

    @Test func `a requested push is read again from the checkpoint`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            1.2 flush | flush to 2, A live sent 1 shown 1.0, log of A
            2 request A | send A p10 requested #2 for 3
            2.1 flush | -
            5 restart | proven; send A p5 requested #3 for 3 due 2.0
            5.1 ok #3 | -
            6 flush | flush to 3, A live sent 5 shown 2.0, log of A, report for 3: ok
            9 restart | proven
            """
        )
    }

    /// The end is reported for a request at position 3 that was read before a checkpoint was stored.
    @Test func `a checkpoint never goes back`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            2 request A | -
            3 gone #1 | forget token
            4 flush | flush to 3, A dead sent 1 shown 2.0, log of A
            5 token A | send A p5 newToken #2
            5.2 ok #2 | -
            6 over fight | send A p10 adventureOver #3
            7 ok #3 | send A p10 end #4 for 3
            7.1 flush | flush to 3, pending 6.0, A live sent 7 shown 5.999999 accepted adventureOver, log of A
            9 ok #4 | -
            9.1 flush | flush to 5, A ended sent 7 shown 6.0, log of A, report for 3: ok
            """
        )
    }

    @Test func `an activity with a dead token is kept until that is stored, however long it takes`() throws {
        let shard = try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 gone #1 | forget token
            2 take | flush to 2, A dead sent 1 shown 1.0, log of A
            800 ages | -
            801 failed | -
            802 flush | flush to 2, A dead sent 1 shown 1.0, log of A
            803 ages | -
            """
        )
        #expect(shard.activityCount == 0)
    }
}
