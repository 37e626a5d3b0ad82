import HTTP2Transport
import Testing

/// The client against servers that are processes of their own: whatever they do, each request has its one outcome in time.
@Suite(.timeLimit(.minutes(1)))
struct PeerFaultTests {
    /// Slower machines than this have other troubles.
    private static let tolerance = Duration.seconds(30)

    /// What becomes of the requests, and a check that it took no longer than their deadline.
    private func outcomes(of fault: PeerFault, count: Int) async throws -> [HTTP2Outcome] {
        var outcomes: [HTTP2Outcome] = []
        let time = try await ContinuousClock().measure { outcomes = try await fault.meet() }
        #expect(time < PeerFault.requestTimeout + Self.tolerance)
        try #require(outcomes.count == count)
        return outcomes
    }

    /// How often each status came; nil for no answer.
    private func statuses(_ outcomes: some Sequence<HTTP2Outcome>) -> [Int?: Int] {
        outcomes.reduce(into: [:]) { $0[$1.status, default: 0] += 1 }
    }

    private func areNeverSent(_ outcomes: [HTTP2Outcome], because isReason: (HTTP2ConnectionEnd) -> Bool) -> Bool {
        outcomes.allSatisfy { outcome in
            guard case .neverProcessed(.connection(let end)) = outcome else { return false }
            return isReason(end)
        }
    }

    @Test(arguments: [
        (PeerFault.unverifiedCertificate, "unable to get local issuer certificate"), (.wrongHostName, "mismatch"),
        // OpenSSL's server ends the handshake with an alert when it knows protocols, but not ours.
        (.otherProtocol, "no application protocol"),
    ])
    func `a server that is not whom we want gets nothing`(fault: PeerFault, reason: String) async throws {
        let outcomes = try await outcomes(of: fault, count: 5)
        let areRefused = areNeverSent(outcomes) { end in
            guard case .handshakeFailed(let text) = end else { return false }
            return text.contains(reason)
        }
        #expect(areRefused, "\(outcomes)")
    }

    @Test func `a server that chooses no protocol gets nothing`() async throws {
        let outcomes = try await outcomes(of: .noALPN, count: 5)
        #expect(areNeverSent(outcomes) { $0 == .notHTTP2 }, "\(outcomes)")
    }

    @Test func `a server with one stream gets everything one by one`() async throws {
        #expect(statuses(try await outcomes(of: .oneStream, count: 500)) == [200: 500])
    }

    @Test func `a limit that falls from a thousand to one has none of those that wait refused`() async throws {
        #expect(statuses(try await outcomes(of: .limitFalls, count: 1501)) == [200: 1501])
    }

    @Test func `a GOAWAY moves the younger half of a thousand streams to another connection`() async throws {
        let outcomes = try await outcomes(of: .goAwayInTheMiddle, count: 1001)
        let connections = outcomes.map { outcome -> String? in
            guard case .response(let response) = outcome else { return nil }
            return String(decoding: response.body, as: UTF8.self)
        }
        #expect(connections == Array(repeating: "1", count: 501) + Array(repeating: "2", count: 500))
    }

    @Test func `a stream that is reset in mid request is unknown, and those beside it are not touched`() async throws {
        let outcomes = try await outcomes(of: .resetInMidRequest, count: 4)
        let isReset = HTTP2Outcome.unknown(.reset(errorCode: HTTP2ErrorCode.cancel))
        let isGood = HTTP2Outcome.response(HTTP2Response(status: 200, body: Array("1".utf8)))
        #expect(outcomes == [isReset, isGood, isReset, isGood])
    }

    @Test func `what is in flight when the server's TCP resets is unknown`() async throws {
        let outcomes = try await outcomes(of: .dies, count: 500)
        // Which of the two it is depends on whether the client was reading or writing.
        let resets = ["Connection reset by peer", "Broken pipe"].map { HTTP2ConnectionEnd.lost($0) }
        #expect(outcomes[0].status == 200)
        let areLost = outcomes.dropFirst().allSatisfy { outcome in
            switch outcome {
            case .unknown(.connection(let end)): resets.contains(end)
            // Nobody listens any more.
            case .neverProcessed(.connection(.refused)): true
            case .unknown, .neverProcessed, .response: false
            }
        }
        #expect(areLost, "\(Set(outcomes))")
        #expect(outcomes.contains { if case .unknown = $0 { true } else { false } })
    }

    @Test func `a server that accepts and never answers gets nothing`() async throws {
        let outcomes = try await outcomes(of: .acceptsOnly, count: 5)
        #expect(areNeverSent(outcomes) { $0 == .connectTimedOut }, "\(outcomes)")
    }

    @Test func `a server that falls silent costs what it was sent, and nothing later`() async throws {
        let outcomes = try await outcomes(of: .fallsSilent, count: 7)
        #expect(outcomes[1...5].allSatisfy { $0 == .unknown(.timedOut) }, "\(outcomes)")
        #expect([outcomes[0].status, outcomes[6].status] == [200, 200])
    }

    @Test func `a server that stops reading costs what it was sent, and nothing later`() async throws {
        let outcomes = try await outcomes(of: .stopsReading, count: 202)
        let during = Set(outcomes[1...200])
        #expect(during == [.unknown(.timedOut), .neverProcessed(.timedOut)], "\(during)")
        #expect([outcomes[0].status, outcomes[201].status] == [200, 200])
    }

    @Test func `a server that gives no room for bodies costs no more than the deadline`() async throws {
        let outcomes = try await outcomes(of: .givesNoWindow, count: 5)
        #expect(outcomes.allSatisfy { $0 == .neverProcessed(.timedOut) }, "\(outcomes)")
    }

    @Test func `a server that is slow to shake hands loses only those that cannot wait`() async throws {
        let outcomes = try await outcomes(of: .shakesHandsSlowly, count: 2)
        #expect(outcomes[0] == .neverProcessed(.timedOut))
        #expect(outcomes[1].status == 200)
    }

    @Test func `a server that fails everything is believed each time`() async throws {
        #expect(statuses(try await outcomes(of: .failsEverything, count: 5000)) == [503: 5000])
    }
}
