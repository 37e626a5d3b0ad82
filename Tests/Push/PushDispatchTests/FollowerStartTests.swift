import GameCore
import LiveActivityContent
import PushCadence
import Simulation
import Testing

@testable import PushDispatch

/// The requests to start activities by push.
struct FollowerStartTests {
    @Test func `an adventure's activities are requested after the grace period of the apps`() throws {
        try expectTranscript(
            playing: [],
            """
            0 start fight | wake 3.0
            1 flush | -
            2.9 look | -
            3 look | start at 0.0
            4 flush | flush to 1
            5 look | -
            """
        )
    }

    @Test func `each start waits for its own grace period, and is read again from the checkpoint`() throws {
        try expectTranscript(
            playing: [],
            """
            0 start fight | wake 3.0
            1 start walk | -
            2 flush | -
            2.5 restart | -
            3 look | start at 0.0; wake 4.0
            3.1 flush | flush to 1
            3.5 restart | -
            4 look | start at 1.0
            5 flush | flush to 2
            """
        )
    }

    @Test func `a shard that is given away requests no start until the node keeps it`() throws {
        try expectTranscript(
            playing: [],
            """
            0 start fight | wake 3.0
            1 handOver | -
            3 look | -
            4 acquireAgain | start at 0.0
            """
        )
    }

    @Test func `a start is not requested for an adventure that began a minute ago`() throws {
        try expectTranscript(
            playing: [],
            """
            0 blind | -
            0 start fight | -
            1 start walk | -
            60 seeing | start at 1.0
            61 flush | flush to 2
            """
        )
    }

    @Test func `an activity that ends soon is succeeded once, and ends when the newer one registers`() throws {
        try expectTranscript(
            policy: .shortLived,
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 ok #1 | -
            21 ages | send A p5 activityEndsSoon #2
            21.2 busy #2 | wait lowSpacing; wake 31.0
            31 look | send A p5 activityEndsSoon #3
            31.1 ok #3 | start after A
            35 policy fight | send A p10 turn #4 due 15.0
            35.1 ok #4 | -
            36 register B fight 0 | send A p10 end replaced #5; send B p5 newToken #6
            36.1 ok #5 | -
            36.1 ok #6 | -
            37 flush | flush to 4, A ended sent 36 shown 36.0, B live sent 36 shown 36.0, log of A, log of B
            """
        )
    }

    @Test func `a start that finds no room is requested again after the next push`() throws {
        try expectTranscript(
            policy: .shortLived,
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 ok #1 | -
            21 ages | send A p5 activityEndsSoon #2
            21.1 ok #2 | start after A
            21.2 startRefused A | -
            30 policy fight | send A p10 turn #3 due 15.0
            30.1 ok #3 | start after A
            """
        )
    }

    @Test func `neither a companion's activity nor a new token ends an activity that ends soon`() throws {
        try expectTranscript(
            policy: .shortLived,
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 ok #1 | -
            21 ages | send A p5 activityEndsSoon #2
            21.2 ok #2 | start after A
            22 register B fight 1 | send B p5 newToken #3; wait turnSpacing; wake 24.0
            22.2 ok #3 | -
            23 token A | send A p10 newToken #4
            23.2 ok #4 | -
            """
        )
    }

    @Test func `a predecessor whose end was not flushed is ended by the next node`() throws {
        try expectTranscript(
            policy: .shortLived,
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 ok #1 | -
            21 ages | send A p5 activityEndsSoon #2
            21.2 ok #2 | start after A
            22 flush | flush to 2, A live sent 21 shown 1.0, log of A
            23 register B fight 0 | send A p10 end replaced #3; send B p5 newToken #4
            26 restart | proven; send A p10 end replaced #5; send B p5 newToken #6 due 23.0
            26.1 ok #5 | -
            """
        )
    }

    @Test func `a tablet's activity does not end the phone's, which ends soon`() throws {
        try expectTranscript(
            policy: .shortLived,
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 ok #1 | -
            21 ages | send A p5 activityEndsSoon #2
            21.2 ok #2 | start after A
            22 register B fight 0 tablet | send B p5 newToken #3; wait turnSpacing; wake 24.0
            22.2 ok #3 | -
            """
        )
    }

    @Test func `a scheduled activity gets the current state at its start, also if a node takes over before`() throws {
        try expectTranscript(
            """
            1 register A fight 0 starts 30 | wait scheduled; wake 30.0
            5 attack fight | wait scheduled
            6 flushAll | flush to 3, A live shown 0.999999, log of A
            20 restart | wait scheduled
            30 look | send A p5 newToken #1
            30.1 ok #1 | -
            """
        )
    }

    @Test func `the alert of a start that must not ring keeps its texts, since phones drop a start without an alert`() {
        var ids = SeededIDs()
        let now = FollowedShard.start
        let request = StartRequest(adventureID: ids.adventure(), occasion: .adventureStarted, requestedAt: now)
        let noBosses = AlertPreferences(muted: [.boss])
        let fight = request.alert(for: .named("fight"), ringing: AlertPreferences(), at: now)
        #expect(fight.sound != nil)
        #expect(request.alert(for: .named("fight"), ringing: noBosses, at: now) == fight.silent)
        #expect(request.alert(for: .named("walk"), ringing: noBosses, at: now).sound != nil)
    }

    @Test func `an app announces an earlier start, and an end does not wait for it`() throws {
        try expectTranscript(
            """
            1 register A fight 0 starts 30 | wait scheduled; wake 30.0
            2 register B fight 1 starts 30 | wait scheduled; wait scheduled
            10 announce A 10 | send A p5 newToken #1; wait scheduled
            10.1 ok #1 | -
            12 requestEnd B | send B p10 end requested #2 for 5
            """
        )
    }
}
