import APNsClient
import Cryptography
import Encodings
import Foundation
import HTTP2Transport
import Logging
import ServiceLifecycle
import Testing

@Suite(.timeLimit(.minutes(10)))
struct KeyRotationTests {
    private func key(_ keyID: String) throws -> ProviderKey {
        try ProviderKey(pem: try P256PrivateKey.generate().pem, keyID: keyID, teamID: "DEF123GHIJ")
    }

    @Test func `a new key signs all later pushes, on another connection`() async throws {
        let connections = Recorder<[Int]>([])
        let apns = try TestAPNs { _, connection in
            connections.change { $0.append(connection.id) }
            return HTTP2Response(status: 200)
        }
        _ = await apns.client.send(try makePush())
        try await apns.client.use(try key("NEXTKEY123"))
        _ = await apns.client.send(try makePush())
        #expect(apns.requests.value.compactMap(keyID) == ["ABC123DEFG", "NEXTKEY123"])
        #expect(Set(connections.value).count == 2)
    }

    @Test func `a new key connects before the first push`() async throws {
        let apns = try TestAPNs { _, _ in HTTP2Response(status: 200) }
        try await apns.client.use(try key("NEXTKEY123"))
        var connections = apns.connections.makeAsyncIterator()
        try #require(await connections.next() != nil)
        #expect(apns.requests.value.isEmpty)
    }

    @Test func `the current key as new key changes nothing`() async throws {
        let connections = Recorder<[Int]>([])
        let apns = try TestAPNs { _, connection in
            connections.change { $0.append(connection.id) }
            return HTTP2Response(status: 200)
        }
        let next = try key("NEXTKEY123")
        try await apns.client.use(next)
        _ = await apns.client.send(try makePush())
        try await apns.client.use(next)
        _ = await apns.client.send(try makePush())
        #expect(Set(connections.value).count == 1)
        #expect(Set(apns.requests.value.map { $0.headers["authorization"] }).count == 1)
    }

    @Test func `pushes in flight finish with the old key, and waiting ones use the new key`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: (HTTP2ServerConnection, Int32).self)
        let apns = try TestAPNs(maxConcurrentStreams: 1) { request, connection in
            guard keyID(request) == "ABC123DEFG" else { return HTTP2Response(status: 200) }
            arrived.yield((connection, request.streamID))
            return nil
        }
        let pushes = try (0..<10).map { try makePush($0) }
        async let outcomes = apns.client.send(pushes)
        var iterator = arrivals.makeAsyncIterator()
        let (connection, streamID) = try #require(await iterator.next())
        let next = try key("NEXTKEY123")
        async let rotation: Void = apns.client.use(next)
        // An accepted push shows that the new key is in use; only then the server responds.
        while await apns.client.send(pushes[0]) != .accepted(apnsID: pushes[0].id, uniqueID: nil) {}
        connection.respond(streamID, with: HTTP2Response(status: 200))
        try await rotation
        #expect(await outcomes == pushes.map { .accepted(apnsID: $0.id, uniqueID: nil) })
        #expect(apns.requests.value.compactMap(keyID).filter { $0 == "ABC123DEFG" }.count == 1)
    }

    @Test func `a stopped client ignores a new key`() async throws {
        let apns = try TestAPNs { _, _ in HTTP2Response(status: 200) }
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await apns.client.run() }
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
        try await apns.client.use(try key("NEXTKEY123"))
        #expect(await apns.client.send(try makePush()) == .neverSent(.shuttingDown))
    }

    @Test func `each client has its own key`() async throws {
        let production = try TestAPNs { _, _ in HTTP2Response(status: 200) }
        let sandbox = try TestAPNs { _, _ in HTTP2Response(status: 200) }
        try await sandbox.client.use(try key("SANDBOX123"))
        _ = await production.client.send(try makePush())
        _ = await sandbox.client.send(try makePush())
        #expect(production.requests.value.compactMap(keyID) == ["ABC123DEFG"])
        #expect(sandbox.requests.value.compactMap(keyID) == ["SANDBOX123"])
    }
}

/// Returns the `kid` of a request's provider token.
private func keyID(_ request: HTTP2Request) -> String? {
    struct Header: Decodable {
        let kid: String
    }
    let header = (request.headers["authorization"] ?? "").dropFirst("bearer ".count).prefix { $0 != "." }
    return Data(base64URL: header).flatMap { try? JSONDecoder().decode(Header.self, from: $0) }?.kid
}
