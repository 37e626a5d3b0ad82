import Simulation
import Testing

/// What the lease of a shard allows, and what happens when it is given away.
struct FollowerLeaseTests {
    @Test func `nothing is sent once the lease may be lost, and pushes go on after it is renewed`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            1.2 renew 3 | -
            5 attack fight | wake 10.0
            10 look | wake 15.0
            12 renew 100 | -
            15 look | send A p10 turn #2
            15.1 ok #2 | -
            """
        )
    }

    @Test func `a rejected push is not retried while the lease may be lost`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.2 renew 1 | -
            3 busy #1 | wake 8.0
            8 look | wake 13.0
            9 renew 100 | -
            13 look | send A p5 newToken #2
            """
        )
    }

    @Test func `a shard that is given away sends nothing, and stores what becomes of its pushes`() throws {
        let shard = try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 handOver | -
            5 attack fight | -
            5.1 ok #1 | -
            6 flushAll | flush to 2, A live sent 1 shown 1.0, log of A
            """
        )
        #expect(!shard.hasPushesInFlight)
    }

    @Test func `what waited while a shard was to be given away is sent when the node keeps it`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 policy fight | wait lowSpacing; wake 11.0
            3 handOver | -
            11 look | -
            12 flushAll | flush to 3, pending 2.0, A live sent 1 shown 1.999999, log of A
            13 acquireAgain | send A p5 low #2 due 2.0
            13.1 ok #2 | -
            """
        )
    }

    @Test func `a node that stops sends nothing, and counts pushes without an answer as sent`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B fight 1 | send B p5 newToken #2
            1.1 drain | -
            1.2 ok #1 | -
            5 attack fight | -
            6 flush | flush to 4, pending 1.000001, A live sent 1 shown 4.999999, log of A
            7 abandon | -
            7 flushAll | flush to 4, pending 1.000001, B live sent 1 shown 1.0, log of B
            """
        )
    }

    @Test func `the next node continues where the last one stopped, and repeats nothing`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 flush | flush to 2, A live sent 1 shown 1.0, log of A
            5 restart | proven
            6 attack fight | send A p5 turnDemoted #2
            6.1 ok #2 | -
            7 flush | -
            8 over fight | send A p10 adventureOver #3
            8.1 ok #3 | wait minimumSpacing; wake 9.0
            8.2 flush | flush to 4, pending 8.0, A live sent 8 shown 7.999999 accepted adventureOver, log of A
            10 restart | proven; send A p5 end #4 due 8.0
            10.1 ok #4 | -
            10.2 flush | flush to 4, A ended sent 10 shown 8.0, log of A
            """
        )
    }

    @Test func `a token that was registered after a release gets the end from the next node, too`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            2 gone #1 2 | forget token
            2.1 flush | flush to 2, A dead sent 1 shown 1.0, log of A
            3 release A | -
            4 token A | send A p5 newToken #2
            4.1 ok #2 | -
            5 over fight | send A p10 adventureOver #3
            6 restart | send A p10 adventureOver #4 due 5.0
            6.1 ok #4 | wait minimumSpacing; wake 7.0
            7 look | send A p5 end #5
            7.1 ok #5 | -
            """
        )
    }

    @Test func `an alert whose acceptance was not flushed is repeated`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            2 flush | flush to 2, A live sent 1 shown 1.0, log of A
            3 over fight | send A p10 adventureOver #2
            3.1 ok #2 | wait minimumSpacing; wake 4.0
            6 restart | proven; send A p10 adventureOver #3 due 3.0
            6.1 ok #3 | wait minimumSpacing; wake 7.0
            7 look | send A p5 end #4
            7.1 ok #4 | -
            """
        )
    }

    @Test func `an accepted alert is not repeated by the next node while another one of its moment waits`() throws {
        var transcript = ShardTranscript()
        _ = try transcript.play("1 register A fight 0\n1.1 ok #1")
        for second in stride(from: 15, to: 615, by: 15) {
            let sent = transcript.shard.pushes.count
            _ = try transcript.play("\(second) clock")
            for number in sent..<transcript.shard.pushes.count {
                _ = try transcript.play("\(second).1 ok #\(number + 1)")
            }
        }
        // Hero 1 goes down, so the next turn is that of hero 0.
        let script = """
            615 clock | send A p10 companionDown(1) #42
            615.1 ok #42 | wait minimumSpacing; wake 616.0
            615.2 flush | flush to 2, pending 615.0, A live sent 615 shown 614.999999 accepted companionDown(1), log of A
            616 restart | proven; wait turnSpacing; wake 618.0
            618 look | send A p5 turnDemoted #43
            """
        let played = try transcript.play(script)
        #expect(played == script, "\(played)")
        #expect(transcript.shard.violations.isEmpty)
    }
}
