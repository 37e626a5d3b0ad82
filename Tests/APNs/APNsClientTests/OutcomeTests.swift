import APNsClient
import Foundation
import HTTP2Transport
import Testing

/// Each push has one correct outcome.
@Suite(.timeLimit(.minutes(10)))
struct OutcomeTests {
    /// The behavior of a peer for one request.
    private enum Behavior {
        case accept
        case reject
        case ignore
        case reset
        case refuseStream
        case goAway
        case closeConnection
    }

    /// SplitMix64, so that a seed determines all behaviors.
    private static func bits(_ seed: UInt64) -> UInt64 {
        var bits = seed &+ 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// Most requests are accepted, so that connections live for a while.
    private static func behavior(seed: UInt64, push: UInt64, attempt: Int) -> Behavior {
        let bits = bits(seed &* 1_000_003 &+ push &* 101 &+ UInt64(attempt))
        let rare: [Behavior] = [.reject, .ignore, .reset, .refuseStream, .goAway, .closeConnection]
        return bits % 100 < 5 ? rare[Int((bits >> 32) % UInt64(rare.count))] : .accept
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `outcomes are correct under random faults`(seed: UInt64) async throws {
        let behaviors = Recorder<[String: [Behavior]]>([:])
        let apns = try TestAPNs(requestTimeout: .seconds(4), maxConcurrentStreams: 20) { request, connection in
            let push = UInt64(request.path.suffix(8), radix: 16) ?? 0
            let behavior = Self.behavior(seed: seed, push: push, attempt: behaviors.value[request.path]?.count ?? 0)
            behaviors.change { $0[request.path, default: []].append(behavior) }
            switch behavior {
            case .accept: return HTTP2Response(status: 200)
            case .reject: return APNsClientTests.reject(410, "Unregistered")
            case .ignore: break
            case .reset: connection.reset(request.streamID)
            case .refuseStream: connection.reset(request.streamID, errorCode: HTTP2ErrorCode.refusedStream)
            case .goAway:
                connection.goAway()
                return HTTP2Response(status: 200)
            case .closeConnection: connection.close()
            }
            return nil
        }
        let pushes = try (0..<300).map { try makePush($0) }
        let outcomes = await apns.client.send(pushes)
        #expect(outcomes.count == pushes.count)
        #expect(outcomes.contains { if case .accepted = $0 { true } else { false } })
        for (push, outcome) in zip(pushes, outcomes) {
            let behaviors = behaviors.value["/3/device/\(push.deviceToken.hex)"] ?? []
            // Only requests that the peer has refused are repeated.
            let processed = behaviors.filter { $0 != .refuseStream }
            #expect(processed.count <= 1, "\(push.deviceToken): \(behaviors)")
            switch outcome {
            case .accepted(let apnsID, _):
                #expect(apnsID == push.id)
                #expect(processed == [.accept] || processed == [.goAway])
            case .rejected(let rejection):
                #expect(rejection.reason == .unregistered)
                #expect(processed == [.reject])
            case .unknown:
                // The request or its response was lost with its connection.
                break
            case .neverSent:
                #expect(processed.isEmpty, "\(push.deviceToken): \(behaviors)")
            }
        }
    }

    @Test func `a push that waits behind an unanswered one is never sent`() async throws {
        let apns = try TestAPNs(requestTimeout: .seconds(1)) { _, _ in nil }
        let outcomes = await apns.client.send(try (0..<3).map { try makePush($0) })
        #expect(outcomes == [.unknown(.timedOut), .neverSent(.timedOut), .neverSent(.timedOut)])
        #expect(apns.requests.value.count == 1)
    }

    @Test func `pushes in flight have the reason of a GOAWAY`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: HTTP2ServerConnection.self)
        let unanswered = try makePush(1)
        let apns = try TestAPNs { request, connection in
            guard request.path.hasSuffix(unanswered.deviceToken.hex) else { return HTTP2Response(status: 200) }
            arrived.yield(connection)
            return nil
        }
        async let outcome = apns.client.send(unanswered)
        var arrival = arrivals.makeAsyncIterator()
        let connection = try #require(await arrival.next())
        connection.goAway(debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
        // A response on the next connection shows that the client has the GOAWAY.
        guard case .accepted = await apns.client.send(try makePush(2)) else {
            Issue.record("the push was not accepted")
            return
        }
        connection.close()
        #expect(await outcome == .unknown(.goAway(.shutdown, errorCode: 0)))
    }

    @Test func `the failure names a refused connection`() async throws {
        // Nothing listens on port 1, which is privileged.
        var configuration = APNsClient.Configuration(
            environment: .simulator,
            port: 1,
            providerKey: try makeProviderKey()
        )
        configuration.requestTimeout = .milliseconds(200)
        let client = try APNsClient(configuration: configuration, now: { 0 }, logger: quiet)
        guard case .neverSent(.connection(let reason)) = await client.send(try makePush()) else {
            Issue.record("the push was sent")
            return
        }
        #expect(reason.contains("127.0.0.1"))
    }

    @Test func `a peer with an untrusted certificate receives no push`() async throws {
        let apns = try TestAPNs { _, _ in HTTP2Response(status: 200) }
        let stranger = try CertificateAuthority(name: "Another authority")
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
        try stranger.certificatePEM.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = APNsClient.Configuration(
            environment: .simulator,
            port: apns.port,
            caFile: file.path,
            providerKey: try makeProviderKey()
        )
        configuration.requestTimeout = .milliseconds(500)
        let client = try APNsClient(configuration: configuration, now: { 0 }, logger: quiet)
        guard case .neverSent(.connection(let reason)) = await client.send(try makePush()) else {
            Issue.record("the push was sent")
            return
        }
        #expect(reason.contains("certificate"))
        #expect(apns.requests.value.isEmpty)
    }
}
