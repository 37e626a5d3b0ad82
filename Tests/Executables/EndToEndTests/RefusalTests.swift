import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndToEndTests {
    /// What is asked for wrongly gets the clear error of its place, and changes nothing.
    @Suite struct RefusalTests {
        @Test func `a server that cannot serve says why, and ends with 78 where settings are to blame`() async throws {
            try await World.with { world in
                let noKey = world.directory.appending(path: "missing.p8").path(percentEncoded: false)
                let noTeam = world.directory.appending(path: "garbage.p8")
                try Data("no key".utf8).write(to: noTeam)
                let cases: [(settings: [String: String], saying: String, status: Int32)] = [
                    (["RANGERS_DATABASE_URL": "postgresql:///rangers?host=/nowhere"], "RANGERS_DATABASE_URL", 1),
                    (["RANGERS_APNS_KEY_FILE": noKey], "RANGERS_APNS_KEY_FILE: \(noKey)", 78),
                    (
                        ["RANGERS_APNS_KEY_FILE": noTeam.path(percentEncoded: false)],
                        "RANGERS_APNS_KEY_FILE: \(noTeam.path(percentEncoded: false))", 78
                    ),
                    (["RANGERS_BOSS_TRUN": "1s"], "did you mean RANGERS_BOSS_TURN?", 78),
                ]
                for (settings, words, expected) in cases {
                    let (status, output) = try await world.run(
                        "rangersd",
                        "serve",
                        "--port",
                        "0",
                        environment: world.environment.merging(settings) { $1 }
                    )
                    #expect(status == expected, "\(settings)")
                    #expect(output.contains(words), "\(output)")
                }
            }
        }

        @Test func `migrations are pending before they are applied, and not afterwards`() async throws {
            try await World.with { world in
                let before = try await world.run("rangersd", "migrate", "--check", environment: world.environment)
                #expect(before.status == 1)
                #expect(before.output.contains("0001_initial is pending"))
                let migration = try await world.run("rangersd", "migrate", environment: world.environment)
                #expect(migration.status == 0)
                let after = try await world.run("rangersd", "migrate", "--check", environment: world.environment)
                #expect(after.status == 0)
            }
        }

        @Test func `rangersctl tells a refusal, an absent server and wrong usage apart`() async throws {
            try await World.with { world in
                let server = try await world.startServer()
                let viewer = try await world.createOperator("viewer", role: "viewer").path(percentEncoded: false)
                let admin = try await world.createOperator("admin", role: "admin").path(percentEncoded: false)
                let stranger = world.directory.appending(path: "stranger.token")
                try Data("ero_stranger".utf8).write(to: stranger)
                let url = server.url.absoluteString

                func start(_ boss: String, token: String, server: String = url) async throws -> (Int32, String) {
                    try await world.run(
                        "rangersctl",
                        "boss",
                        "start",
                        boss,
                        "--invite-code",
                        "ABCD2345",
                        "--server",
                        server,
                        "--token-file",
                        token,
                        environment: [:]
                    )
                }
                #expect(try await start("glitch", token: stranger.path(percentEncoded: false)).0 == 1)
                #expect(try await start("glitch", token: viewer).0 == 1)
                #expect(try await start("nobody", token: admin).1.contains("boss: "))
                let unknownCode = try await start("glitch", token: admin)
                #expect(unknownCode.0 == 1)
                #expect(unknownCode.1.contains("code"))

                let usage = try await world.run("rangersctl", "boss", "start", environment: [:])
                #expect(usage.status == 2)
                try await server.program.crash()
                #expect(try await start("glitch", token: admin).0 == 3)
            }
        }

        @Test func `a bad request is answered with a problem`() async throws {
            let requests: [(asked: Asked, status: Int)] = [
                (Asked("POST", "v1/players", #"{"displayName":"Mina","hero":"nobody"}"#), 422),
                (Asked("POST", "v1/players", #"{"displayName":"Mina","#), 400),
                (Asked("POST", "v1/players", String(repeating: " ", count: 64 * 1_024 + 1)), 413),
                (Asked("POST", "v1/parties", #"{"name":"Nobody's"}"#, token: "erp_wrong"), 401),
                (Asked("GET", "v1/nothing", ""), 404),
            ]
            try await World.with { world in
                let server = try await world.startServer()
                for (asked, status) in requests {
                    let (body, response) = try await URLSession.shared.data(for: asked.request(to: server.url))
                    let answer = try #require(response as? HTTPURLResponse)
                    #expect(answer.statusCode == status)
                    #expect(answer.value(forHTTPHeaderField: "Content-Type") == "application/problem+json")
                    #expect(String(decoding: body, as: UTF8.self).contains("urn:emoji-rangers:problem:"))
                }
            }
        }
    }

    /// A request of somebody who does not know the API.
    private struct Asked {
        private let method: String
        private let path: String
        private let body: String
        private let token: String?

        init(_ method: String, _ path: String, _ body: String, token: String? = nil) {
            self.method = method
            self.path = path
            self.body = body
            self.token = token
        }

        func request(to server: URL) -> URLRequest {
            var request = URLRequest(url: server.appending(path: path), timeoutInterval: 10)
            request.httpMethod = method
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.setValue(token.map { "Bearer \($0)" }, forHTTPHeaderField: "Authorization")
            if !body.isEmpty { request.httpBody = Data(body.utf8) }
            return request
        }
    }
}
