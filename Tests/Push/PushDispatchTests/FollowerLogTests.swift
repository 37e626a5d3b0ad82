import PushCadence
import Simulation
import Testing

/// How a shard follows its log: pages, outages, unplayable adventures and requested pushes.
struct FollowerLogTests {
    @Test func `nothing is decided while only a part of the log is read`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 policy fight | wait lowSpacing; wake 11.0
            5 blind | -
            6 attack fight | -
            6 policy fight | -
            10 page 1 | -
            11 look | -
            12 page 1 | -
            13 seeing | send A p10 turn #2 due 11.0
            13.1 ok #2 | -
            """
        )
    }

    @Test func `an answer in between the pages of the log makes nothing be sent`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            2 blind | -
            5 attack fight | -
            5 policy fight | -
            6 page 1 | -
            6.1 ok #1 | -
            7 seeing | send A p10 turn #2 due 6.1
            """
        )
    }

    @Test func `a node that takes over reads all of the log before it sends`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            1.2 flush | flush to 2, A live sent 1 shown 1.0, log of A
            2 register B fight 1 | send B p5 newToken #2
            3 attack fight | wait turnSpacing; wake 4.0
            4.9 blind | send A p10 turn #3 due 4.0
            5 restart | proven
            5.1 page 1 | -
            5.2 page 1 | -
            5.3 seeing | send A p5 turnDemoted #4 due 3.0; send B p5 newToken #5 due 2.0
            """
        )
    }

    @Test func `an outage makes the new deadline of a turn pending, and nothing on a journey`() throws {
        try expectTranscript(
            playing: ["fight", "walk"],
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B walk 0 | send B p5 newToken #2
            1.1 ok #1 | -
            1.1 ok #2 | -
            9 outage 30 | send A p10 turn #3
            9.1 ok #3 | -
            54 clock | send A p10 turn #4 due 45.0; send B p5 low #5 due 40.000001
            """
        )
    }

    @Test func `an outage at the moment that a push in flight shows is shown by another push`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.000001 outage 30 | -
            32 ok #1 | send A p10 turn #2
            32.1 ok #2 | -
            """
        )
    }

    @Test func `the new deadline that a crashed node had not sent is sent by the next one`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 flush | flush to 2, A live sent 1 shown 1.0, log of A
            9 outage 30 | send A p10 turn #2
            42 restart | proven; send A p5 turnDemoted #3 due 9.000001
            """
        )
    }

    @Test func `an adventure that cannot be played is not shown, and delays no other`() throws {
        try expectTranscript(
            playing: ["fight", "walk"],
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B walk 0 | send B p5 newToken #2
            1.1 ok #1 | -
            1.1 ok #2 | -
            2 damage fight | unplayable
            4 over walk | send B p10 adventureOver #3
            4.1 ok #3 | wait minimumSpacing; wake 5.0
            5 register C fight 1 | unplayable; send B p10 end #4
            5.1 ok #4 | -
            6 flush | flush to 7, B ended sent 5 shown 4.0, log of B
            """
        )
    }

    @Test func `an adventure that could not be played ends on its phones when an operator ends it`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 damage fight | unplayable
            3 register B fight 1 | unplayable
            8 closed fight | send A p10 end #2 due 1.0; send B p10 end #3 due 3.0
            8.1 ok #2 | -
            8.1 ok #3 | -
            9 flush | flush to 5, A ended sent 8 shown 8.0, B ended sent 8 shown 8.0, log of A, log of B
            """
        )
    }

    @Test func `a token that died before the adventure could not be played any more is not used for its end`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            2 gone #1 2 | forget token
            3 register B fight 1 | send B p5 newToken #2
            3.1 ok #2 | -
            4 damage fight | unplayable
            8 closed fight | send B p10 end #3 due 3.0
            8.1 ok #3 | -
            9 flush | flush to 5, A dead sent 1 shown 0.999999, B ended sent 8 shown 8.0, log of B
            """
        )
    }

    @Test func `an adventure ends on its phones as its end was recorded, however it is played here`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            8 closed fight | unplayable; send A p10 end #2
            8.1 ok #2 | -
            9 flush | flush to 3, A ended sent 8 shown 8.0, log of A
            """
        )
    }

    @Test func `after an outage that cannot be decoded nothing of the shard is shown`() throws {
        try expectTranscript(
            playing: ["fight", "walk"],
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B walk 0 | send B p5 newToken #2
            1.1 ok #1 | -
            1.1 ok #2 | -
            2 damageOutage | unplayable; unplayable
            50 clock | -
            """
        )
    }

    @Test func `a node ends a former member's activity, also with a token that the app registers later`() throws {
        var policy = CadencePolicy()
        policy.alertExpiry = .seconds(5)
        try expectTranscript(
            policy: policy,
            """
            1 register A fight 1 | send A p5 newToken #1
            1 register B fight 0 | send B p5 newToken #2
            1.1 gone #1 | forget token
            1.1 ok #2 | -
            2 leave fight 1 | wait lowSpacing; wake 11.0
            3 flush | flush to 4, pending 2.0, A dead sent 1 shown 2.0, B live sent 1 shown 1.999999, log of A, log of B
            10 ages | -
            11 token A | send A p10 end #3; send B p5 low #4
            """
        )
    }

    @Test func `the answer to a push for an adventure that cannot be played changes nothing`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            2 damage fight | unplayable
            3 gone #1 | -
            4 flush | -
            """
        )
    }

    @Test func `a requested push is sent at once, and the result of its last try is reported`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 request A | send A p10 requested #2 for 3
            2.1 busy #2 | wait minimumSpacing; wake 3.0
            3 look | send A p10 requested #3 for 3
            3.1 ok #3 | -
            4 flush | flush to 3, A live sent 3 shown 2.0, log of A, report for 3: ok
            5 flush | -
            """
        )
    }

    @Test func `a requested end ends one activity, and the others go on`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B fight 1 | send B p5 newToken #2
            1.1 ok #1 | -
            1.1 ok #2 | -
            2 requestEnd B | send B p10 end requested #3 for 4
            2.1 ok #3 | -
            3 flush | flush to 4, A live sent 1 shown 1.0, B ended sent 2 shown 2.0, log of A, log of B, report for 4: ok
            5 attack fight | send A p10 turn #4
            6 request B | -
            """
        )
    }

    @Test func `a push that is requested while the token is dead is not sent`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 gone #1 | forget token
            2 request A | -
            3 flush | flush to 3, A dead sent 1 shown 2.0, log of A
            4 token A | send A p5 newToken #2
            4.1 ok #2 | -
            5 flush | flush to 4, A live sent 4 shown 4.0, log of A
            """
        )
    }

    @Test func `an alert that was due anyway is not reported as the requested push`() throws {
        try expectTranscript(
            """
            1 register B fight 1 | send B p5 newToken #1
            1.1 ok #1 | -
            5 attack fight | send B p10 turn #2
            5.1 ok #2 | -
            19 blind | -
            20 clock | -
            20 request B | -
            21 seeing | send B p10 ownTurn #3 due 20.0
            21.1 ok #3 | wait minimumSpacing; wake 22.0
            22 look | send B p10 requested #4 for 4
            22.1 ok #4 | -
            23 flush | flush to 4, B live sent 22 shown 20.000001, log of B, report for 4: ok
            """
        )
    }

    @Test func `the end is reported for a push that was requested before it`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            1.5 blind | -
            2 request A | -
            3 over fight | -
            4 seeing | send A p10 adventureOver #2 due 3.0
            4.1 ok #2 | wait minimumSpacing; wake 5.0
            5 look | send A p10 end #3 for 3
            5.1 ok #3 | -
            6 flush | flush to 4, A ended sent 5 shown 3.0, log of A, report for 3: ok
            """
        )
    }

    /// Otherwise a push would show the effects of an input whose trace is not known yet.
    @Test func `an adventure that is ahead of the log is shown when the log is read up to there`() throws {
        try expectTranscript(
            """
            1 blind | -
            1 register A fight 0 | -
            1.5 readHead | -
            2 attack fight | -
            3 seeing | -
            3.1 look | send A p10 newToken #1 due 1.0
            3.2 ok #1 | -
            """
        )
    }

    @Test func `a head before that of an adventure belongs to another history`() throws {
        try expectTranscript(
            """
            1 blind | -
            1 register A fight 0 | -
            1.1 save | -
            1.5 readHead | -
            2 attack fight | -
            3 seeing | -
            3.1 failover | fork; send A p5 newToken #1
            3.2 ok #1 | -
            """
        )
    }
}
