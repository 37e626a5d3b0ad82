import Foundation
import SimulatedPlayers
import TestSupport
import Testing

/// Tests of the real executables together.
@Suite(.serialized) struct EndToEndTests {}

extension EndToEndTests {
    @Suite struct StoryTests {
        @Test func `a party plays a journey and a boss fight, and every phone shows the final state`() async throws {
            try await TestDeployment.with { deployment in
                let server = try await deployment.startServer()
                try await deployment.playStory(on: server)
            }
        }
    }
}

/// The report of `rangers-demo`.
private struct StoryReport: Decodable {
    struct Phone: Decodable {
        let frequentPushesEnabled: Bool
        let ends: Int
        let isLastStateRight: Bool
    }

    struct Condition: Decodable {
        let condition: String
        let faults: [String]
    }

    let phones: [Phone]
    let conditions: [Condition]
}

extension TestDeployment {
    /// Plays a journey and a boss fight with `rangers-demo`, and checks its report.
    func playStory(on server: Server) async throws {
        let tokenFile = try await createOperator("demo", role: "admin")
        let (status, output) = try await run(
            "rangers-demo",
            "--server",
            server.url.absoluteString,
            "--simulator",
            simulatorURL.absoluteString,
            "--rangersctl",
            try #require(Bundle.main.executableURL).deletingLastPathComponent().appending(path: "rangersctl")
                .path(percentEncoded: false),
            "--operator-token-file",
            tokenFile.path(percentEncoded: false),
            "--standard-refill",
            "\(Self.standardRefill)",
            "--once",
            "--json",
            environment: [:]
        )
        #expect(status == 0, "\(output.suffix(4_000))")
        // The story is on standard error; the report is one line of JSON.
        let json = try #require(output.split(separator: "\n").first { $0.hasPrefix("{") })
        let report = try JSONDecoder().decode(StoryReport.self, from: Data(json.utf8))
        #expect(report.conditions.count == 6)
        #expect(report.conditions.flatMap(\.faults) == [])
        #expect(report.phones.map(\.frequentPushesEnabled) == [true, true, false, false])
        #expect(report.phones.allSatisfy { $0.isLastStateRight && $0.ends == 2 })
        #expect(output.contains("🎒 The party sets out\n"))
        #expect(output.contains("⚔️ The fight begins\n"))
        try await expectReceipts(on: server, asking: tokenFile)
    }

    /// Checks that the players' apps have reported what the phones have shown.
    private func expectReceipts(on server: Server, asking tokenFile: URL) async throws {
        let phone = try #require(try await SimulatorClient(at: simulatorURL).phones().first)
        let activity = try #require(phone.activities.first)
        // Decisions are written with a delay.
        try await eventually("a push with the verdict shown") {
            let (status, explanation) = try await run(
                "rangersctl",
                "activity",
                "explain",
                "\(activity.activityID)",
                "--server",
                server.url.absoluteString,
                "--token-file",
                tokenFile.path(percentEncoded: false),
                environment: [:]
            )
            #expect(status == 0, "\(explanation)")
            return explanation.contains(/Shown [0-9.]+ m?s later/)
        }
    }
}
