import HTTP2Transport
import TestSupport

/// Faults of a server in another process.
enum PeerFault: CaseIterable {
    case unverifiedCertificate
    case wrongHostName
    case noALPN
    case otherProtocol
    case oneStream
    case limitFalls
    case goAwayInTheMiddle
    case resetInMidRequest
    case dies
    case acceptsOnly
    case fallsSilent
    case stopsReading
    case givesNoWindow
    case shakesHandsSlowly
    case failsEverything

    /// The timeout of requests that receive no response.
    static let requestTimeout = Duration.seconds(1)

    /// Runs a client against a server with the fault.
    /// - Returns: the outcomes of the requests, in order.
    func run() async throws -> [HTTP2Outcome] {
        let authority = try CertificateAuthority(name: "Test authority")
        let identity = try authority.issueIdentity(for: [self == .wrongHostName ? "api.push.apple.com" : "127.0.0.1"])
        let trusted = self == .unverifiedCertificate ? try CertificateAuthority(name: "Someone else") : authority
        let peer = try start(identity)
        defer { peer.stop() }
        let client = try makeClient(port: peer.port, trusting: trusted, configure)
        let outcomes = try await send(client, to: peer) { try makeClient(port: peer.port, trusting: trusted, $0) }
        await client.shutDown(within: .seconds(5))
        return outcomes
    }

    private func start(_ identity: TLSIdentity) throws -> PeerProcess {
        switch self {
        case .unverifiedCertificate, .wrongHostName, .acceptsOnly, .fallsSilent, .stopsReading, .shakesHandsSlowly:
            try .nghttpd(identity)
        case .oneStream: try .nghttpd(identity, maxConcurrentStreams: 1)
        case .noALPN: try .openSSL(identity)
        case .otherProtocol: try .openSSL(identity, options: ["-alpn", "http/1.1"])
        case .limitFalls: try .faulty(identity, ["limit-falls"])
        case .goAwayInTheMiddle: try .faulty(identity, ["go-away"])
        case .resetInMidRequest: try .faulty(identity, ["reset"])
        case .dies: try .faulty(identity, ["die"])
        case .givesNoWindow: try .faulty(identity, ["no-window"])
        case .failsEverything: try .faulty(identity, ["storm", "503", "ServiceUnavailable"])
        }
    }

    /// Shortens the timeouts for faults without a response; the others keep the default timeouts, for slow machines.
    private func configure(_ configuration: inout HTTP2Client.Configuration) {
        // Unprocessed requests are reported immediately.
        if self == .limitFalls { configuration.maxAttempts = 1 }
        switch self {
        case .oneStream, .limitFalls, .goAwayInTheMiddle, .resetInMidRequest, .shakesHandsSlowly, .failsEverything:
            break
        case .acceptsOnly:
            configuration.connectTimeout = .milliseconds(100)
            configuration.requestTimeout = Self.requestTimeout
        case .unverifiedCertificate, .wrongHostName, .noALPN, .otherProtocol, .dies, .fallsSilent, .stopsReading,
            .givesNoWindow:
            configuration.requestTimeout = Self.requestTimeout
        }
    }

    private func send(
        _ client: HTTP2Client,
        to peer: PeerProcess,
        makeOther: ((inout HTTP2Client.Configuration) -> Void) throws -> HTTP2Client
    ) async throws -> [HTTP2Outcome] {
        switch self {
        case .unverifiedCertificate, .wrongHostName, .noALPN, .otherProtocol, .givesNoWindow:
            return await client.send((0..<5).map { post("/\($0)", "x") })
        case .oneStream, .dies:
            return await client.send((0..<500).map { post("/\($0)", String(repeating: "x", count: 4000)) })
        case .limitFalls:
            return await client.send((0...1500).map { post("/\($0)", "x") })
        case .goAwayInTheMiddle:
            return await client.send((0...1000).map { post("/\($0)", "x") })
        case .failsEverything:
            return await client.send((0..<5000).map { post("/\($0)", "x") })
        case .resetInMidRequest:
            let body = String(repeating: "x", count: 1_000_000)
            return await client.send([post("/reset", body), post("/good"), post("/reset", body), post("/good")])
        case .acceptsOnly:
            try peer.pause()
            return await client.send((0..<5).map { post("/\($0)", "x") })
        case .fallsSilent:
            return try await sendAroundPause(client, of: peer, (0..<5).map { post("/\($0)", "x") })
        case .stopsReading:
            // More than the buffers of both sockets.
            let body = String(repeating: "x", count: 100_000)
            return try await sendAroundPause(client, of: peer, (0..<200).map { post("/\($0)", body) })
        case .shakesHandsSlowly:
            return try await sendThroughPause(client, of: peer, makeOther)
        }
    }

    /// Sends one request before the server is paused, the others during the pause, and one more after it.
    private func sendAroundPause(
        _ client: HTTP2Client,
        of peer: PeerProcess,
        _ requests: [HTTP2ClientRequest]
    ) async throws -> [HTTP2Outcome] {
        let before = await client.send(post("/before"))
        try peer.pause()
        let during = await client.send(requests)
        peer.resume()
        return [before] + during + [await client.send(post("/after"))]
    }

    /// Resumes the paused server after the requests of a second client have timed out.
    private func sendThroughPause(
        _ client: HTTP2Client,
        of peer: PeerProcess,
        _ makeOther: ((inout HTTP2Client.Configuration) -> Void) throws -> HTTP2Client
    ) async throws -> [HTTP2Outcome] {
        try peer.pause()
        let shortTimeoutClient = try makeOther { $0.requestTimeout = Self.requestTimeout }
        async let laterOutcome = client.send(post("/long-timeout", "x"))
        let timedOutOutcome = await shortTimeoutClient.send(post("/short-timeout", "x"))
        peer.resume()
        let outcomes = [timedOutOutcome, await laterOutcome]
        await shortTimeoutClient.shutDown(within: .zero)
        return outcomes
    }
}
