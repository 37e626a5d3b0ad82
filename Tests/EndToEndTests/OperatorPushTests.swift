import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndToEndTests {
    /// An operator who tries a phone, and looks for what is wrong.
    @Suite struct OperatorPushTests {
        private static let card = #"""
            {"activityID":"019a2f50-0000-7000-8000-000000000001","adventureID":"019a2f50-0000-7000-8000-000000000002",
            "heroName":"Spouty","partyName":"Test"}
            """#

        /// A card on a phone of the simulator, about an adventure that the server does not know.
        private func startCard(in world: World) async throws -> String {
            struct Phone: Decodable { let phoneID: String }
            struct Card: Decodable { let pushToken: String }
            func post<Answer: Decodable>(_ path: String, _ body: String) async throws -> Answer {
                var request = URLRequest(url: world.simulatorURL.appending(path: path))
                request.httpMethod = "POST"
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                request.httpBody = Data(body.utf8)
                let (data, _) = try await URLSession.shared.data(for: request)
                return try JSONDecoder().decode(Answer.self, from: data)
            }
            let phone: Phone = try await post("api/phones", #"{"label":"Ada"}"#)
            let card: Card = try await post("api/phones/\(phone.phoneID)/activities", Self.card)
            return card.pushToken
        }

        private func file(_ name: String, _ text: String, in world: World) throws -> String {
            let url = world.directory.appending(path: name)
            try Data(text.utf8).write(to: url)
            return url.path(percentEncoded: false)
        }

        @Test func `a push goes through the server, or by curl, and the doctor finds nothing`() async throws {
            try await World.with { world in
                let server = try await world.startServer()
                let admin = try await world.createOperator("admin", role: "admin").path(percentEncoded: false)
                let card = try file("card.hex", try await startCard(in: world) + "\n", in: world)
                let nobody = try file("nobody.hex", String(repeating: "0", count: 64), in: world)
                let address = ["--server", server.url.absoluteString, "--token-file", admin]
                func ctl(_ arguments: [String]) async throws -> (status: Int32, output: String) {
                    let program = try world.start("rangersctl", arguments, environment: [:])
                    return (try await program.end(within: .seconds(60)), program.output)
                }

                let sent = try await ctl(["push", "test", "--push-token-file", card] + address)
                #expect(sent.status == 0 && sent.output.contains("Answer    200 accepted"), "\(sent.output)")
                let refused = try await ctl(["push", "test", "--push-token-file", nobody] + address)
                #expect(refused.status == 1 && refused.output.contains("400 BadDeviceToken"), "\(refused.output)")

                let doctor = try await ctl(["doctor"] + address)
                #expect(doctor.status == 0, "\(doctor.output)")
                #expect(doctor.output.contains("provider key (simulator)"))

                let command = try world.start(
                    "rangersctl",
                    ["push", "curl", "--event", "end", "--push-token-file", card],
                    environment: world.environment
                )
                #expect(try await command.end() == 0, "\(command.output)")
                let script = try file("push.sh", command.output, in: world)
                let curl = try world.startSystemProgram(
                    "/bin/sh",
                    [script],
                    environment: ["PATH": "/usr/bin:/bin", "no_proxy": "*"]
                )
                #expect(try await curl.end() == 0, "\(curl.output)")
                #expect(curl.output.hasPrefix("HTTP/2 200") && curl.output.contains("apns-id: "), "\(curl.output)")
            }
        }
    }
}
