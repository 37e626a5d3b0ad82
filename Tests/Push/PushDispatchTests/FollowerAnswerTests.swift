import PushCadence
import Simulation
import Testing

/// What a shard does with the answers of APNs.
///
/// Random delays are half of the longest ones.
struct FollowerAnswerTests {
    @Test func `a push whose answer is overdue is sent again, and a late answer to it changes nothing`() throws {
        let shard = try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            22.9 overdue | -
            24 overdue | wait backingOff; wake 24.25
            30 look | send A p5 newToken #2 due 24.25
            31 ok #1 | -
            32 ok #2 | -
            """
        )
        #expect(!shard.hasPushesInFlight)
    }

    @Test func `a push whose answer is overdue does not count as in flight`() throws {
        try expectTranscript(
            maxInFlight: 1,
            """
            1 register A fight 0 | send A p5 newToken #1
            2 register B fight 1 | wait concurrencyLimit
            24 overdue | wait concurrencyLimit; send B p5 newToken #2 due 2.0
            25 ok #2 | send A p5 newToken #3 due 24.0
            26 ok #1 | -
            """
        )
    }

    @Test func `a temporary rejection is retried with the newest state, at growing delays`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1 busy #1 | wait minimumSpacing; wake 2.0
            2 look | send A p5 newToken #2
            2 busy #2 | wait minimumSpacing; wake 3.0
            3 look | send A p5 newToken #3
            3 busy #3 | wait minimumSpacing; wake 4.0
            3.5 attack fight | wait minimumSpacing
            4 look | send A p10 newToken #4
            4 busy #4 | wait backingOff; wake 6.0
            6 look | send A p10 newToken #5
            6.2 ok #5 | -
            10 token A | send A p5 newToken #6
            11 busy #6 | wait backingOff; wake 11.25
            """
        )
    }

    @Test func `a rejection with Retry-After waits as long as APNs asks, an hour at most`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 busy #1 7 | wait backingOff; wake 8.45
            8.4 look | -
            8.45 look | send A p5 newToken #2
            9 busy #2 9000 | wait backingOff; wake 3609.5
            3609.4 look | -
            3609.5 look | send A p5 newToken #3
            """
        )
    }

    @Test func `a rejection that an operator must fix is retried after a long wait`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 forbidden #1 | wait backingOff; wake 11.2
            11.1 look | -
            11.2 look | send A p5 newToken #2
            """
        )
    }

    @Test func `a state that is rejected for good is dropped, and the next change is sent`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 tooLarge #1 | drop state of A rejected
            5 flush | flush to 2, A live sent 1 shown 1.0, log of A
            6 policy fight | wait lowSpacing; wake 11.0
            11 look | send A p5 low #2
            """
        )
    }

    @Test func `an alert that is rejected for good is dropped, and the state is sent without it`() throws {
        try expectTranscript(
            """
            1 register B fight 1 | send B p5 newToken #1
            1.2 ok #1 | -
            5 attack fight | send B p10 turn #2
            5.1 ok #2 | -
            20 clock | send B p10 ownTurn #3
            20.1 tooLarge #3 | drop ownTurn of B rejected; wait turnSpacing; wake 23.0
            23 look | send B p10 turn #4
            23.1 ok #4 | -
            """
        )
    }

    @Test func `an end that is rejected for good is the last push`() throws {
        let shard = try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 ok #1 | -
            2 leave fight 0 | send A p10 end #2
            2.1 tooLarge #2 | drop end of A rejected
            3 flush | flush to 3, A ended sent 2 shown 2.0, log of A
            """
        )
        #expect(shard.activityCount == 0)
    }

    @Test func `a dead token is not used again, and the next token is`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 gone #1 | forget token
            5 attack fight | -
            6 flush | flush to 3, A dead sent 1 shown 5.0, log of A
            7 token A | send A p5 newToken #2
            7.1 ok #2 | -
            8 flush | flush to 4, A live sent 7 shown 7.0, log of A
            """
        )
    }

    @Test func `a 410 that is older than the registration of the token is excused once`() throws {
        try expectTranscript(
            """
            5 register A fight 0 | send A p5 newToken #1
            5.2 gone #1 3 | wait minimumSpacing; wake 6.0
            6 look | send A p5 newToken #2
            6.2 gone #2 3 | forget token
            7 look | -
            8 token A | send A p5 newToken #3
            8.2 gone #3 3 | wait minimumSpacing; wake 9.0
            9 look | send A p5 newToken #4
            9.2 gone #4 3 | forget token
            10 flush | flush to 3, A dead sent 9 shown 8.0, log of A
            """
        )
    }

    @Test func `a 410 that is younger than the registration of the token is not excused`() throws {
        try expectTranscript(
            """
            5 register A fight 0 | send A p5 newToken #1
            5.2 gone #1 5 | forget token
            6 look | -
            """
        )
    }

    @Test func `a 410 is not excused by a node that takes over after a push`() throws {
        try expectTranscript(
            """
            5 register A fight 0 | send A p5 newToken #1
            5.2 gone #1 3 | wait minimumSpacing; wake 6.0
            5.3 flush | flush to 2, pending 5.0, A live sent 5 shown 4.999999, log of A
            8 restart | send A p5 newToken #2 due 5.0
            8.2 gone #2 3 | forget token
            """
        )
    }

    @Test func `a late 410 for an older token does not harm a newer one`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.5 token A | -
            1.6 gone #1 | wait minimumSpacing; wake 2.0
            2 look | send A p5 newToken #2
            2.2 ok #2 | -
            3 flush | flush to 3, A live sent 2 shown 1.5, log of A
            """
        )
    }

    @Test func `the delay after doubtful rejections doubles up to a limit, and the token is kept`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1 bad #1 | wait backingOff; wake 11.0
            11 look | send A p5 newToken #2
            11 bad #2 | wait backingOff; wake 31.0
            31 look | send A p5 newToken #3
            31 bad #3 | wait backingOff; wake 71.0
            71 look | send A p5 newToken #4
            71 bad #4 | wait backingOff; wake 151.0
            151 look | send A p5 newToken #5
            151 bad #5 | wait backingOff; wake 311.0
            311 look | send A p5 newToken #6
            311 bad #6 | wait backingOff; wake 631.0
            631 look | send A p5 newToken #7
            631 bad #7 | wait backingOff; wake 951.0
            951 look | send A p5 newToken #8
            951 ok #8 | -
            """
        )
    }

    @Test func `after an accepted push a rejection of the token is credible`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 token A | send A p5 newToken #2
            2.1 bad #2 | forget token
            3 flush | flush to 3, A dead sent 2 shown 2.0, log of A
            """
        )
    }

    @Test func `an answer for a released activity changes nothing`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 release A | -
            1.3 gone #1 | -
            2 flushAll | flush to 3, A live sent 1 shown 0.999999, log of A
            """
        )
    }

    @Test func `the answer to a push of an earlier lease changes nothing, whatever its number`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            3 takeOver | send A p5 newToken #2 due 1.0
            3.1 gone #1 | -
            3.2 ok #2 | -
            3.3 gone #2 | -
            4 flush | flush to 2, A live sent 3 shown 1.0, log of A
            7 restart | proven
            8 token A | send A p5 newToken #3
            8.1 gone #1 | -
            8.2 ok #3 | -
            """
        )
    }

    @Test func `the answer to a push counts if the node acquires the lease again before any other`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 acquireAgain | -
            1.2 gone #1 | forget token
            """
        )
    }

    @Test func `a push without an answer may have reached the phone, so it spends budget`() throws {
        try expectTranscript(
            policy: .frugal,
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 ok #1 | -
            2 request A | send A p10 requested #2 for 3
            2.2 lost #2 | wait minimumSpacing; wake 3.0
            3 look | send A p5 requested #3 for 3
            3.1 ok #3 | -
            """
        )
    }

    @Test func `a push that was never sent spends no budget`() throws {
        try expectTranscript(
            policy: .frugal,
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 ok #1 | -
            2 request A | send A p10 requested #2 for 3
            2.2 unsent #2 | wait minimumSpacing; wake 3.0
            3 look | send A p10 requested #3 for 3
            3.1 ok #3 | -
            """
        )
    }
}
