import Cryptography
import Foundation
import HTTP2Transport
import PrivatePostgres
import Testing

/// The real `rangersd` with a real PostgreSQL.
@Suite struct RangersdTests {
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        c2VjcmV0LXNlY3JldC1zZWNyZXQ=
        -----END PRIVATE KEY-----
        """

    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> ProcessResult {
        try await Executable.run("rangersd", arguments, environment: environment)
    }

    private func database() async throws -> [String: String] {
        ["RANGERS_DATABASE_URL": try await TestDatabases.make()]
    }

    /// Runs a test with a temporary folder, whose name has characters that URLs escape.
    private func withTemporaryFolder<Result>(_ test: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rangersd tëst-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await test(folder)
    }

    @Test func `migrations are applied once and can be checked`() async throws {
        let database = try await database()
        let before = try await run("migrate", "--check", environment: database)
        #expect(before.status == 1)
        #expect(
            before.errors == """
                rangersd: 0001_initial is pending; `rangersd migrate` applies it
                0002_protections is pending; `rangersd migrate` applies it
                0003_devices is pending; `rangersd migrate` applies it
                0004_identity is pending; `rangersd migrate` applies it
                0005_receipts is pending; `rangersd migrate` applies it
                0006_apple is pending; `rangersd migrate` applies it
                0007_alert_preferences is pending; `rangersd migrate` applies it
                0008_progress is pending; `rangersd migrate` applies it
                0009_fallback is pending; `rangersd migrate` applies it
                0010_widgets is pending; `rangersd migrate` applies it
                0011_leaderboard_names is pending; `rangersd migrate` applies it
                0012_channels is pending; `rangersd migrate` applies it
                0013_raids is pending; `rangersd migrate` applies it
                0014_spectators is pending; `rangersd migrate` applies it
                0015_raid_indexes is pending; `rangersd migrate` applies it
                0016_raid_starts is pending; `rangersd migrate` applies it
                0017_player_search is pending; `rangersd migrate` applies it

                """
        )

        let first = try await run("migrate", environment: database)
        #expect(first.status == 0)
        let applied = [
            "0001_initial", "0002_protections", "0003_devices", "0004_identity", "0005_receipts", "0006_apple",
            "0007_alert_preferences", "0008_progress", "0009_fallback", "0010_widgets",
            "0011_leaderboard_names", "0012_channels", "0013_raids", "0014_spectators",
            "0015_raid_indexes", "0016_raid_starts",
            "0017_player_search",
        ]
        #expect(
            first.output.hasPrefix(applied.map { "applied \($0)\n" }.joined() + "the schema is up to date")
        )
        let second = try await run("migrate", environment: database)
        #expect(second.status == 0)
        #expect(!second.output.contains("applied"))
        #expect(try await run("migrate", "--check", environment: database).status == 0)
    }

    @Test func `an operator's token is printed once, and can be replaced and revoked`() async throws {
        let database = try await database()
        _ = try await run("migrate", environment: database)
        let created = try await run("operator", "create", "alex", "--role", "viewer", environment: database)
        #expect(created.status == 0)
        #expect(created.output.wholeMatch(of: /ero_[A-Za-z0-9_-]{43}\n/) != nil)
        #expect(created.errors.hasSuffix("This is the token of alex (viewer). It will not be shown again.\n"))
        // The hash of the audit log entry, outside of the database and without secrets.
        let entry = /notice rangersd: an operator changed something action=operator.create hash=[0-9a-f]{64}/
        #expect(created.errors.contains(entry))
        #expect(created.errors.split(separator: "\n").count == 2 && !created.errors.contains("ero_"))

        let again = try await run("operator", "create", "alex", "--role", "admin", environment: database)
        #expect(again.status == 1)
        #expect(again.output.isEmpty)

        let rotated = try await run("operator", "rotate", "alex", "--expires", "90d", environment: database)
        #expect(rotated.status == 0 && rotated.output.wholeMatch(of: /ero_[A-Za-z0-9_-]{43}\n/) != nil)
        #expect(rotated.output != created.output && rotated.errors.contains("alex (viewer, valid until "))

        #expect(rotated.errors.contains("action=operator.rotate hash=") && !rotated.errors.contains("ero_"))
        let renewed = try await run("operator", "rotate", "alex", environment: database)
        #expect(renewed.status == 0 && renewed.errors.contains("alex (viewer, valid until "))
        let unlimited = try await run("operator", "rotate", "alex", "--expires", "never", environment: database)
        #expect(unlimited.status == 0 && unlimited.errors.contains("alex (viewer). "))

        let revoked = try await run("operator", "revoke", "alex", environment: database)
        #expect(revoked.status == 0 && revoked.errors.contains("action=operator.revoke hash="))
        #expect(try await run("operator", "revoke", "alex", environment: database).status == 1)
        let list = try await run("operator", "list", "--json", environment: database)
        #expect(list.output.contains(#""name":"alex","revokedAt":""#))
        #expect(!list.output.contains("ero_"))
        #expect(try await run("operator", "rotate", "alex", environment: database).status == 1)
    }

    @Test func `a malformed lifetime is an error with the valid units`() async throws {
        let result = try await run(
            "operator",
            "create",
            "alex",
            "--role",
            "admin",
            "--expires",
            "30m",
            environment: [:]
        )
        #expect(result.status == 2 && result.errors.contains("hours or days, such as 12h or 30d"))
    }

    @Test func `the list shows when an operator's token expires`() async throws {
        let database = try await database()
        _ = try await run("migrate", environment: database)
        let created = try await run(
            "operator",
            "create",
            "guest",
            "--role",
            "viewer",
            "--expires",
            "30d",
            environment: database
        )
        #expect(created.errors.contains(/\(viewer, valid until [0-9-]{10}T[0-9:]{8}Z\)/))
        let list = try await run("operator", "list", environment: database)
        #expect(list.output.contains(/guest +viewer +[0-9-]{10} [0-9:]{8} +[0-9-]{10} [0-9:]{8}\n/))
    }

    @Test func `missing tables are explained`() async throws {
        let result = try await run("operator", "list", environment: try await database())
        #expect(result.status == 1)
        #expect(result.errors == "rangersd: tables are missing in the database; `rangersd migrate` creates them\n")
    }

    @Test func `it serves on a free port, writes the ready file, and shuts down`() async throws {
        try await withTemporaryFolder { folder in
            var environment = try await database()
            environment["RANGERS_HTTP_PORT"] = "0"
            let ready = folder.appending(path: "ready.json")
            let server = try RunningExecutable(
                "rangersd",
                ["serve", "--role", "api,engine", "--ready-file", ready.path(percentEncoded: false)],
                environment: environment
            )
            #expect(await server.prints("rangersd is serving"))
            let announced = try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: ready))
            #expect(announced["pid"] == Int(server.pid))
            let port = try #require(announced["httpPort"])

            let token = try await run("operator", "create", "alex", "--role", "viewer", environment: environment).output
            let bosses = try await Executable.run(
                "rangersctl",
                ["boss", "list", "--server", "http://127.0.0.1:\(port)"],
                environment: ["RANGERS_OPERATOR_TOKEN": token]
            )
            #expect(bosses.status == 0)
            #expect(bosses.output.hasPrefix("BOSS"))

            let other = try await run(
                "serve",
                "--role",
                "api",
                "--port",
                "\(port)",
                environment: environment
            )
            #expect(other.status == 1)
            #expect(
                other.errors.contains("rangersd: cannot listen on 127.0.0.1:\(port): the port is in use")
            )

            #expect(await server.stop() == 0)
        }
    }

    @Test func `a provider key is replaced without a restart, and an unusable one is rejected`() async throws {
        try await withTemporaryFolder { folder in
            let key = folder.appending(path: "key.p8")
            let authority = folder.appending(path: "ca.pem")
            let configuration = folder.appending(path: "rangersd.env")
            try P256PrivateKey.generate().pem.write(to: key, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644],
                ofItemAtPath: key.path(percentEncoded: false)
            )
            try CertificateAuthority(name: "Test authority").certificatePEM
                .write(to: authority, atomically: true, encoding: .utf8)
            try "RANGERS_APNS_KEY_ID=ABC123DEFG".write(to: configuration, atomically: true, encoding: .utf8)
            let environment = try await database().merging([
                "RANGERS_APNS_ENVIRONMENT": "simulator", "RANGERS_APNS_PORT": "1",
                "RANGERS_APNS_CA_FILE": authority.path(percentEncoded: false),
                "RANGERS_APNS_KEY_FILE": key.path(percentEncoded: false),
                "RANGERS_APNS_TEAM_ID": "DEF123GHIJ", "RANGERS_APNS_BUNDLE_ID": "com.example.rangers",
            ]) { $1 }
            let server = try RunningExecutable(
                "rangersd",
                ["serve", "--role", "dispatcher", "--config", configuration.path(percentEncoded: false)],
                environment: environment
            )
            #expect(await server.prints("is readable by every user of this machine (mode 644)"))
            #expect(await server.prints("rangersd is serving"))

            try Data("nonsense".utf8).write(to: key)
            kill(server.pid, SIGHUP)
            #expect(await server.prints("the new provider key is unusable; the current one stays in use"))

            try P256PrivateKey.generate().pem.write(to: key, atomically: true, encoding: .utf8)
            try "RANGERS_APNS_KEY_ID=NEXTKEY123".write(to: configuration, atomically: true, encoding: .utf8)
            kill(server.pid, SIGHUP)
            #expect(await server.prints("NEXTKEY123"))

            // The replaced key is detected within seconds without a signal, but used only after SIGHUP.
            try P256PrivateKey.generate().pem.write(to: key, atomically: true, encoding: .utf8)
            #expect(await server.prints("another key under the same identifier"))
            kill(server.pid, SIGHUP)
            #expect(await server.prints("Another provider key is in use"))
            #expect(await server.stop() == 0)
        }
    }

    @Test func `an unreachable database prevents the start, and the password is not printed`() async throws {
        let result = try await run(
            "serve",
            "--role",
            "api",
            // Port 1 has no listener, and unprivileged programs cannot bind it.
            environment: ["RANGERS_DATABASE_URL": "postgresql://ranger:hunter2@127.0.0.1:1/rangers"]
        )
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("rangersd: cannot connect to PostgreSQL: "))
        #expect(!result.errors.contains("hunter2"))
    }

    @Test func `an invalid provider key prevents the start, and is not printed`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "key.p8")
            try Data(Self.key.utf8).write(to: file)
            let result = try await run(
                "serve",
                environment: [
                    "RANGERS_DATABASE_URL": "postgresql:///rangers",
                    "RANGERS_APNS_ENVIRONMENT": "sandbox",
                    "RANGERS_APNS_KEY_FILE": file.path(percentEncoded: false),
                    "RANGERS_APNS_KEY_ID": "ABCDE12345",
                    "RANGERS_APNS_TEAM_ID": "TEAM012345",
                    "RANGERS_APNS_BUNDLE_ID": "com.example.emoji-rangers",
                ]
            )
            #expect(result.status == 78)
            #expect(result.errors.hasPrefix("rangersd: RANGERS_APNS_KEY_FILE: \(file.path(percentEncoded: false))"))
            #expect(!result.errors.contains("c2VjcmV0"))
        }
    }

    @Test func `all invalid settings are reported together`() async throws {
        let result = try await run("serve", "--role", "api", "--port", "x", environment: ["RANGERS_HTTP_HOTS": "y"])
        #expect(result.status == 78)
        #expect(
            result.errors.split(separator: "\n").map { $0.prefix { $0 != "(" && $0 != ":" } } == [
                "rangersd", "  RANGERS_HTTP_HOTS ", "  RANGERS_DATABASE_URL is missing", "  RANGERS_HTTP_PORT ",
            ]
        )
    }

    @Test(
        arguments: [
            ["serve", "--prot", "1"], ["migrate", "now"], ["operator", "create", "alex"],
            ["operator", "create", "a b", "--role", "admin"],
            ["operator", "create", "alex", "--role", "admin", "--expires", "0d"],
            ["operator", "create", "alex", "--role", "admin", "--expires", "30"],
            ["operator", "create", "alex", "--role", "king"], ["dance"],
        ]
    )
    func `wrong usage exits with 2`(arguments: [String]) async throws {
        let result = try await Executable.run("rangersd", arguments, environment: [:])
        #expect(result.status == 2)
        #expect(result.errors.contains("Usage: rangersd"))
    }
}
