import Cryptography
import Foundation
import HTTP2Transport
import PrivatePostgres
import ServiceRuntime
import Testing

/// TLS and graceful shutdown of the real `rangersd`.
@Suite struct ServingTests {
    /// Starts a `rangersd` with the role `api` on a free port.
    private struct Server {
        let process: RunningExecutable
        let port: Int
        let adminPort: Int?
        let pid: Int
        let environment: [String: String]
    }

    private func withTemporaryFolder<Result>(_ test: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rangersd tëst-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await test(folder)
    }

    private func serve(in folder: URL, roles: String = "api", _ settings: [String: String] = [:]) async throws -> Server
    {
        let environment = ["RANGERS_DATABASE_URL": try await TestDatabases.make(), "RANGERS_HTTP_PORT": "0"]
        let ready = folder.appending(path: "ready.json")
        let process = try RunningExecutable(
            "rangersd",
            ["serve", "--role", roles, "--ready-file", ready.path(percentEncoded: false)],
            environment: environment.merging(settings) { $1 }
        )
        try #require(await process.prints("rangersd is serving"))
        let announced = try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: ready))
        return Server(
            process: process,
            port: try #require(announced["httpPort"]),
            adminPort: announced["adminPort"],
            pid: try #require(announced["pid"]),
            environment: environment
        )
    }

    /// Writes a certificate authority, and a certificate signed by it.
    private func certificate(from authority: CertificateAuthority, in folder: URL) throws -> [String: String] {
        let identity = try authority.issueIdentity(for: ["localhost"])
        let files = (folder.appending(path: "cert.pem"), folder.appending(path: "key.pem"))
        try identity.certificateChainPEM.write(to: files.0, atomically: true, encoding: .utf8)
        try identity.privateKeyPEM.write(to: files.1, atomically: true, encoding: .utf8)
        return [
            "RANGERS_TLS_CERTIFICATE_FILE": files.0.path(percentEncoded: false),
            "RANGERS_TLS_KEY_FILE": files.1.path(percentEncoded: false),
        ]
    }

    private func file(of authority: CertificateAuthority, in folder: URL) throws -> String {
        let file = folder.appending(path: "ca-\(UUID().uuidString).pem")
        try authority.certificatePEM.write(to: file, atomically: true, encoding: .utf8)
        return file.path(percentEncoded: false)
    }

    private func curl(_ arguments: String...) async throws -> ProcessResult {
        try await Executable.run(
            at: URL(filePath: "/usr/bin/curl"),
            ["--noproxy", "*", "--silent", "--show-error", "--max-time", "60"] + arguments,
            environment: [:]
        )
    }

    @Test func `with a certificate it serves only HTTP/2 and HTTP/1.1 over TLS`() async throws {
        try await withTemporaryFolder { folder in
            let authority = try CertificateAuthority(name: "Test authority")
            let trusted = try file(of: authority, in: folder)
            let server = try await serve(in: folder, try certificate(from: authority, in: folder))
            let url = "https://localhost:\(server.port)/healthz"
            for (flag, version) in [("--http2", "2"), ("--http1.1", "1.1")] {
                let reply = try await curl(
                    flag,
                    "--cacert",
                    trusted,
                    "--write-out",
                    " %{http_version} %{http_code}",
                    url
                )
                #expect(reply.output == "{\"status\":\"ok\"} \(version) 200", "\(reply.errors)")
            }
            // A request body and a problem over HTTP/2.
            let problem = try await curl(
                "--http2",
                "--cacert",
                trusted,
                "--json",
                "{}",
                "--write-out",
                "%{http_code}",
                "https://localhost:\(server.port)/v1/players"
            )
            #expect(problem.output.hasSuffix("422") && problem.output.contains("invalid-fields"))

            // rangersctl trusts the system's certificate authorities, or those of a file.
            for (environment, status, words) in [
                (["SSL_CERT_FILE": trusted], 1, "token"), ([:], 3, "its certificate is not trusted"),
            ] {
                let result = try await Executable.run(
                    "rangersctl",
                    ["--server", "https://localhost:\(server.port)", "stats"],
                    environment: environment.merging(["RANGERS_OPERATOR_TOKEN": "ero_unknown"]) { $1 }
                )
                #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
            }

            let plain = try await curl("http://localhost:\(server.port)/healthz")
            #expect(plain.status != 0 && plain.output.isEmpty)
            let old = try await curl(
                "--tlsv1.0",
                "--tls-max",
                "1.1",
                "--ciphers",
                "DEFAULT@SECLEVEL=0",
                "--cacert",
                trusted,
                url
            )
            // curl exits with 35 for "A TLS/SSL connect error".
            #expect(old.status == 35 && old.output.isEmpty)
            #expect(try await curl("--tls-max", "1.2", "--cacert", trusted, url).output == "{\"status\":\"ok\"}")
            #expect(await server.process.stop() == 0)
        }
    }

    @Test func `with a port of their own, operators' routes are only there, and players' only on the other`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let server = try await serve(in: folder, ["RANGERS_ADMIN_PORT": "0"])
            func status(_ port: Int, _ path: String) async throws -> String {
                let url = "http://127.0.0.1:\(port)\(path)"
                return try await curl("--output", "/dev/null", "--write-out", "%{http_code}", url).output
            }
            let adminPort = try #require(server.adminPort)
            #expect(adminPort != server.port)
            // Without a token a route answers 401, and an unknown path 404.
            for (port, players, operators) in [(server.port, "401", "404"), (adminPort, "404", "401")] {
                #expect(try await status(port, "/v1/players/me") == players)
                #expect(try await status(port, "/admin/v1/audit") == operators)
                #expect(try await status(port, "/healthz") == "200")
            }
            #expect(await server.process.stop() == 0)
        }
    }

    @Test func `a node leaves no core dump`() async throws {
        try await withTemporaryFolder { folder in
            let server = try await serve(in: folder)
            let limits = try String(contentsOfFile: "/proc/\(server.pid)/limits", encoding: .utf8)
            #expect(limits.contains(#/Max core file size +0 +0 /#), "\(limits)")
            #expect(await server.process.stop() == 0)
        }
        // Another process cannot see whether the kernel may dump it.
        await #expect(processExitsWith: .success) {
            CoreDumps.disable()
            #expect(CoreDumps.areDisabled)
        }
    }

    @Test func `a shutdown ends a stream over HTTP/2 with a reason`() async throws {
        try await withTemporaryFolder { folder in
            let authority = try CertificateAuthority(name: "Test authority")
            let trusted = try file(of: authority, in: folder)
            let server = try await serve(in: folder, roles: "api,engine", try certificate(from: authority, in: folder))
            let url = "https://localhost:\(server.port)/v1"
            let player = try await curl(
                "--cacert",
                trusted,
                "--json",
                #"{"displayName":"Ada","hero":"spouty"}"#,
                "\(url)/players"
            )
            let token = try #require(player.output.firstMatch(of: /"token":"([^"]+)"/)).output.1
            let bearer = "Authorization: Bearer \(token)"
            let party = try await curl(
                "--cacert",
                trusted,
                "-H",
                bearer,
                "--json",
                #"{"name":"Two"}"#,
                "\(url)/parties"
            )
            let partyID = try #require(party.output.firstMatch(of: /"partyID":"([^"]+)"/)).output.1
            let journey = try await curl(
                "--cacert",
                trusted,
                "-H",
                bearer,
                "--json",
                #"{"kind":"journey","region":"meadow"}"#,
                "\(url)/parties/\(partyID)/adventures"
            )
            let adventure = try #require(journey.output.firstMatch(of: /"adventureID":"([^"]+)"/)).output.1
            let stream = try RunningExecutable(
                at: URL(filePath: "/usr/bin/curl"),
                [
                    "--noproxy", "*", "--silent", "--no-buffer", "--http2", "--cacert", trusted, "-H", bearer,
                    "--write-out", "over HTTP/%{http_version}", "\(url)/adventures/\(adventure)/stream",
                ],
                environment: [:],
                listeningTo: .standardOutput
            )
            #expect(await stream.prints("data: {"))
            kill(server.process.pid, SIGTERM)
            #expect(await stream.prints("event: end\ndata: {\"reason\":\"serverStopping\"}"))
            #expect(await stream.waitUntilExit() == 0)
            #expect(await server.process.waitUntilExit() == 0)
        }
    }

    @Test func `a renewed certificate is used without a restart, and an unusable one is rejected`() async throws {
        try await withTemporaryFolder { folder in
            let (old, new) = (try CertificateAuthority(name: "Old"), try CertificateAuthority(name: "New"))
            let (trustOld, trustNew) = (try file(of: old, in: folder), try file(of: new, in: folder))
            let files = try certificate(from: old, in: folder)
            let server = try await serve(in: folder, files)
            let url = "https://localhost:\(server.port)/healthz"
            #expect(try await curl("--cacert", trustOld, url).status == 0)

            try Data("nonsense".utf8).write(to: folder.appending(path: "key.pem"))
            kill(server.process.pid, SIGHUP)
            #expect(await server.process.prints("the new TLS certificate is unusable; the current one stays in use"))
            #expect(try await curl("--cacert", trustOld, url).status == 0)

            _ = try certificate(from: new, in: folder)
            kill(server.process.pid, SIGHUP)
            #expect(await server.process.prints("using a TLS certificate"))
            #expect(try await curl("--cacert", trustNew, url).status == 0)
            #expect(try await curl("--cacert", trustOld, url).status != 0)
            #expect(await server.process.stop() == 0)
        }
    }

    @Test func `unusable certificates prevent the start and are reported with their setting`() async throws {
        try await withTemporaryFolder { folder in
            let files = try certificate(from: try CertificateAuthority(name: "Test authority"), in: folder)
            let other = folder.appending(path: "other.pem").path(percentEncoded: false)
            try P256PrivateKey.generate().pem.write(toFile: other, atomically: true, encoding: .utf8)
            let (certificate, key) = ("RANGERS_TLS_CERTIFICATE_FILE", "RANGERS_TLS_KEY_FILE")
            let cases: [([String: String?], String)] = [
                ([key: nil], "  \(certificate) is set and \(key) is not"),
                ([certificate: nil], "  \(key) is set and \(certificate) is not"),
                ([certificate: "/nowhere.pem"], "\(certificate): /nowhere.pem does not exist"),
                ([certificate: other], "\(certificate): \(other) contains no certificate"),
                ([key: files[certificate]], "\(key): \(files[certificate] ?? "") contains no private key"),
                ([key: other], "\(key): \(other) is not the key of the first certificate"),
            ]
            for (changes, reason) in cases {
                var environment = files.merging(["RANGERS_DATABASE_URL": "postgresql:///rangers"]) { $1 }
                for (name, value) in changes { environment[name] = value }
                let result = try await Executable.run("rangersd", ["serve", "--role", "api"], environment: environment)
                #expect(result.status == 78)
                #expect(result.errors.contains(reason), "\(result.errors)")
                #expect(!result.errors.contains("PRIVATE KEY"))
            }
        }
    }

    @Test func `during the stop delay it is not ready but still serves`() async throws {
        try await withTemporaryFolder { folder in
            let server = try await serve(in: folder, ["RANGERS_HTTP_STOP_DELAY": "1h"])
            let url = "http://127.0.0.1:\(server.port)"
            let status = ["--output", "/dev/null", "--write-out", "%{http_code}"]
            // The database may be slow at first, because other tests start theirs.
            while try await curl(status[0], status[1], status[2], status[3], "\(url)/readyz").output != "200" {}
            kill(server.process.pid, SIGTERM)
            #expect(await server.process.prints("stopping"))
            // The readiness changes before the log line.
            let ready = try await curl("\(url)/readyz")
            #expect(ready.output.contains("not-ready") && ready.output.contains("The server is stopping."))
            #expect(try await curl(status[0], status[1], status[2], status[3], "\(url)/healthz").output == "200")
            // A second signal terminates it during the delay.
            kill(server.process.pid, SIGTERM)
            #expect(await server.process.waitUntilExit() == SIGTERM)
        }
    }

    @Test func `a request in flight during the shutdown gets its response`() async throws {
        try await withTemporaryFolder { folder in
            let server = try await serve(in: folder)
            let body = folder.appending(path: "body")
            try #require(mkfifo(body.path(percentEncoded: false), 0o600) == 0)
            let request = try RunningExecutable(
                at: URL(filePath: "/usr/bin/curl"),
                [
                    "--noproxy", "*", "--silent", "--no-buffer", "--verbose", "-H", "Content-Type: application/json",
                    "-H", "Expect: 100-continue", "-X", "POST", "--upload-file", body.path(percentEncoded: false),
                    "http://127.0.0.1:\(server.port)/v1/players",
                ],
                environment: [:]
            )
            let pipe = try FileHandle(forWritingTo: body)
            // The server has received the headers and waits for the body.
            #expect(await request.prints("100 Continue"))
            kill(server.process.pid, SIGTERM)
            #expect(await server.process.prints("stopping"))
            try pipe.write(contentsOf: Data(#"{"displayName":"Ada","hero":"spouty"}"#.utf8))
            try pipe.close()
            #expect(await request.prints("HTTP/1.1 201 Created"))
            #expect(await request.waitUntilExit() == 0)
            #expect(await server.process.waitUntilExit() == 0)
        }
    }
}
