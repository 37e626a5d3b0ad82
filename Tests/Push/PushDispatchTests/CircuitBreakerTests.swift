import PushDispatch
import Testing

struct CircuitBreakerTests {
    private static let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { Self.start + .seconds(seconds) }

    private func token(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: 80)
    }

    private func rejected(
        _ fault: PushRejection.Fault,
        _ reason: String,
        retryAfter: Duration = .zero
    ) -> PushAnswer {
        .rejected(PushRejection(reason: reason, fault: fault, remedy: .retry, retryAfter: retryAfter))
    }

    private var badToken: PushAnswer { rejected(.token, "BadDeviceToken") }

    /// Returns a breaker that opened at second 0, when APNs rejected the tokens 0 to 9.
    private func opened() throws -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for number in 0..<10 { _ = breaker.classify(badToken, for: token(number), .unknown, at: at(0)) }
        try #require(!breaker.isClosed)
        return breaker
    }

    @Test func `with the wrong topic or environment no token is deleted`() throws {
        var breaker = CircuitBreaker()
        for number in 0..<9 {
            let result = breaker.classify(badToken, for: token(number), .unknown, at: at(0))
            #expect(result == (.doubtful, nil))
            #expect(breaker.blockedUntil(for: .unknown, at: at(0)) == nil)
        }
        #expect(
            breaker.classify(badToken, for: token(9), .unknown, at: at(0)) == (
                .doubtful, .opened(because: "BadDeviceToken")
            )
        )
        #expect(breaker.blockedUntil(for: .unknown, at: at(0)) == at(30))
        // Outcomes of pushes in flight change nothing.
        for number in 10..<200 {
            #expect(
                breaker.classify(badToken, for: token(number), .unknown, at: at(1)) == (.doubtful, nil)
            )
        }
        #expect(breaker.blockedUntil(for: .unknown, at: at(29)) == at(30))
    }

    @Test func `a rejection of a token is credible after an acceptance`() throws {
        var breaker = CircuitBreaker()
        for number in 0..<100 {
            #expect(breaker.classify(.accepted, for: token(200), .unknown, at: at(0)) == (.credible, nil))
            #expect(breaker.classify(badToken, for: token(number), .unknown, at: at(0)) == (.credible, nil))
        }
        #expect(breaker.isClosed)
    }

    @Test func `a configuration that stops working costs three tokens`() throws {
        var breaker = CircuitBreaker()
        _ = breaker.classify(.accepted, for: token(200), .unknown, at: at(0))
        let classifications = (0..<10).map {
            breaker.classify(badToken, for: token($0), .proven, at: at(0)).classification
        }
        #expect(classifications == Array(repeating: .credible, count: 3) + Array(repeating: .doubtful, count: 7))
        #expect(!breaker.isClosed)
    }

    @Test func `repeated rejections of one token open nothing, and are credible after an acceptance`()
        throws
    {
        var breaker = CircuitBreaker()
        for _ in 0..<1000 {
            #expect(breaker.classify(badToken, for: token(1), .unknown, at: at(0)) == (.doubtful, nil))
        }
        #expect(breaker.blockedUntil(for: .unknown, at: at(0)) == nil)
        _ = breaker.classify(.accepted, for: token(2), .unknown, at: at(1))
        #expect(breaker.classify(badToken, for: token(1), .unknown, at: at(2)) == (.credible, nil))
    }

    @Test func `three rejections that name the configuration open the breaker`() throws {
        var breaker = CircuitBreaker()
        let one = token(1)
        #expect(
            breaker.classify(rejected(.configuration, "Forbidden"), for: one, .unknown, at: at(0)) == (.credible, nil)
        )
        #expect(
            breaker.classify(rejected(.configuration, "Forbidden"), for: one, .unknown, at: at(0)) == (.credible, nil)
        )
        let third = breaker.classify(rejected(.configuration, "Forbidden"), for: one, .unknown, at: at(0))
        #expect(third == (.credible, .opened(because: "Forbidden")))
    }

    @Test func `an acceptance in between keeps the breaker closed`() throws {
        var breaker = CircuitBreaker()
        for _ in 0..<10 {
            _ = breaker.classify(rejected(.configuration, "Forbidden"), for: token(1), .unknown, at: at(0))
            _ = breaker.classify(rejected(.configuration, "Forbidden"), for: token(1), .unknown, at: at(0))
            _ = breaker.classify(.accepted, for: token(2), .unknown, at: at(0))
        }
        #expect(breaker.isClosed)
    }

    @Test func `a rejection for frequent changes of the provider token opens the breaker at once`() throws {
        var breaker = CircuitBreaker()
        let result = breaker.classify(
            rejected(.tokenRenewalRate, "TooManyProviderTokenUpdates"),
            for: token(1),
            .unknown,
            at: at(0)
        )
        #expect(result == (.credible, .opened(because: "TooManyProviderTokenUpdates")))
    }

    @Test func `probes respect Retry-After`() throws {
        let rejection = rejected(.tokenRenewalRate, "TooManyProviderTokenUpdates", retryAfter: .seconds(1_200))
        var breaker = CircuitBreaker()
        _ = breaker.classify(rejection, for: token(1), .unknown, at: at(0))
        #expect(breaker.blockedUntil(for: .unknown, at: at(1199)) == at(1200))
        #expect(breaker.tryAcquire(.unknown, at: at(1200)) == true)
        _ = breaker.classify(rejection, for: token(1), .unknown, at: at(1200))
        #expect(breaker.blockedUntil(for: .unknown, at: at(1201)) == at(2400))
    }

    @Test func `answers that say nothing about the configuration neither open nor close the breaker`() throws {
        let others = [
            rejected(.other, "Unregistered"),
            .unanswered, .neverSent,
        ]
        var closed = CircuitBreaker()
        var open = try opened()
        for (number, answer) in (others + others + others).enumerated() {
            #expect(closed.classify(answer, for: token(number), .unknown, at: at(0)) == (.credible, nil))
            #expect(open.classify(answer, for: token(number), .unknown, at: at(0)) == (.credible, nil))
        }
        #expect(closed.isClosed)
        #expect(open.blockedUntil(for: .unknown, at: at(0)) == at(30))
    }

    @Test func `an open breaker allows one probe at a time, at growing intervals`() throws {
        var breaker = try opened()
        var time = 30
        for pause in [60, 120, 240, 300, 300] {
            #expect(breaker.blockedUntil(for: .unknown, at: at(time - 1)) == at(time))
            #expect(breaker.tryAcquire(.unknown, at: at(time)) == true)
            #expect(breaker.tryAcquire(.unknown, at: at(time)) == false)
            #expect(breaker.classify(badToken, for: token(1), .unknown, at: at(time)) == (.doubtful, nil))
            time += pause
        }
    }

    @Test func `an accepted probe closes the breaker and resets its counts`() throws {
        var breaker = try opened()
        #expect(breaker.tryAcquire(.unknown, at: at(30)) == true)
        #expect(breaker.classify(.accepted, for: token(1), .unknown, at: at(31)) == (.credible, .closed))
        #expect(breaker.blockedUntil(for: .suspect, at: at(31)) == nil)
        for number in 0..<9 { _ = breaker.classify(badToken, for: token(number), .proven, at: at(32)) }
        #expect(breaker.isClosed)
        _ = breaker.classify(badToken, for: token(9), .proven, at: at(32))
        #expect(breaker.blockedUntil(for: .proven, at: at(32)) == at(62))
    }

    @Test func `after an acceptance, rejections of unproven tokens do not open the breaker`() throws {
        var breaker = CircuitBreaker()
        for second in 0..<3 {
            _ = breaker.classify(.accepted, for: token(200), .unknown, at: at(second))
            var changes: [CircuitBreaker.Change] = []
            for number in 0..<200 {
                let reputation: CircuitBreaker.TokenReputation = number.isMultiple(of: 2) ? .unknown : .suspect
                let (classification, change) = breaker.classify(
                    badToken,
                    for: token(number),
                    reputation,
                    at: at(second)
                )
                // A few are credible after each acceptance.
                #expect(classification == (number < 3 ? .credible : .doubtful))
                if let change { changes.append(change) }
            }
            #expect(breaker.isClosed)
            #expect(changes == [.unknownTokensRejected(because: "BadDeviceToken")])
        }
    }

    @Test func `rejections of unproven tokens do not open the breaker if another node has a proven token`() throws {
        var breaker = CircuitBreaker()
        breaker.noteProvenToken()
        var changes: [CircuitBreaker.Change?] = []
        for number in 0..<20 {
            // No rejection is credible before an accepted push.
            let (classification, change) = breaker.classify(badToken, for: token(number), .unknown, at: at(0))
            #expect(classification == .doubtful)
            changes.append(change)
        }
        #expect(breaker.isClosed && changes.compactMap(\.self) == [.unknownTokensRejected(because: "BadDeviceToken")])
        for number in 100..<110 { _ = breaker.classify(badToken, for: token(number), .proven, at: at(1)) }
        #expect(!breaker.isClosed)
        #expect(
            breaker.blockedUntil(for: .unknown, at: at(31)) == at(61)
                && breaker.blockedUntil(for: .proven, at: at(31)) == nil
        )
    }

    @Test func `a breaker that unproven tokens opened is probed with proven tokens once there are some`() throws {
        var breaker = try opened()
        #expect(breaker.blockedUntil(for: .unknown, at: at(30)) == nil)
        breaker.noteProvenToken()
        #expect(breaker.blockedUntil(for: .unknown, at: at(30)) == at(60))
        #expect(breaker.tryAcquire(.proven, at: at(30)) == true)
        #expect(breaker.classify(.accepted, for: token(100), .proven, at: at(31)) == (.credible, .closed))
    }

    @Test func `a rejected probe to an unproven token does not double the probe delay`() throws {
        var breaker = CircuitBreaker()
        _ = breaker.classify(.accepted, for: token(200), .unknown, at: at(0))
        for number in 0..<10 { _ = breaker.classify(badToken, for: token(number), .proven, at: at(0)) }
        for probe in 0..<20 {
            let time = 60 + 30 * probe
            let isItsTurn = probe.isMultiple(of: 2)
            #expect(breaker.tryAcquire(.unknown, at: at(time)) == isItsTurn)
            if isItsTurn {
                #expect(breaker.classify(badToken, for: token(50), .unknown, at: at(time)) == (.doubtful, nil))
            }
        }
        #expect(breaker.tryAcquire(.proven, at: at(700)) == true)
        #expect(breaker.classify(.accepted, for: token(1), .proven, at: at(700)) == (.credible, .closed))
    }

    @Test func `a rejected token as probe shows that key, team and topic are valid again`() throws {
        var breaker = CircuitBreaker()
        for _ in 0..<3 {
            _ = breaker.classify(rejected(.configuration, "Forbidden"), for: token(1), .unknown, at: at(0))
        }
        #expect(!breaker.isClosed)
        #expect(breaker.tryAcquire(.unknown, at: at(30)) == true)
        #expect(breaker.classify(badToken, for: token(2), .unknown, at: at(31)) == (.doubtful, .closed))
        #expect(breaker.isClosed)
    }

    @Test func `the probe prefers the best token, and takes any if no better one comes`() throws {
        var cold = try opened()
        #expect(cold.tryAcquire(.suspect, at: at(30)) == false)
        #expect(cold.blockedUntil(for: .suspect, at: at(30)) == at(60))
        #expect(cold.tryAcquire(.unknown, at: at(30)) == true)

        var warm = CircuitBreaker()
        _ = warm.classify(.accepted, for: token(200), .unknown, at: at(0))
        for number in 0..<10 { _ = warm.classify(badToken, for: token(number), .proven, at: at(0)) }
        #expect(!warm.isClosed)
        #expect(warm.tryAcquire(.unknown, at: at(59)) == false)
        #expect(warm.tryAcquire(.proven, at: at(59)) == true)
        #expect(warm.classify(badToken, for: token(1), .proven, at: at(59)) == (.doubtful, nil))
        // A minute later for proven tokens, two minutes later for others.
        #expect(warm.blockedUntil(for: .proven, at: at(60)) == at(119))
        #expect(warm.tryAcquire(.unknown, at: at(178)) == false)
        #expect(warm.tryAcquire(.suspect, at: at(179)) == true)
    }

    @Test func `another key is probed at once, with the initial probe delay`() throws {
        var breaker = try opened()
        #expect(breaker.tryAcquire(.unknown, at: at(30)) == true)
        _ = breaker.classify(badToken, for: token(1), .unknown, at: at(31))
        #expect(breaker.blockedUntil(for: .unknown, at: at(32)) == at(91))
        breaker.keyChanged(at: at(32))
        #expect(breaker.tryAcquire(.unknown, at: at(32)) == true)
        #expect(breaker.tryAcquire(.unknown, at: at(33)) == false)
        #expect(breaker.blockedUntil(for: .unknown, at: at(33)) == at(62))

        var closed = CircuitBreaker()
        closed.keyChanged(at: at(0))
        #expect(closed.isClosed)
    }

    @Test func `a late acceptance of a push in flight closes the breaker only if it is the first acceptance`() throws {
        var warm = CircuitBreaker()
        _ = warm.classify(.accepted, for: token(200), .unknown, at: at(0))
        for number in 0..<10 { _ = warm.classify(badToken, for: token(number), .proven, at: at(0)) }
        #expect(warm.classify(.accepted, for: token(1), .proven, at: at(1)) == (.credible, nil))
        #expect(warm.blockedUntil(for: .proven, at: at(29)) == at(30))

        // Tokens without a reputation opened the breaker.
        var cold = try opened()
        #expect(cold.classify(.accepted, for: token(11), .unknown, at: at(1)) == (.credible, .closed))
        #expect(cold.blockedUntil(for: .unknown, at: at(1)) == nil)
        #expect(cold.classify(badToken, for: token(1), .suspect, at: at(2)) == (.credible, nil))

        var paused = CircuitBreaker()
        _ = paused.classify(
            rejected(.tokenRenewalRate, "TooManyProviderTokenUpdates"),
            for: token(1),
            .unknown,
            at: at(0)
        )
        #expect(paused.classify(.accepted, for: token(2), .unknown, at: at(1)) == (.credible, nil))
        #expect(!paused.isClosed)
    }

    @Test(arguments: [PushAnswer.unanswered, .neverSent])
    func `a probe without an answer is followed by another after the same delay`(answer: PushAnswer) throws {
        var breaker = try opened()
        #expect(breaker.tryAcquire(.unknown, at: at(30)) == true)
        #expect(breaker.classify(answer, for: token(1), .unknown, at: at(40)) == (.credible, nil))
        #expect(breaker.blockedUntil(for: .unknown, at: at(59)) == at(60))
        #expect(breaker.tryAcquire(.unknown, at: at(60)) == true)
        // The answer of the second probe is never reported.
        #expect(breaker.tryAcquire(.unknown, at: at(90)) == true)
    }
}
