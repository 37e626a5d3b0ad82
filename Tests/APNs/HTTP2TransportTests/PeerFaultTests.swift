import HTTP2Transport
import Testing

/// Faults of servers in other processes: each request has exactly one outcome in time.
@Suite(.timeLimit(.minutes(10)))
struct PeerFaultTests {
    /// The allowance for slow machines.
    private static let tolerance = Duration.seconds(30)

    /// Returns the outcomes, and checks that they arrived by their deadline.
    private func outcomes(of fault: PeerFault, count: Int) async throws -> [HTTP2Outcome] {
        var outcomes: [HTTP2Outcome] = []
        let time = try await ContinuousClock().measure { outcomes = try await fault.run() }
        #expect(time < PeerFault.requestTimeout + Self.tolerance)
        try #require(outcomes.count == count)
        return outcomes
    }

    /// Returns the number of outcomes with each status; nil for no response.
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
        // OpenSSL's server ends the handshake with an alert if it supports other protocols only.
        (.otherProtocol, "no application protocol"),
    ])
    func `a server with an invalid identity receives no request`(fault: PeerFault, reason: String) async throws {
        let outcomes = try await outcomes(of: fault, count: 5)
        let areRefused = areNeverSent(outcomes) { end in
            guard case .handshakeFailed(let text) = end else { return false }
            return text.contains(reason)
        }
        #expect(areRefused, "\(outcomes)")
    }

    @Test func `a server that negotiates no protocol receives no request`() async throws {
        let outcomes = try await outcomes(of: .noALPN, count: 5)
        #expect(areNeverSent(outcomes) { $0 == .notHTTP2 }, "\(outcomes)")
    }

    @Test func `a server with one stream receives requests one by one`() async throws {
        #expect(statuses(try await outcomes(of: .oneStream, count: 500)) == [200: 500])
    }

    @Test func `no request is refused when the limit falls from a thousand to one`() async throws {
        #expect(statuses(try await outcomes(of: .limitFalls, count: 1501)) == [200: 1501])
    }

    @Test func `a GOAWAY moves the newer half of a thousand streams to another connection`() async throws {
        let outcomes = try await outcomes(of: .goAwayInTheMiddle, count: 1001)
        let connections = outcomes.map { outcome -> String? in
            guard case .response(let response) = outcome else { return nil }
            return String(decoding: response.body, as: UTF8.self)
        }
        #expect(connections == Array(repeating: "1", count: 501) + Array(repeating: "2", count: 500))
    }

    @Test func `a stream that is reset during its request has an unknown outcome, and others are not affected`()
        async throws
    {
        let outcomes = try await outcomes(of: .resetInMidRequest, count: 4)
        let isReset = HTTP2Outcome.unknown(.reset(errorCode: HTTP2ErrorCode.cancel))
        let isGood = HTTP2Outcome.response(HTTP2Response(status: 200, body: Array("1".utf8)))
        #expect(outcomes == [isReset, isGood, isReset, isGood])
    }

    @Test func `requests in flight at a TCP reset have an unknown outcome`() async throws {
        let outcomes = try await outcomes(of: .dies, count: 500)
        // The reason depends on whether the client was reading or writing.
        let resets = ["Connection reset by peer", "Broken pipe"].map { HTTP2ConnectionEnd.lost($0) }
        #expect(outcomes[0].status == 200)
        let areLost = outcomes.dropFirst().allSatisfy { outcome in
            switch outcome {
            case .unknown(.connection(let end)): resets.contains(end)
            // The server did not listen any more, or ended while the next connection was being opened.
            case .neverProcessed(.connection(.refused)): true
            case .neverProcessed(.connection(let end)): resets.contains(end)
            case .unknown, .neverProcessed, .response: false
            }
        }
        #expect(areLost, "\(Set(outcomes))")
        #expect(outcomes.contains { if case .unknown = $0 { true } else { false } })
    }

    @Test func `a server that accepts without a handshake receives no request`() async throws {
        let outcomes = try await outcomes(of: .acceptsOnly, count: 5)
        #expect(areNeverSent(outcomes) { $0 == .connectTimedOut }, "\(outcomes)")
    }

    @Test func `an unresponsive server affects only requests that it was sent`() async throws {
        let outcomes = try await outcomes(of: .fallsSilent, count: 7)
        #expect(outcomes[1...5].allSatisfy { $0 == .unknown(.timedOut) }, "\(outcomes)")
        #expect([outcomes[0].status, outcomes[6].status] == [200, 200])
    }

    @Test func `a server that stops reading affects only requests until it resumes`() async throws {
        let outcomes = try await outcomes(of: .stopsReading, count: 202)
        let during = Set(outcomes[1...200])
        #expect(during == [.unknown(.timedOut), .neverProcessed(.timedOut)], "\(during)")
        #expect([outcomes[0].status, outcomes[201].status] == [200, 200])
    }

    @Test func `requests to a server without a window for bodies end at their deadline`() async throws {
        let outcomes = try await outcomes(of: .givesNoWindow, count: 5)
        #expect(outcomes.allSatisfy { $0 == .neverProcessed(.timedOut) }, "\(outcomes)")
    }

    @Test func `a slow handshake fails only requests with a short timeout`() async throws {
        let outcomes = try await outcomes(of: .shakesHandsSlowly, count: 2)
        #expect(outcomes[0] == .neverProcessed(.timedOut))
        #expect(outcomes[1].status == 200)
    }

    @Test func `every error response is delivered`() async throws {
        #expect(statuses(try await outcomes(of: .failsEverything, count: 5000)) == [503: 5000])
    }
}
