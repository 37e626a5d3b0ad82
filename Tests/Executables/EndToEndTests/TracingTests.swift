import Encodings
import Foundation
import GameCore
import RangersClient
import SimulatedPlayers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndToEndTests {
    /// A trace from an app's request to the push that shows its effect, over the processes of two nodes.
    @Suite struct TracingTests {
        private static let activity = "019a2f50-0000-7000-8000-000000000004"
        private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
        private static let parentID = "00f067aa0ba902b7"

        /// A line of ``SpanPrinter``.
        private struct Span {
            let id: String
            let parentID: String
            let name: String
            let attributes: String
        }

        /// Returns the spans of the trace that a node has printed.
        private func spans(of program: RunningProgram) -> [Span] {
            program.output.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ").map(String.init)
                guard words.count > 5, words[0] == "span", words[1] == Self.traceID else { return nil }
                return Span(
                    id: words[3],
                    parentID: words[2],
                    name: words[4...].prefix { !$0.contains("=") }.joined(separator: " "),
                    attributes: words[4...].filter { $0.contains("=") }.joined(separator: " ")
                )
            }
        }

        private func post(_ url: URL, _ body: String, _ fields: [String: String] = [:]) async throws -> Data {
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
            request.httpBody = Data(body.utf8)
            let (data, _) = try await URLSession.shared.data(for: request)
            return data
        }

        private func startActivity(of adventureID: AdventureID, in deployment: TestDeployment) async throws -> Data {
            struct Phone: Decodable { let phoneID: String }
            struct Started: Decodable { let pushToken: String }
            let phones = deployment.simulatorURL.appending(path: "api/phones")
            let phone = try JSONDecoder().decode(Phone.self, from: try await post(phones, #"{"label":"Ada"}"#))
            let started = try await post(
                phones.appending(path: "\(phone.phoneID)/activities"),
                #"{"activityID":"\#(Self.activity)","adventureID":"\#(adventureID)"}"#
            )
            return try #require(Data(hexadecimal: try JSONDecoder().decode(Started.self, from: started).pushToken))
        }

        @Test func `a request's trace continues on another node, to the push that shows its effect`() async throws {
            try await TestDeployment.with { deployment in
                // No turn is missed, so only requests cause pushes.
                let settings = ["RANGERS_BOSS_TURN": "600s"]
                let server = try await deployment.startServer(
                    settings.merging(["RANGERS_ROLES": "api"]) { $1 },
                    executable: "tracing-node"
                )
                let dispatcher = try deployment.start(
                    "tracing-node",
                    ["serve", "--role", "engine,dispatcher"],
                    environment: deployment.environment.merging(settings) { $1 }
                )
                let rangers = RangersServer(at: server.url)
                let token = try await rangers.register("Ada", playing: "spouty").token
                let player = rangers.player(with: token)
                let party = try await player.createParty(named: "Traced")
                let fight = try await deployment.console(of: server)
                    .startBossFight(against: "glitch", inviteCode: party.inviteCode)
                let destination = PushDestination(
                    pushToken: try await startActivity(of: fight, in: deployment),
                    environment: .simulator,
                    frequentPushesEnabled: true
                )
                let activityID = try #require(ActivityID(Self.activity))
                let device = DeviceID(rawValue: UUID())
                try await player.register(device, with: .init(environment: .simulator, frequentPushesEnabled: true))
                try await player.register(activityID, of: fight, on: device, destination: destination)

                _ = try await post(
                    server.url.appending(path: "v1/adventures/\(fight)/commands"),
                    #"{"type":"attack"}"#,
                    ["Authorization": "Bearer \(token.text)", "traceparent": "00-\(Self.traceID)-\(Self.parentID)-01"]
                )
                let request = try await eventually("the span of the request") {
                    spans(of: server.program).first { $0.name == "POST /v1/adventures/{adventureID}/commands" }
                }
                #expect(request.parentID == Self.parentID)
                #expect(request.attributes.contains("http.response.status_code=200"), "\(request.attributes)")
                let command = try await eventually("the span of the command") {
                    spans(of: server.program).first { $0.name == "command attack" }
                }
                #expect(command.parentID == request.id && command.attributes == "rangers.outcome=done")
                let push = try await eventually("the span of the push") {
                    spans(of: dispatcher).first { $0.name.hasPrefix("push ") }
                }
                #expect(push.parentID == command.id)
                #expect(push.attributes.contains("http.response.status_code=200"), "\(push.attributes)")

                struct Pushes: Decodable {
                    struct Push: Decodable { let apnsID: String }
                    let pushes: [Push]
                }
                let (data, _) = try await URLSession.shared.data(
                    from: deployment.simulatorURL.appending(path: "api/pushes")
                )
                let received = try JSONDecoder().decode(Pushes.self, from: data).pushes.map { $0.apnsID.lowercased() }
                #expect(received.contains { push.attributes.contains("apns.id=\($0)") }, "\(push.attributes)")
            }
        }
    }
}
