import ArgumentParser
import CommandLineSupport
import Foundation
import RangersSettings
import Testing

@testable import OperatorCommands

/// Contexts: their file, and the precedence of options, environment and contexts.
@Suite struct ServerContextTests {
    private static let contexts = ServerContexts(
        current: "staging",
        contexts: [
            "staging": ServerContext(server: "http://staging:1", token: .stored(Secret("ero_staging"))),
            "production": ServerContext(server: "https://production:2", token: .file("/nowhere/token")),
            "local": ServerContext(server: "http://local:3"),
        ]
    )

    /// Runs a test with a configuration folder that contains the contexts.
    private func withContexts(_ test: (_ environment: [String: String], ServerContextFile) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "config tëst-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let environment = ["XDG_CONFIG_HOME": folder.path(percentEncoded: false)]
        let file = try #require(ServerContextFile(environment: environment))
        try file.write(Self.contexts)
        try test(environment, file)
    }

    private func text(_ source: OperatorTokenSource) -> String {
        switch source {
        case .file(let path): "option \(path)"
        case .text(let secret): "environment \(secret.revealed())"
        case .context(.file(let path)): "context \(path)"
        case .context(.stored(let secret)): "context \(secret.revealed())"
        }
    }

    @Test(
        arguments: [
            ("", "", "http://staging:1, context ero_staging"),
            ("", "SERVER", "http://env:4, context ero_staging"),
            ("", "TOKEN", "http://staging:1, environment ero_env"),
            ("--server http://option:5", "SERVER TOKEN", "http://option:5, environment ero_env"),
            ("--token-file t", "SERVER TOKEN", "http://env:4, option t"),
            ("--context production", "", "https://production:2, context /nowhere/token"),
            ("--context production", "SERVER TOKEN", "https://production:2, context /nowhere/token"),
            ("--context production --server http://option:5", "", "http://option:5, context /nowhere/token"),
            ("--context production --token-file t", "TOKEN", "https://production:2, option t"),
            ("--context local", "TOKEN", "http://local:3, environment ero_env"),
        ]
    )
    func `options precede the environment, which precedes the current context`(
        options: String,
        variables: String,
        expected: String
    ) throws {
        try withContexts { environment, _ in
            var environment = environment
            if variables.contains("SERVER") { environment["RANGERS_SERVER"] = "http://env:4" }
            if variables.contains("TOKEN") { environment["RANGERS_OPERATOR_TOKEN"] = "ero_env" }
            let options = try ServerOptions.parse(options.split(separator: " ").map(String.init))
            let (server, token) = try options.connection(environment: environment)
            #expect("\(server), \(text(token))" == expected)
        }
    }

    @Test func `a context without a token, and an unknown one, are errors with advice`() throws {
        try withContexts { environment, _ in
            for (name, advice) in [
                ("local", "no operator token"), ("stagin", "did you mean staging?"), ("x", "'rangersctl context list'"),
            ] {
                let options = try ServerOptions.parse(["--context", name])
                let error = #expect(throws: OperatorClientError.self) {
                    try options.connection(environment: environment)
                }
                #expect(error?.exitStatus == .wrongUsage && error?.explanation.contains(advice) == true)
            }
        }
    }

    @Test func `without a file there are no contexts, and nothing is read without need`() throws {
        let options = try ServerOptions.parse([])
        let complete = ["RANGERS_SERVER": "http://env:4", "RANGERS_OPERATOR_TOKEN": "ero_env"]
        for folder in [[:], ["HOME": "/nowhere"], ["XDG_CONFIG_HOME": "relative", "HOME": "/nowhere"]] {
            #expect(try options.connection(environment: complete.merging(folder) { $1 }).server == "http://env:4")
            let token = ["RANGERS_OPERATOR_TOKEN": "ero_env"].merging(folder) { $1 }
            #expect(try options.connection(environment: token).server == "http://127.0.0.1:8081")
        }
        try withContexts { environment, file in
            try Data("{".utf8).write(to: URL(filePath: file.path))
            #expect(try options.connection(environment: complete.merging(environment) { $1 }).server == "http://env:4")
            let error = #expect(throws: OperatorClientError.self) {
                try options.connection(environment: environment)
            }
            #expect(error?.explanation.contains("config.json is malformed") == true)
        }
    }

    @Test func `the file and its folder are accessible only to their owner`() throws {
        try withContexts { environment, file in
            func mode(_ path: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(file.path.hasSuffix("/rangersctl/config.json"))
            #expect(try mode(file.path) == 0o600)
            #expect(try mode(URL(filePath: file.path).deletingLastPathComponent().path(percentEncoded: false)) == 0o700)
            #expect(try file.read() == Self.contexts)
            // A change keeps a symbolic link, and the mode.
            let link = URL(filePath: file.path)
            let moved = link.deletingLastPathComponent().appending(path: "moved.json")
            try FileManager.default.moveItem(at: link, to: moved)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: moved)
            try file.write(ServerContexts())
            #expect(try file.read() == ServerContexts() && mode(moved.path(percentEncoded: false)) == 0o600)
        }
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o601])
    func `a file that other users can access is refused with the command that corrects it`(mode: Int) throws {
        try withContexts { environment, file in
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            let error = #expect(throws: OperatorClientError.self) { try file.read() }
            let explanation = try #require(error?.explanation)
            #expect(explanation.contains("(mode \(String(mode, radix: 8))): run 'chmod 600 \(file.path)'"))
            #expect(!explanation.contains("ero_") && error?.exitStatus == .wrongUsage)
        }
    }

    @Test func `the token file of a context must be accessible only to its owner`() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)")
        try Data("ero_file\n".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let path = url.path(percentEncoded: false)
        let source = OperatorTokenSource.context(.file(path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let error = #expect(throws: OperatorClientError.self) { try source.read() }
        #expect(error?.explanation.contains("(mode 644): run 'chmod 600") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try source.read() == "ero_file")
        let missing = #expect(throws: OperatorClientError.self) {
            try OperatorTokenSource.context(.file("/nowhere/token")).read()
        }
        #expect(missing?.explanation == "the token file of the context, /nowhere/token, does not exist")
    }

    @Test func `no output contains a token`() throws {
        let list = ContextList(Self.contexts)
        #expect(
            list.lines(fitting: nil) == [
                "   NAME        SERVER                TOKEN",
                "   local       http://local:3        none",
                "   production  https://production:2  /nowhere/token",
                "*  staging     http://staging:1      stored",
            ]
        )
        #expect(try !list.sortedJSON.contains("ero_") && !"\(Self.contexts)".contains("ero_"))
        #expect(
            try ContextDetails("staging", Self.contexts.context(named: "staging"), isCurrent: true).sortedJSON
                == #"{"isCurrent":true,"name":"staging","server":"http://staging:1","tokenLocation":"stored"}"#
        )
        #expect(ContextList(ServerContexts()).lines(fitting: nil)[0].hasPrefix("No contexts."))
    }
}
