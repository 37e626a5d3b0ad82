import Encodings
import Foundation
import HTTP2Transport
import PrivatePostgres
import ServiceRuntime
import TestSupport
import Testing

/// Sign in with Apple on the real `rangersd`, with keys from an HTTP/2 server over TLS.
@Suite struct AppleSignInTests {
    private struct KeyServer: HTTP2RequestHandler {
        let keys: [UInt8]

        func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
            HTTP2Response(status: request.path == "/auth/keys" ? 200 : 404, body: keys)
        }
    }

    private func withTemporaryFolder<Result>(_ test: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apple-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await test(folder)
    }

    private func send(_ method: String, _ path: String, _ body: String, token: String? = nil, port: Int) async throws
        -> [String]
    {
        let authorization = token.map { ["--header", "Authorization: Bearer \($0)"] } ?? []
        let reply = try await Executable.run(
            at: URL(filePath: "/usr/bin/curl"),
            ["--noproxy", "*", "--silent", "--show-error", "--max-time", "60", "--request", method]
                + ["--write-out", "\n%{http_code}", "--json", body] + authorization
                + ["http://127.0.0.1:\(port)\(path)"],
            environment: [:]
        )
        return reply.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test func `a player links an account and signs in with it, with keys from a URL`() async throws {
        try await withTemporaryFolder { folder in
            let issuer = try AppleIssuer(keyID: "ABC")
            let authority = try CertificateAuthority(name: "Test authority")
            let server = try HTTP2Server(
                configuration: .init(identity: try authority.issueIdentity(for: ["127.0.0.1"])),
                handler: KeyServer(keys: Array(AppleIssuer.keySet([issuer]).utf8))
            )
            let (trusted, ready) = (folder.appending(path: "ca.pem"), folder.appending(path: "ready.json"))
            try authority.certificatePEM.write(to: trusted, atomically: true, encoding: .utf8)
            let process = try RunningExecutable(
                "rangersd",
                ["serve", "--role", "api", "--ready-file", ready.path],
                environment: [
                    "RANGERS_DATABASE_URL": try await TestDatabases.make(), "RANGERS_HTTP_PORT": "0",
                    "RANGERS_APPLE_KEYS": "https://127.0.0.1:\(server.port)/auth/keys",
                    "RANGERS_APPLE_BUNDLE_IDS": "com.example.rangers",
                    // The authorities of the system, for libcrypto.
                    "SSL_CERT_FILE": trusted.path,
                ]
            )
            try #require(await process.prints("rangersd is serving"))
            let announced = try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: ready))
            let port = try #require(announced["httpPort"])
            let player = try await send("POST", "/v1/players", #"{"displayName":"Ada","hero":"spouty"}"#, port: port)[0]
            struct Player: Decodable {
                let playerID: String
                let token: String
            }
            let ada = try JSONDecoder().decode(Player.self, from: Data(player.utf8))
            func identity(_ nonce: String, secondsAgo: Int) throws -> String {
                let issued = Runtime.system.now() - .seconds(secondsAgo)
                return #"{"identityToken":"\#(try issuer.token(nonce: nonce, at: issued))","nonce":"\#(nonce)"}"#
            }
            let path = "/v1/players/me/apple-account"
            let linked = try await send("PUT", path, try identity("one", secondsAgo: 20), token: ada.token, port: port)
            #expect(linked.last == "204", "\(linked)")
            let signedIn = try await send("POST", "/v1/players/sign-in", try identity("two", secondsAgo: 1), port: port)
            #expect(signedIn.last == "201", "\(signedIn)")
            let again = try JSONDecoder().decode(Player.self, from: Data(signedIn[0].utf8))
            #expect(again.playerID == ada.playerID && again.token != ada.token)
            #expect(await process.stop() == 0)
            await server.stop()
        }
    }

    @Test func `an unusable file of keys prevents the start`() async throws {
        let result = try await Executable.run(
            "rangersd",
            ["serve", "--role", "api"],
            environment: [
                "RANGERS_DATABASE_URL": "postgresql:///rangers", "RANGERS_APPLE_KEYS": "/nowhere/keys.json",
                "RANGERS_APPLE_BUNDLE_IDS": "com.example.rangers",
            ]
        )
        #expect(result.status == 78)
        #expect(result.errors.hasPrefix("rangersd: RANGERS_APPLE_KEYS: The file /nowhere/keys.json cannot be read"))
    }
}
