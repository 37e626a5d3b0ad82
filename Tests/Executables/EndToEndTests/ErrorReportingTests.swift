import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndToEndTests {
    /// Errors for invalid input: each layer reports them clearly, and nothing is changed.
    @Suite struct ErrorReportingTests {
        @Test func `a server that cannot start reports why, and exits with 78 for invalid settings`() async throws {
            try await TestDeployment.with { deployment in
                let noKey = deployment.directory.appending(path: "missing.p8").path(percentEncoded: false)
                let noTeam = deployment.directory.appending(path: "garbage.p8")
                try Data("no key".utf8).write(to: noTeam)
                let cases: [(settings: [String: String], message: String, status: Int32)] = [
                    (["RANGERS_DATABASE_URL": "postgresql:///rangers?host=/nowhere"], "RANGERS_DATABASE_URL", 1),
                    (["RANGERS_APNS_KEY_FILE": noKey], "RANGERS_APNS_KEY_FILE: \(noKey)", 78),
                    (
                        ["RANGERS_APNS_KEY_FILE": noTeam.path(percentEncoded: false)],
                        "RANGERS_APNS_KEY_FILE: \(noTeam.path(percentEncoded: false))", 78
                    ),
                    (["RANGERS_BOSS_TRUN": "1s"], "did you mean RANGERS_BOSS_TURN?", 78),
                ]
                for (settings, message, expected) in cases {
                    let (status, output) = try await deployment.run(
                        "rangersd",
                        "serve",
                        "--port",
                        "0",
                        environment: deployment.environment.merging(settings) { $1 }
                    )
                    #expect(status == expected, "\(settings)")
                    #expect(output.contains(message), "\(output)")
                }
            }
        }

        @Test func `migrations are pending until they are applied`() async throws {
            try await TestDeployment.with { deployment in
                let before = try await deployment.run(
                    "rangersd",
                    "migrate",
                    "--check",
                    environment: deployment.environment
                )
                #expect(before.status == 1)
                #expect(before.output.contains("0001_initial is pending"))
                let migration = try await deployment.run("rangersd", "migrate", environment: deployment.environment)
                #expect(migration.status == 0)
                let after = try await deployment.run(
                    "rangersd",
                    "migrate",
                    "--check",
                    environment: deployment.environment
                )
                #expect(after.status == 0)
            }
        }

        @Test func `rangersctl has different exit statuses for a refusal, an absent server and wrong usage`()
            async throws
        {
            try await TestDeployment.with { deployment in
                let server = try await deployment.startServer()
                let viewer = try await deployment.createOperator("viewer", role: "viewer").path(percentEncoded: false)
                let admin = try await deployment.createOperator("admin", role: "admin").path(percentEncoded: false)
                let stranger = deployment.directory.appending(path: "stranger.token")
                try Data("ero_stranger".utf8).write(to: stranger)
                let url = server.url.absoluteString

                func start(_ boss: String, token: String, server: String = url) async throws -> (Int32, String) {
                    try await deployment.run(
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
                let unknownBoss = try await start("xyzzy", token: admin)
                #expect(unknownBoss.0 == 2)
                #expect(unknownBoss.1.contains("unknown boss xyzzy; the bosses are "))
                let unknownCode = try await start("glitch", token: admin)
                #expect(unknownCode.0 == 1)
                #expect(unknownCode.1.contains("code"))

                let usage = try await deployment.run("rangersctl", "boss", "start", environment: [:])
                #expect(usage.status == 2)
                try await server.program.crash()
                #expect(try await start("glitch", token: admin).0 == 3)
            }
        }

        @Test func `a bad request gets a problem response`() async throws {
            let requests: [(request: TestRequest, status: Int)] = [
                (TestRequest("POST", "v1/players", #"{"displayName":"Mina","hero":"nobody"}"#), 422),
                (TestRequest("POST", "v1/players", #"{"displayName":"Mina","#), 400),
                (TestRequest("POST", "v1/players", String(repeating: " ", count: 64 * 1_024 + 1)), 413),
                (TestRequest("POST", "v1/parties", #"{"name":"Nobody's"}"#, token: "erp_wrong"), 401),
                (TestRequest("GET", "v1/nothing", ""), 404),
            ]
            try await TestDeployment.with { deployment in
                let server = try await deployment.startServer()
                for (request, status) in requests {
                    let (body, response) = try await URLSession.shared.data(for: request.urlRequest(to: server.url))
                    let httpResponse = try #require(response as? HTTPURLResponse)
                    #expect(httpResponse.statusCode == status)
                    #expect(httpResponse.value(forHTTPHeaderField: "Content-Type") == "application/problem+json")
                    #expect(String(decoding: body, as: UTF8.self).contains("urn:emoji-rangers:problem:"))
                }
            }
        }
    }

    /// A request to the API.
    private struct TestRequest {
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

        func urlRequest(to server: URL) -> URLRequest {
            var request = URLRequest(url: server.appending(path: path), timeoutInterval: 10)
            request.httpMethod = method
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.setValue(token.map { "Bearer \($0)" }, forHTTPHeaderField: "Authorization")
            if !body.isEmpty { request.httpBody = Data(body.utf8) }
            return request
        }
    }
}
