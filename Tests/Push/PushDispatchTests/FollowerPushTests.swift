import PushCadence
import Simulation
import Testing

/// What a shard sends for its adventures, and when.
struct FollowerPushTests {
    @Test func `a registration is pushed at once, and small changes are coalesced`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 ok #1 | -
            2 policy fight | wait lowSpacing; wake 11.0
            5 policy fight | wait lowSpacing
            11 look | send A p5 low #2
            11.1 ok #2 | -
            12 look | -
            """
        )
    }

    @Test func `turns are pushed after their spacing, and a player's own turn is an alert at once`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B fight 1 | send B p5 newToken #2
            1.2 ok #1 | -
            1.2 ok #2 | -
            5 attack fight | send A p10 turn #3; send B p10 turn #4
            5.1 ok #3 | -
            5.1 ok #4 | -
            20 clock | send A p10 turn #5; send B p10 ownTurn #6
            20.1 ok #5 | -
            20.1 ok #6 | -
            21 attack fight | send A p10 ownTurn #7; wait turnSpacing; wake 23.0
            23 look | send B p10 turn #8
            """
        )
    }

    @Test func `a muted alert leaves its state behind, at once after the player has changed what rings`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B fight 1 | send B p5 newToken #2
            1.2 ok #1 | -
            1.2 ok #2 | -
            3 mute B ownTurn | -
            5 attack fight | send A p10 turn #3; send B p10 turn #4
            5.1 ok #3 | -
            5.1 ok #4 | -
            20 clock | send A p10 turn #5; drop ownTurn of B muted; send B p10 turn #6
            20.1 ok #5 | -
            20.1 ok #6 | -
            20.5 mute A allDay | -
            21 attack fight | drop ownTurn of A muted; wait turnSpacing; wait turnSpacing; wake 23.0
            21.5 mute A none | wait turnSpacing; wait turnSpacing
            23 look | send A p10 turn #7; send B p10 turn #8
            """
        )
    }

    @Test func `the ticks of a journey reach phones when the clock passes them`() throws {
        try expectTranscript(
            playing: ["walk"],
            """
            1 register A walk 0 | send A p5 newToken #1
            1.1 ok #1 | -
            9.9 clock | -
            10 clock | wait lowSpacing; wake 11.0
            11 look | send A p5 low #2
            11.2 ok #2 | -
            20 clock | wait lowSpacing; wake 21.0
            21 look | send A p5 low #3
            """
        )
    }

    @Test func `a phone without frequent pushes gets turns rarely, and at low priority`() throws {
        try expectTranscript(
            """
            1 register A fight 0 standard | send A p5 newToken #1
            1.2 ok #1 | -
            5 attack fight | wait turnSpacing; wake 31.0
            30.9 look | -
            31 look | send A p5 turnWithoutFrequentPushes #2
            """
        )
    }

    @Test func `what happens while a push is in flight is shown by the next one`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            2 policy fight | -
            3 attack fight | -
            4 ok #1 | send A p10 turn #2
            5 ok #2 | -
            6 look | -
            """
        )
    }

    @Test func `the end follows the alert of the outcome, and nothing follows the end`() throws {
        let shard = try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 ok #1 | -
            5 over fight | send A p10 adventureOver #2
            5.1 ok #2 | wait minimumSpacing; wake 6.0
            6 look | send A p10 end #3
            6.1 ok #3 | -
            7 request A | -
            8 flush | flush to 4, A ended sent 6 shown 7.0, log of A
            9 token A | -
            10 flush | -
            """
        )
        #expect(shard.activityCount == 0)
        #expect(shard.payload(of: 1).contains("endedByOperator"))
        #expect(shard.payload(of: 2).contains("endedByOperator"))
    }

    @Test func `the activity of a member who leaves ends, and the others go on`() throws {
        let shard = try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B fight 1 | send B p5 newToken #2
            1.2 ok #1 | -
            1.2 ok #2 | -
            5 leave fight 1 | send B p10 end #3; wait lowSpacing; wake 11.0
            5.2 ok #3 | -
            11 look | send A p5 low #4
            11.1 ok #4 | -
            12 flush | flush to 4, A live sent 11 shown 5.0, B ended sent 5 shown 5.0, log of A, log of B
            """
        )
        #expect(shard.activityCount == 1)
    }

    @Test func `an activity that is registered after the end gets the end at once`() throws {
        try expectTranscript(
            """
            1 over fight | -
            2 register A fight 0 | send A p10 end #1
            2.1 ok #1 | -
            3 flush | flush to 3, A ended sent 2 shown 2.0, log of A
            """
        )
    }

    @Test func `an alert that waits while the token is dead is sent to the next token`() throws {
        try expectTranscript(
            """
            1 register B fight 1 | send B p5 newToken #1
            1.2 gone #1 | forget token
            5 attack fight | -
            20 clock | -
            21 token B | send B p10 ownTurn #2
            21.1 ok #2 | -
            30 look | -
            """
        )
    }

    @Test func `a token that changes while a push is in flight gets the current state`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.5 token A | -
            2 ok #1 | send A p5 newToken #2
            2.1 ok #2 | -
            3 look | -
            """
        )
    }

    @Test func `an end that is accepted for a replaced token is sent to the new one, too`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 leave fight 0 | send A p10 end #2
            2.1 token A | -
            2.2 ok #2 | wait minimumSpacing; wake 3.0
            3 look | send A p10 end #3
            3.1 ok #3 | -
            4 flush | flush to 4, A ended sent 3 shown 2.1, log of A
            """
        )
    }

    @Test func `two activities of one device share a budget, and another device has its own`() throws {
        try expectTranscript(
            playing: ["fight", "walk"],
            policy: .frugal,
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 register B walk 0 | send B p5 newToken #2
            2.1 ok #2 | -
            3 register C walk 1 | send C p5 newToken #3
            """
        )
    }

    @Test func `an activity says that it ends soon, and is ended before the system ends it`() throws {
        try expectTranscript(
            policy: .shortLived,
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 ok #1 | -
            20.9 ages | -
            21 ages | send A p5 activityEndsSoon #2
            21.2 busy #2 | wait lowSpacing; wake 31.0
            31 look | send A p5 activityEndsSoon #3
            31.1 ok #3 | start after A
            60.9 ages | -
            61 ages | send A p10 end tooOld #4
            61.2 ok #4 | -
            62 flush | flush to 2, A ended sent 61 shown 1.0, log of A
            """
        )
    }

    @Test func `a released activity gets nothing, and the next activity of the player is followed`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 ok #1 | -
            2 blind | -
            3 release A | -
            4 register B fight 0 | -
            5 seeing | send B p5 newToken #2 due 4.0
            5.2 ok #2 | -
            8 attack fight | send B p10 turn #3
            8.1 ok #3 | -
            9 flushAll | flush to 5, A live sent 1 shown 1.0, B live sent 8 shown 8.0, log of A, log of B
            10 flushAll | -
            """
        )
    }

    @Test func `an activity of an environment that the node does not send to gets nothing until it moves`() throws {
        try expectTranscript(
            """
            1 register A fight 0 elsewhere | not served A
            2 register B fight 1 | not served A; send B p5 newToken #1
            2.2 ok #1 | -
            3 token B elsewhere | not served B
            5 attack fight | -
            6 token B | not served A; send B p10 newToken #2
            6.2 ok #2 | -
            7 flushAll | flush to 6, B live sent 6 shown 6.0, log of A, log of B
            """
        )
    }

    @Test func `an empty token is dead, and the next one gets the current state`() throws {
        try expectTranscript(
            """
            1 register A fight 0 empty | empty token of A; forget token
            2 flush | flush to 2, A dead sent 1 shown 1.0, log of A
            3 token A | send A p5 newToken #1
            3.1 ok #1 | -
            """
        )
    }
}
