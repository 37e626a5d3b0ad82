import Testing

@testable import HTTP2Transport

/// Two links on a pair of sockets.
///
/// The test runs their loops turn by turn, so that nothing depends on time.
struct LinkTests {
    /// Records the events of a link.
    private final class Owner: HTTP2LinkOwner {
        private(set) var isSecured = false
        /// The stream limits in the received SETTINGS, each of which the peer sent in its own TLS record.
        private(set) var limits: [Int] = []
        private(set) var end: HTTP2ConnectionEnd?

        func linkSecured(_ link: HTTP2Link) {
            isSecured = true
            link.wantsToWrite()
        }

        func linkReceivedBytes(_ link: HTTP2Link) {}

        func link(_ link: HTTP2Link, reported events: [HTTP2SessionEvent]) {
            for event in events {
                if case .settingsReceived(let limit) = event { limits.append(limit) }
            }
        }

        func linkFlushed(_ link: HTTP2Link) {}

        func link(_ link: HTTP2Link, ended end: HTTP2ConnectionEnd) {
            self.end = end
        }
    }

    /// One end of the pair, with a loop that the test runs.
    private final class Side {
        let owner = Owner()
        let link: HTTP2Link
        private let mailbox: Mailbox
        private let selector: Selector

        init(_ socket: Descriptor, _ role: HTTP2Session.Role, _ tls: TLSStream?) throws {
            mailbox = try Mailbox()
            selector = Selector(poll: try Poll(), wakeDescriptor: mailbox.wakeDescriptor)
            link = HTTP2Link(
                socket: socket,
                tls: try #require(tls),
                session: HTTP2Session(
                    role: role,
                    settings: .init(maxConcurrentStreams: 0, windowBytes: 65_535, maxBodyBytes: 0)
                ),
                selector: selector,
                owner: owner
            )
            link.start()
        }

        /// Runs a turn, which does not wait since there is a job.
        func turn() {
            mailbox.post { _ in }
            if selector.awaitReadiness() { _ = mailbox.take() }
            selector.finishTurn()
        }
    }

    private static func makePair() throws -> (client: Side, server: Side) {
        let (near, far) = try makeSocketPair()
        let authority = try CertificateAuthority(name: "Test authority")
        let trusting = try TLSContext(trusting: .authorities(pem: authority.certificatePEM))
        let proving = try TLSContext(identity: try authority.issueIdentity(for: ["localhost"]))
        let clientTLS = TLSStream(connecting: trusting, to: "localhost", on: near.rawValue)
        let client = try Side(near, .client, clientTLS)
        let server = try Side(far, .server, TLSStream(accepting: proving, on: far.rawValue))
        return (client, server)
    }

    /// Returns the number of limits that the client reads in each of four turns.
    ///
    /// The server has sent `count` limits before, each in its own TLS record.
    private static func readings(of count: Int) throws -> [Int] {
        let (client, server) = try makePair()
        // After a few turns the handshake is complete, and both sides have acknowledged the first SETTINGS.
        for _ in 0..<10 {
            client.turn()
            server.turn()
        }
        try #require(client.owner.isSecured && server.owner.isSecured)
        #expect(client.owner.limits == [0])

        for limit in 1...count {
            server.link.session.submitMaxConcurrentStreams(limit)
            server.link.wantsToWrite()
            server.turn()
        }
        var readings: [Int] = []
        for _ in 0..<4 {
            let before = client.owner.limits.count
            client.turn()
            readings.append(client.owner.limits.count - before)
        }
        #expect(client.owner.limits == Array(0...count))
        #expect(client.owner.end == nil && server.owner.end == nil)
        client.link.close()
        server.link.close()
        return readings
    }

    @Test func `a long burst is read completely, in growing parts over several turns`()
        async throws
    {
        // Runs on a thread that blocks SIGPIPE, like a loop's thread.
        let readings = try await withCheckedThrowingContinuation { continuation in
            do throws(TransportError) {
                try startThread(name: "test-links") {
                    continuation.resume(with: Result { try Self.readings(of: 100) })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(readings == [16, 32, 48, 4])
    }
}
