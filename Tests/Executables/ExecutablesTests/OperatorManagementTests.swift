import Foundation
import PrivatePostgres
import Testing

/// Contexts and operators of the real `rangersctl`, with a real `rangersd`.
@Suite struct OperatorManagementTests {
    /// A server with an admin, and a folder for contexts.
    private struct Deployment {
        let server: RunningExecutable
        let url: String
        let folder: URL
        let database: [String: String]

        /// Runs `rangersctl` in a shell, with the contexts of the folder, and the given standard input.
        func rangersctl(_ arguments: String..., input: String = "") async throws -> ProcessResult {
            let program = try #require(Executable.url(of: "rangersctl"))
            let file = folder.appending(path: "input-\(UUID().uuidString)")
            try Data(input.utf8).write(to: file)
            return try await Executable.run(
                at: URL(filePath: "/bin/bash"),
                ["-c", #"exec "$0" "${@:2}" < "$1""#, program.path(percentEncoded: false), file.path] + arguments,
                environment: ["XDG_CONFIG_HOME": folder.path(percentEncoded: false)]
            )
        }

        /// Returns the path of a new file with a mode.
        func file(_ text: String, mode: Int = 0o600) throws -> String {
            let path = folder.appending(path: UUID().uuidString).path(percentEncoded: false)
            let isCreated = FileManager.default.createFile(
                atPath: path,
                contents: Data(text.utf8),
                attributes: [.posixPermissions: mode]
            )
            try #require(isCreated)
            return path
        }
    }

    private func withDeployment(_ test: (Deployment, _ admin: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rangersctl tëst-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = ["RANGERS_DATABASE_URL": try await TestDatabases.make()]
        #expect(try await Executable.run("rangersd", ["migrate"], environment: database).status == 0)
        let arguments = ["operator", "create", "ada", "--role", "admin"]
        let admin = try await Executable.run("rangersd", arguments, environment: database).output
        let ready = folder.appending(path: "ready.json")
        let server = try RunningExecutable(
            "rangersd",
            ["serve", "--role", "api", "--ready-file", ready.path(percentEncoded: false)],
            environment: database.merging(["RANGERS_HTTP_PORT": "0"]) { $1 }
        )
        try #require(await server.prints("rangersd is serving"))
        let ports = try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: ready))
        let url = "http://127.0.0.1:\(try #require(ports["httpPort"]))"
        try await test(Deployment(server: server, url: url, folder: folder, database: database), admin)
    }

    @Test func `an admin manages operators without access to the database`() async throws {
        try await withDeployment { deployment, admin in
            let set = try await deployment.rangersctl(
                "context",
                "set",
                "home",
                "--server",
                deployment.url,
                "--token-stdin",
                input: admin
            )
            #expect(set.status == 0 && set.errors == "To use it by default: rangersctl context use home\n")
            #expect(try await deployment.rangersctl("context", "use", "home", "--json").status == 0)

            let created = try await deployment.rangersctl("operator", "create", "ben", "--role", "viewer")
            #expect(created.status == 0 && created.output.wholeMatch(of: /ero_[A-Za-z0-9_-]{43}\n/) != nil)
            #expect(created.errors == "This is the token of ben (viewer). It will not be shown again.\n")
            let viewer = ["--token-file", try deployment.file(created.output)]
            #expect(try await deployment.rangersctl("stats", viewer[0], viewer[1]).status == 0)
            // A viewer may not manage operators.
            let listed = try await deployment.rangersctl("operator", "list", viewer[0], viewer[1])
            #expect(listed.status == 1 && listed.errors.hasPrefix("rangersctl: Only admins may do this"))
            let again = try await deployment.rangersctl("operator", "create", "ben", "--role", "admin")
            #expect(again.status == 1 && again.output.isEmpty && again.errors.contains("operator rotate"))

            let rotated = try await deployment.rangersctl("operator", "rotate", "ben", "--expires", "2h", "--json")
            #expect(rotated.status == 0 && rotated.output.contains(#""expiresAt":""#))
            let renewed = try await deployment.rangersctl("operator", "rotate", "ben", "--json")
            #expect(renewed.status == 0 && renewed.output.contains(#""expiresAt":""#))
            let unlimited = try await deployment.rangersctl("operator", "rotate", "ben", "--expires", "never", "--json")
            #expect(unlimited.status == 0 && !unlimited.output.contains("expiresAt"))
            let old = try await deployment.rangersctl("stats", viewer[0], viewer[1])
            #expect(old.status == 1 && old.errors.hasPrefix("rangersctl: Invalid token"))
            let revoked = try await deployment.rangersctl("operator", "revoke", "ben")
            #expect(revoked.status == 0 && revoked.output == "The token of ben is revoked.\n")
            let unknown = try await deployment.rangersctl("operator", "revoke", "eve")
            #expect(unknown.status == 1 && unknown.errors.contains("Unknown operator"))
            let last = try await deployment.rangersctl("operator", "revoke", "ada")
            #expect(last.status == 1 && last.errors.contains("No other admin has a valid token"))

            let list = try await deployment.rangersctl("operator", "list")
            #expect(list.output.contains(/ada +admin +[0-9-]{10} [0-9:]{8} +never/))
            #expect(list.output.contains(/ben +viewer/))
            let json = try await deployment.rangersctl("operator", "list", "--json")
            #expect(json.output.hasPrefix(#"{"operators":[{"createdAt":""#) && !json.output.contains("ero_"))
            let audit = try await deployment.rangersctl("audit", "list", "--operator", "ada", "--since", "2026-01-01")
            #expect(audit.output.contains("operator.rotate") && !audit.output.contains("ero_"))
        }
    }

    @Test func `contexts are created, used, shown and removed`() async throws {
        try await withDeployment { deployment, admin in
            let none = try await deployment.rangersctl("context", "list")
            #expect(none.status == 0 && none.output.hasPrefix("No contexts."))
            let unselected = try await deployment.rangersctl("context", "show")
            #expect(unselected.status == 2 && unselected.errors.contains("no context is selected"))
            let open = try deployment.file(admin, mode: 0o644)
            let refused = try await deployment.rangersctl(
                "context",
                "set",
                "a",
                "--server",
                deployment.url,
                "--token-file",
                open
            )
            #expect(refused.status == 2 && refused.errors.contains("(mode 644): run 'chmod 600"))

            let token = try deployment.file(admin)
            for (name, server) in [("a", deployment.url), ("b", "http://127.0.0.1:1")] {
                let result = try await deployment.rangersctl(
                    "context",
                    "set",
                    name,
                    "--server",
                    server,
                    "--token-file",
                    token
                )
                #expect(result.status == 0)
            }
            #expect(try await deployment.rangersctl("context", "use", "b").status == 0)
            #expect(try await deployment.rangersctl("stats").status == 3)
            #expect(try await deployment.rangersctl("stats", "--context", "a").status == 0)
            #expect(try await deployment.rangersctl("--context", "a", "--json", "boss", "list").status == 0)
            let shown = try await deployment.rangersctl("context", "show")
            #expect(shown.output == "Context  b (current)\nServer   http://127.0.0.1:1\nToken    \(token)\n")
            let typo = try await deployment.rangersctl("context", "use", "c")
            #expect(typo.status == 2 && typo.errors.contains("unknown context c"))
            #expect(try await deployment.rangersctl("context", "set", "c", "--token-file", token).status == 2)
            let removed = try await deployment.rangersctl("context", "remove", "b", "--json")
            #expect(removed.status == 0 && removed.output.contains(#""isCurrent":false,"name":"a""#))
            let config = deployment.folder.appending(path: "rangersctl/config.json").path(percentEncoded: false)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: config)
            let wrongMode = try await deployment.rangersctl("stats")
            #expect(wrongMode.status == 2 && wrongMode.errors.contains("config.json is accessible to other users"))
        }
    }
}
