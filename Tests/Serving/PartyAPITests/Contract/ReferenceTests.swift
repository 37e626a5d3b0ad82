import Foundation
import GameCore
import GameStore
import GameTestSupport
import HTTPServing
import JSONCoding
import TestSupport
import Testing

@testable import PartyAPI

/// The reference that is made from `openapi.yaml`, as `/docs` and as `docs/rest-api.md`.
@Suite struct ReferenceTests {
    private let reference: Reference
    private let operations: [Reference.Operation]

    init() throws {
        reference = try Reference(of: OpenAPIDocument())
        operations = reference.sections.flatMap(\.operations)
    }

    @Test func `docs/rest-api.md is the reference`() throws {
        let file = ProjectFiles.root.appending(path: "docs/rest-api.md")
        if ProcessInfo.processInfo.environment["WRITE_REFERENCE"] != nil {
            try reference.markdown.write(to: file, atomically: true, encoding: .utf8)
        }
        let isCurrent = try String(contentsOf: file, encoding: .utf8) == reference.markdown
        #expect(isCurrent, "WRITE_REFERENCE=1 deploy/test --filter ReferenceTests renews it")
    }

    @Test func `every link of the reference has its target`() {
        let headings = reference.markdown.matches(of: /\n#+ (.+)/).map { Markdown.anchor(String($0.output.1)) }
        #expect(headings.count == Set(headings).count, "\(headings.filter { one in headings.count { $0 == one } > 1 })")
        let links = reference.markdown.matches(of: /\]\(#([^)]+)\)/).map { String($0.output.1) }
        #expect(Set(links).subtracting(headings) == [])
    }

    @Test func `the page has each request, problem and schema, and allows only its own style and script`() async throws
    {
        try await APIWorld.with { world in
            let page = try await world.client.send("GET", "/docs")
            let policy = try #require(page.header("Content-Security-Policy"))
            #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
            #expect(policy.contains("; script-src 'sha256-") && !policy.contains("unsafe"))
            let anchors = page.text.matches(of: /\ id="([^"]+)"/).map { String($0.output.1) }
            #expect(anchors.count == Set(anchors).count)
            let names =
                operations.map(\.anchor) + HTTPProblem.Kind.all.map(\.name)
                + reference.schemas.map { Markdown.anchor($0.name) }
            #expect(Set(names).subtracting(anchors) == [])
            for operation in operations {
                for command in operation.commands { #expect(page.text.contains(Markdown.escaped(command.code))) }
            }
            let links = page.text.matches(of: /(?:href|src|action)="([^"]*)"/).map { String($0.output.1) }
            #expect(links.filter { $0 != "openapi.yaml" && !anchors.contains(String($0.dropFirst())) } == [])
            #expect(!page.text.contains("url(") && !page.text.contains("@import") && !page.text.contains("style=\""))
        }
    }

    @Test func `every JSON response has an example`() {
        for operation in operations {
            for success in operation.successes where !success.type.isEmpty {
                let isLarge = ["/docs", "/openapi.yaml"].contains(operation.path)
                #expect(success.example != nil || isLarge, "\(operation.title) \(success.status)")
            }
        }
    }

    @Test func `the commands of the guide succeed one after the other`() async throws {
        let blocks = reference.guide.blocks.compactMap { block -> String? in
            if case .code(language: "sh", let code) = block { code } else { nil }
        }
        try await APIWorld.with { world in
            let script = blocks.joined(separator: "\n")
                .replacing("http://127.0.0.1:8081", with: "http://127.0.0.1:\(world.client.port)")
            let output = try await Shell.run(
                "curl() { command curl --noproxy '*' --fail-with-body \"$@\"; }\n" + script
            )
            #expect(output.contains("\"kind\":\"adventureStarted\""), "\(output)")
        }
    }

    @Test func `the command of every request succeeds`() async throws {
        let apple = try TestApple()
        try await APIWorld.with(apple: apple.signIn, diagnostics: Self.diagnostics) { world in
            let admin = try await world.operatorToken(.admin, name: "Admin")
            for operation in operations {
                for command in operation.commands {
                    let state = try await CommandState(for: operation, in: world, admin: admin, apple)
                    let status = try await Shell.run(
                        """
                        curl() {
                            command curl --noproxy '*' --silent --output /dev/null --write-out '%{http_code}' "$@"
                        }
                        \(state.variables)
                        \(command.code)
                        """
                    )
                    let statuses = operation.successes.map(\.status)
                    #expect(statuses.contains(status), "\(operation.title) \(command.caption): \(status)")
                }
            }
        }
    }

    private static let diagnostics = APNsDiagnostics(
        environments: [.sandbox],
        send: { _ in ["outcome": "accepted"] },
        check: { [] }
    )
}

/// The state that the command of a request presupposes: that after the quickstart, except where the request needs
/// another.
private struct CommandState {
    /// The assignments of the quickstart's variables.
    let variables: String

    init(
        for operation: Reference.Operation,
        in world: APIWorld,
        admin: String,
        _ apple: TestApple
    ) async throws {
        let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben", hero: "ember"))
        let party = try await world.party(of: ada, ben)
        var adventure = ""
        switch operation.anchor {
        case "start-a-journey-or-join-a-raid", "start-a-boss-fight", "change-name-or-hero", "rename-a-player":
            break
        case "run-a-command": adventure = try await Self.fight(of: party, by: ada, ben, in: world)
        default:
            adventure = try await world.journey(party, by: ada)
            let body: JSONValue = [
                "deviceID": .string(Self.device), "pushToken": "0a", "environment": "sandbox",
                "frequentPushesEnabled": true,
            ]
            if let player = PlayerID(ada.id) { try await world.commands.device(DeviceID(Self.device), of: player) }
            let path = "/v1/adventures/\(adventure)/activities/\(Self.activity)"
            _ = try await world.client.send("PUT", path, token: ada.token, body: body)
        }
        // The stream ends with the adventure.
        let opened = try await world.client.send("POST", "/v1/parties/\(party.id)/spectators", token: ada.token)
        if operation.anchor.hasPrefix("stream-events") {
            _ = try await world.client.send("POST", "/admin/v1/adventures/\(adventure)/end", token: admin)
        }
        let identity = try apple.identity(of: ada.id)
        if operation.anchor == "get-a-token-for-an-apple-account" {
            let body: JSONValue = ["identityToken": .string(identity.token), "nonce": .string(identity.nonce)]
            _ = try await world.client.send("PUT", "/v1/players/me/apple-account", token: ada.token, body: body)
        }
        let next = try apple.identity(of: ada.id)
        let renewed = try await world.client.send("POST", "/v1/players/me/recovery-code", token: ada.token)
        let tokens = try await world.client.send("GET", "/v1/players/me/tokens", token: ada.token)
        variables = """
            api=http://127.0.0.1:\(world.client.port) raid=\(try await Self.raid(for: operation, in: world, admin))
            token=\(ada.token) operator=\(admin) player=\(ben.id) party=\(party.id) code=\(party.inviteCode)
            link=\(opened.json["link"].text) adventure=\(adventure) activity=\(Self.activity) device=\(Self.device)
            identity_token=\(next.token) nonce=\(next.nonce)
            recovery=\(renewed.json["recoveryCode"].text) token_id=\(tokens.json["tokens"][0]["tokenID"].text)
            """
    }

    /// Starts a raid for requests that need one, and returns its identifier.
    private static func raid(
        for operation: Reference.Operation,
        in world: APIWorld,
        _ admin: String
    ) async throws -> String {
        guard operation.anchor.contains("raid") else { return "" }
        let body: JSONValue = ["boss": "glitch", "health": 5_000, "durationSeconds": 600]
        return try await world.client.send("POST", "/admin/v1/raids", token: admin, body: body).json["raidID"].text
    }

    private static let activity = "9f1b7c52-6f0e-4c4e-8a56-3f5d8c1e2b70"
    private static let device = "5d0c7a14-93b2-4f6e-8c1d-2a7e6b9f0c31"

    /// Starts boss fights until it is the first hero's turn and both heroes are hurt, so that every command is allowed.
    private static func fight(
        of party: TestParty,
        by ada: TestPlayer,
        _ ben: TestPlayer,
        in world: APIWorld
    ) async throws -> String {
        while true {
            let id = try await world.bossFight(party)
            let path = "/v1/adventures/\(id)"
            for player in [ada, ben] {
                let policy: JSONValue = ["type": "policy", "policy": "skip"]
                _ = try await world.client.send("POST", "\(path)/commands", token: player.token, body: policy)
            }
            var adventure = try await world.client.send("GET", path, token: ada.token).json
            while adventure["status"] == "running" {
                let isHurt = adventure["heroes"].array.allSatisfy { $0["health"].number < $0["maximumHealth"].number }
                if isHurt, adventure["turn"]["seat"] == 0 { return id }
                try await world.pass(.seconds(15))
                adventure = try await world.client.send("GET", path, token: ada.token).json
            }
        }
    }
}

/// Runs scripts with bash.
private enum Shell {
    struct FailedError: Error {
        let status: Int32
        let output: String
    }

    /// Runs a script that stops at the first failure.
    /// - Returns: its output.
    /// - Throws: ``FailedError`` if it fails.
    static func run(_ script: String) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "reference-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-euo", "pipefail", "-c", script]
        process.standardInput = FileHandle.nullDevice
        let output = try FileHandle(forWritingTo: file)
        (process.standardOutput, process.standardError) = (output, output)
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        try output.close()
        let text = try String(contentsOf: file, encoding: .utf8)
        guard status == 0 else { throw FailedError(status: status, output: text) }
        return text
    }
}
