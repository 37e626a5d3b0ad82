import Encodings
import Foundation
import HTTP2Transport
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import SignInWithApple

/// Keys from files, and from a real HTTP/2 server over TLS.
struct AppleKeysTests {
    private static let start = Timestamp(epochSeconds: 1_790_000_000)

    /// A server of keys, whose response a test changes.
    private final class KeyServer: HTTP2RequestHandler {
        let response = Mutex(HTTP2Response(status: 503))
        let paths = Mutex<[String]>([])

        func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
            paths.withLock { $0.append("\(request.method) \(request.path)") }
            return response.withLock { $0 }
        }

        func serve(_ issuers: AppleIssuer...) {
            let body = Array(AppleIssuer.keySet(issuers).utf8)
            response.withLock { $0 = HTTP2Response(status: 200, body: body) }
        }

        func serve(status: Int, headers: [HTTP2Header] = [], body: [UInt8] = []) {
            response.withLock { $0 = HTTP2Response(status: status, headers: headers, body: body) }
        }

        var requests: [String] { paths.withLock { $0 } }
    }

    /// A clock that both clocks of a runtime follow.
    private final class Clock: Sendable {
        private let elapsed = Mutex(Duration.zero)
        private let origin = ContinuousClock.now

        var now: Timestamp { AppleKeysTests.start + elapsed.withLock { $0 } }
        func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }

        var runtime: Runtime {
            Runtime(now: { self.now }, randomBits: { 0 }, uptime: { self.origin + self.elapsed.withLock { $0 } })
        }
    }

    private struct World {
        let clock = Clock()
        let handler = KeyServer()
        let logs = LogRecorder()
        let server: HTTP2Server
        let signIn: AppleSignIn

        init(trusted: Bool = true) throws {
            let authority = try CertificateAuthority(name: "Test authority")
            let other = try CertificateAuthority(name: "Other authority")
            server = try HTTP2Server(
                configuration: .init(identity: try authority.issueIdentity(for: ["127.0.0.1"])),
                handler: handler
            )
            signIn = try AppleSignIn(
                source: .resource(host: "127.0.0.1", port: server.port, path: "/auth/keys"),
                bundleIDs: ["com.example.rangers"],
                trust: .authorities(pem: (trusted ? authority : other).certificatePEM),
                runtime: clock.runtime,
                logger: logs.logger
            )
        }

        @discardableResult
        func signIn(with issuer: AppleIssuer) async throws -> AppleAccount {
            try await signIn.account(ofToken: issuer.token(nonce: "nonce", at: clock.now), nonce: "nonce")
        }
    }

    @Test func `an unknown key renews the keys, at most once a minute`() async throws {
        let world = try World()
        let (first, second, unknown) = (
            try AppleIssuer(keyID: "first"), try AppleIssuer(keyID: "second"), try AppleIssuer(keyID: "unknown")
        )
        world.handler.serve(first)
        for _ in 0..<3 { try await world.signIn(with: first) }
        #expect(world.handler.requests == ["GET /auth/keys"])

        world.handler.serve(first, second)
        await #expect(throws: IdentityTokenError.unknownKey) { try await world.signIn(with: second) }
        world.clock.advance(by: .seconds(60))
        try await world.signIn(with: second)
        #expect(world.handler.requests.count == 2)

        // Tokens with invented keys cost no further requests, however many they are.
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    await #expect(throws: IdentityTokenError.unknownKey) { try await world.signIn(with: unknown) }
                }
            }
        }
        #expect(world.handler.requests.count == 2)
        world.clock.advance(by: .seconds(60))
        // Those that wait for one request share it.
        await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    await #expect(throws: IdentityTokenError.unknownKey) { try await world.signIn(with: unknown) }
                }
            }
        }
        #expect(world.handler.requests.count == 3)
        try await world.signIn(with: first)
    }

    @Test func `the last good keys stay when the keys cannot be renewed`() async throws {
        let world = try World()
        let (first, second) = (try AppleIssuer(keyID: "first"), try AppleIssuer(keyID: "second"))
        world.handler.serve(first)
        try await world.signIn(with: first)
        let failures: [(status: Int, body: [UInt8])] = [
            (500, []), (404, []), (200, []), (200, Array("{}".utf8)), (200, [UInt8](repeating: 0x20, count: 100_000)),
        ]
        for failure in failures {
            world.handler.serve(status: failure.status, body: failure.body)
            world.clock.advance(by: .seconds(60))
            await #expect(throws: IdentityTokenError.unknownKey) { try await world.signIn(with: second) }
            try await world.signIn(with: first)
        }
        await world.server.stop()
        world.clock.advance(by: .seconds(48 * 60 * 60))
        try await world.signIn(with: first)
        let lines = world.logs.lines("the keys of Sign in with Apple cannot be read")
        #expect(lines.count == failures.count + 1)
        #expect(lines.allSatisfy { $0.metadata["kept"] == "true" })
        #expect(lines.first?.metadata["reason"] == "The server responded with status 500, not 200")
    }

    @Test func `a withdrawn key is valid for a day at most`() async throws {
        let world = try World()
        let (first, second) = (try AppleIssuer(keyID: "first"), try AppleIssuer(keyID: "second"))
        world.handler.serve(first, second)
        try await world.signIn(with: second)
        world.handler.serve(first)
        world.clock.advance(by: .seconds(24 * 60 * 60 - 1))
        try await world.signIn(with: second)
        world.clock.advance(by: .seconds(1))
        await #expect(throws: IdentityTokenError.unknownKey) { try await world.signIn(with: second) }
        try await world.signIn(with: first)
    }

    @Test func `a redirection is not followed, and the keys are requested again after a few seconds`() async throws {
        let world = try World()
        let issuer = try AppleIssuer(keyID: "first")
        let location = "https://127.0.0.1:\(world.server.port)/elsewhere"
        world.handler.serve(status: 302, headers: [HTTP2Header("location", location)])
        for _ in 0..<2 { await #expect(throws: AppleKeysError.self) { try await world.signIn(with: issuer) } }
        #expect(world.handler.requests == ["GET /auth/keys"])
        world.handler.serve(issuer)
        world.clock.advance(by: AppleKeys.initialInterval)
        try await world.signIn(with: issuer)
    }

    @Test func `a server with another certificate is not trusted`() async throws {
        let world = try World(trusted: false)
        let issuer = try AppleIssuer(keyID: "first")
        world.handler.serve(issuer)
        await #expect(throws: AppleKeysError.self) { try await world.signIn(with: issuer) }
        #expect(world.handler.requests.isEmpty)
    }

    @Test func `a file is read at the start, and again for an unknown key`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "apple-keys-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        let clock = Clock()
        func makeSignIn() throws -> AppleSignIn {
            try AppleSignIn(
                source: .file(path: file.path),
                bundleIDs: ["com.example.rangers"],
                runtime: clock.runtime,
                logger: LogRecorder().logger
            )
        }
        #expect(throws: AppleKeysError.self) { try makeSignIn() }
        let (first, second) = (try AppleIssuer(keyID: "first"), try AppleIssuer(keyID: "second"))
        try AppleIssuer.keySet([first]).write(to: file, atomically: true, encoding: .utf8)
        let signIn = try makeSignIn()
        _ = try await signIn.account(ofToken: first.token(nonce: "nonce", at: clock.now), nonce: "nonce")
        try AppleIssuer.keySet([second]).write(to: file, atomically: true, encoding: .utf8)
        _ = try await signIn.account(ofToken: second.token(nonce: "nonce", at: clock.now), nonce: "nonce")
    }
}
