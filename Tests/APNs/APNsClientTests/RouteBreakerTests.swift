import APNsClient
import Foundation
import Testing

struct RouteBreakerTests {
    private static let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { Self.start + .seconds(seconds) }

    private func token(_ number: Int) throws -> DeviceToken {
        try #require(DeviceToken(bytes: [UInt8](repeating: UInt8(number), count: 80)))
    }

    private func refused(_ status: Int, _ reason: APNsReason) -> APNsOutcome {
        .refused(APNsRejection(status: status, reason: reason))
    }

    private var badToken: APNsOutcome { refused(400, .badDeviceToken) }
    private var accepted: APNsOutcome { .accepted(apnsID: UUID(), uniqueID: nil) }

    /// A breaker that opened at second 0, since APNs refused the tokens 0 to 9.
    private func opened() throws -> RouteBreaker {
        var breaker = RouteBreaker()
        for number in 0..<10 { _ = breaker.answered(badToken, for: try token(number), .unknown, at: at(0)) }
        try #require(!breaker.isClosed)
        return breaker
    }

    @Test(arguments: [APNsReason.badDeviceToken, .deviceTokenNotForTopic])
    func `with the wrong topic or environment no token at all is given up`(reason: APNsReason) throws {
        var breaker = RouteBreaker()
        for number in 0..<9 {
            let answer = breaker.answered(refused(400, reason), for: try token(number), .unknown, at: at(0))
            #expect(answer == (.doubt, nil))
            #expect(breaker.pause(of: .unknown, at: at(0)) == nil)
        }
        #expect(
            breaker.answered(refused(400, reason), for: try token(9), .unknown, at: at(0)) == (
                .doubt, .opened(because: reason)
            )
        )
        #expect(breaker.pause(of: .unknown, at: at(0)) == at(30))
        // The answers to what was under way change nothing.
        for number in 10..<200 {
            #expect(
                breaker.answered(refused(400, reason), for: try token(number), .unknown, at: at(1)) == (.doubt, nil)
            )
        }
        #expect(breaker.pause(of: .unknown, at: at(29)) == at(30))
    }

    @Test func `a bad token on a route that works is believed`() throws {
        var breaker = RouteBreaker()
        for number in 0..<100 {
            #expect(breaker.answered(accepted, for: try token(200), .unknown, at: at(0)) == (.believe, nil))
            #expect(breaker.answered(badToken, for: try token(number), .unknown, at: at(0)) == (.believe, nil))
        }
        #expect(breaker.isClosed)
    }

    @Test func `a route that stops working in its life costs three tokens`() throws {
        var breaker = RouteBreaker()
        _ = breaker.answered(accepted, for: try token(200), .unknown, at: at(0))
        let verdicts = try (0..<10).map { breaker.answered(badToken, for: try token($0), .proven, at: at(0)).verdict }
        #expect(verdicts == Array(repeating: .believe, count: 3) + Array(repeating: .doubt, count: 7))
        #expect(!breaker.isClosed)
    }

    @Test func `one token that is refused again and again stops nobody else, and is believed after an acceptance`()
        throws
    {
        var breaker = RouteBreaker()
        for _ in 0..<1000 {
            #expect(breaker.answered(badToken, for: try token(1), .unknown, at: at(0)) == (.doubt, nil))
        }
        #expect(breaker.pause(of: .unknown, at: at(0)) == nil)
        _ = breaker.answered(accepted, for: try token(2), .unknown, at: at(1))
        #expect(breaker.answered(badToken, for: try token(1), .unknown, at: at(2)) == (.believe, nil))
    }

    @Test(arguments: [
        (APNsReason.badEnvironmentKeyInToken, 403), (.invalidProviderToken, 403), (.badTopic, 400),
        (.topicDisallowed, 400), (.forbidden, 403), (.expiredProviderToken, 403),
    ])
    func `three refusals that name the route open it`(reason: APNsReason, status: Int) throws {
        var breaker = RouteBreaker()
        let one = try token(1)
        #expect(breaker.answered(refused(status, reason), for: one, .unknown, at: at(0)) == (.believe, nil))
        #expect(breaker.answered(refused(status, reason), for: one, .unknown, at: at(0)) == (.believe, nil))
        let third = breaker.answered(refused(status, reason), for: one, .unknown, at: at(0))
        #expect(third == (.believe, .opened(because: reason)))
    }

    @Test func `an acceptance between them keeps it closed`() throws {
        var breaker = RouteBreaker()
        for _ in 0..<10 {
            _ = breaker.answered(refused(403, .forbidden), for: try token(1), .unknown, at: at(0))
            _ = breaker.answered(refused(403, .forbidden), for: try token(1), .unknown, at: at(0))
            _ = breaker.answered(accepted, for: try token(2), .unknown, at: at(0))
        }
        #expect(breaker.isClosed)
    }

    @Test func `a provider token that changed too often pauses the route at once`() throws {
        var breaker = RouteBreaker()
        let answer = breaker.answered(
            refused(429, .tooManyProviderTokenUpdates),
            for: try token(1),
            .unknown,
            at: at(0)
        )
        #expect(answer == (.believe, .opened(because: .tooManyProviderTokenUpdates)))
    }

    @Test func `a wait that APNs asks for is kept, before the first probe and the next`() throws {
        let refusal = APNsRejection(status: 429, reason: .tooManyProviderTokenUpdates, retryAfterSeconds: 1200)
        var breaker = RouteBreaker()
        _ = breaker.answered(.refused(refusal), for: try token(1), .unknown, at: at(0))
        #expect(breaker.pause(of: .unknown, at: at(1199)) == at(1200))
        #expect(breaker.takes(.unknown, at: at(1200)) == true)
        _ = breaker.answered(.refused(refusal), for: try token(1), .unknown, at: at(1200))
        #expect(breaker.pause(of: .unknown, at: at(1201)) == at(2400))
    }

    @Test func `what says nothing about the route neither opens nor closes it`() throws {
        let others = [
            refused(410, .unregistered), refused(410, .expiredToken), refused(429, .tooManyRequests),
            refused(503, .serviceUnavailable), refused(413, .payloadTooLarge),
            .unknown(.timedOut), .neverSent(.tooLate),
        ]
        var closed = RouteBreaker()
        var open = try opened()
        for (number, outcome) in (others + others + others).enumerated() {
            #expect(closed.answered(outcome, for: try token(number), .unknown, at: at(0)) == (.believe, nil))
            #expect(open.answered(outcome, for: try token(number), .unknown, at: at(0)) == (.believe, nil))
        }
        #expect(closed.isClosed)
        #expect(open.pause(of: .unknown, at: at(0)) == at(30))
    }

    @Test func `one push at a time probes, at growing intervals`() throws {
        var breaker = try opened()
        var time = 30
        for pause in [60, 120, 240, 300, 300] {
            #expect(breaker.pause(of: .unknown, at: at(time - 1)) == at(time))
            #expect(breaker.takes(.unknown, at: at(time)) == true)
            #expect(breaker.takes(.unknown, at: at(time)) == false)
            #expect(breaker.answered(badToken, for: try token(1), .unknown, at: at(time)) == (.doubt, nil))
            time += pause
        }
    }

    @Test func `an accepted probe closes it, and the count begins anew`() throws {
        var breaker = try opened()
        #expect(breaker.takes(.unknown, at: at(30)) == true)
        #expect(breaker.answered(accepted, for: try token(1), .unknown, at: at(31)) == (.believe, .closed))
        #expect(breaker.pause(of: .suspect, at: at(31)) == nil)
        for number in 0..<9 { _ = breaker.answered(badToken, for: try token(number), .proven, at: at(32)) }
        #expect(breaker.isClosed)
        _ = breaker.answered(badToken, for: try token(9), .proven, at: at(32))
        #expect(breaker.pause(of: .proven, at: at(32)) == at(62))
    }

    @Test func `once the route has accepted anything, tokens that it never has taken stop nobody's pushes`() throws {
        var breaker = RouteBreaker()
        for round in 0..<3 {
            _ = breaker.answered(accepted, for: try token(200), .unknown, at: at(round))
            var changes: [RouteBreaker.Change] = []
            for number in 0..<200 {
                let standing: RouteBreaker.Standing = number.isMultiple(of: 2) ? .unknown : .suspect
                let (verdict, change) = breaker.answered(badToken, for: try token(number), standing, at: at(round))
                // Each is believed when its turn comes; the others cost nobody anything.
                #expect(verdict == (number < 3 ? .believe : .doubt))
                if let change { changes.append(change) }
            }
            #expect(breaker.isClosed)
            #expect(changes == [.doubted(because: .badDeviceToken)])
        }
    }

    @Test func `so it is on a route for which there is a token that was taken, by whichever node`() throws {
        var breaker = RouteBreaker()
        breaker.noteProvenToken()
        var changes: [RouteBreaker.Change?] = []
        for number in 0..<20 {
            // None is believed before the route has accepted something here.
            let (verdict, change) = breaker.answered(badToken, for: try token(number), .unknown, at: at(0))
            #expect(verdict == .doubt)
            changes.append(change)
        }
        #expect(breaker.isClosed && changes.compactMap(\.self) == [.doubted(because: .badDeviceToken)])
        for number in 100..<110 { _ = breaker.answered(badToken, for: try token(number), .proven, at: at(1)) }
        #expect(!breaker.isClosed)
        #expect(breaker.pause(of: .unknown, at: at(31)) == at(61) && breaker.pause(of: .proven, at: at(31)) == nil)
    }

    @Test func `one that such tokens had stopped before is probed with better ones from then on`() throws {
        var breaker = try opened()
        #expect(breaker.pause(of: .unknown, at: at(30)) == nil)
        breaker.noteProvenToken()
        #expect(breaker.pause(of: .unknown, at: at(30)) == at(60))
        #expect(breaker.takes(.proven, at: at(30)) == true)
        #expect(breaker.answered(accepted, for: try token(100), .proven, at: at(31)) == (.believe, .closed))
    }

    @Test func `a probe to a token that was never taken keeps a route stopped no longer`() throws {
        var breaker = RouteBreaker()
        _ = breaker.answered(accepted, for: try token(200), .unknown, at: at(0))
        for number in 0..<10 { _ = breaker.answered(badToken, for: try token(number), .proven, at: at(0)) }
        for probe in 0..<20 {
            let time = 60 + 30 * probe
            let isItsTurn = probe.isMultiple(of: 2)
            #expect(breaker.takes(.unknown, at: at(time)) == isItsTurn)
            if isItsTurn {
                #expect(breaker.answered(badToken, for: try token(50), .unknown, at: at(time)) == (.doubt, nil))
            }
        }
        #expect(breaker.takes(.proven, at: at(700)) == true)
        #expect(breaker.answered(accepted, for: try token(1), .proven, at: at(700)) == (.believe, .closed))
    }

    @Test func `a refused token says that key, team and topic are good again`() throws {
        var breaker = RouteBreaker()
        for _ in 0..<3 { _ = breaker.answered(refused(403, .forbidden), for: try token(1), .unknown, at: at(0)) }
        #expect(!breaker.isClosed)
        #expect(breaker.takes(.unknown, at: at(30)) == true)
        #expect(breaker.answered(badToken, for: try token(2), .unknown, at: at(31)) == (.doubt, .closed))
        #expect(breaker.isClosed)
    }

    @Test func `the probe goes to the best token there is, and to any when none comes`() throws {
        var cold = try opened()
        #expect(cold.takes(.suspect, at: at(30)) == false)
        #expect(cold.pause(of: .suspect, at: at(30)) == at(60))
        #expect(cold.takes(.unknown, at: at(30)) == true)

        var warm = RouteBreaker()
        _ = warm.answered(accepted, for: try token(200), .unknown, at: at(0))
        for number in 0..<10 { _ = warm.answered(badToken, for: try token(number), .proven, at: at(0)) }
        #expect(!warm.isClosed)
        #expect(warm.takes(.unknown, at: at(59)) == false)
        #expect(warm.takes(.proven, at: at(59)) == true)
        #expect(warm.answered(badToken, for: try token(1), .proven, at: at(59)) == (.doubt, nil))
        // A minute from then on, and as long again.
        #expect(warm.pause(of: .proven, at: at(60)) == at(119))
        #expect(warm.takes(.unknown, at: at(178)) == false)
        #expect(warm.takes(.suspect, at: at(179)) == true)
    }

    @Test func `another key is probed at once, and then at the first intervals again`() throws {
        var breaker = try opened()
        #expect(breaker.takes(.unknown, at: at(30)) == true)
        _ = breaker.answered(badToken, for: try token(1), .unknown, at: at(31))
        #expect(breaker.pause(of: .unknown, at: at(32)) == at(91))
        breaker.changed(at: at(32))
        #expect(breaker.takes(.unknown, at: at(32)) == true)
        #expect(breaker.takes(.unknown, at: at(33)) == false)
        #expect(breaker.pause(of: .unknown, at: at(33)) == at(62))

        var closed = RouteBreaker()
        closed.changed(at: at(0))
        #expect(closed.isClosed)
    }

    @Test func `a late acceptance of what was under way does not close it, unless it is the first`() throws {
        var warm = RouteBreaker()
        _ = warm.answered(accepted, for: try token(200), .unknown, at: at(0))
        for number in 0..<10 { _ = warm.answered(badToken, for: try token(number), .proven, at: at(0)) }
        #expect(warm.answered(accepted, for: try token(1), .proven, at: at(1)) == (.believe, nil))
        #expect(warm.pause(of: .proven, at: at(29)) == at(30))

        // It stopped for tokens of which nothing was known.
        var cold = try opened()
        #expect(cold.answered(accepted, for: try token(11), .unknown, at: at(1)) == (.believe, .closed))
        #expect(cold.pause(of: .unknown, at: at(1)) == nil)
        #expect(cold.answered(badToken, for: try token(1), .suspect, at: at(2)) == (.believe, nil))

        var paused = RouteBreaker()
        _ = paused.answered(refused(429, .tooManyProviderTokenUpdates), for: try token(1), .unknown, at: at(0))
        #expect(paused.answered(accepted, for: try token(2), .unknown, at: at(1)) == (.believe, nil))
        #expect(!paused.isClosed)
    }

    @Test(arguments: [APNsOutcome.unknown(.timedOut), .neverSent(.shuttingDown)])
    func `a probe without an answer is followed by another after the same time`(outcome: APNsOutcome) throws {
        var breaker = try opened()
        #expect(breaker.takes(.unknown, at: at(30)) == true)
        #expect(breaker.answered(outcome, for: try token(1), .unknown, at: at(40)) == (.believe, nil))
        #expect(breaker.pause(of: .unknown, at: at(59)) == at(60))
        #expect(breaker.takes(.unknown, at: at(60)) == true)
        // Not even told of: the next one goes out all the same.
        #expect(breaker.takes(.unknown, at: at(90)) == true)
    }
}
