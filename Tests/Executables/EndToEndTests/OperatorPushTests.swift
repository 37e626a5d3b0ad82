import Foundation
import GameCore
import RangersClient
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndToEndTests {
    /// An operator who tries a phone, and looks for what is wrong.
    @Suite struct OperatorPushTests {
        private static let sampleCard = "019a2f50-0000-7000-8000-000000000001"
        private static let realCard = "019a2f50-0000-7000-8000-000000000003"
        private static let nobodysAdventure = "019a2f50-0000-7000-8000-000000000002"

        /// A card on a phone of the simulator; its push token.
        private func startCard(_ card: String, about adventure: String, in world: World) async throws -> String {
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
            let fields = ["activityID": card, "adventureID": adventure, "heroName": "Spouty", "partyName": "Test"]
            let body = String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
            let started: Card = try await post("api/phones/\(phone.phoneID)/activities", body)
            return started.pushToken
        }

        private func file(_ name: String, _ text: String, in world: World) throws -> String {
            let url = world.directory.appending(path: name)
            try Data(text.utf8).write(to: url)
            return url.path(percentEncoded: false)
        }

        /// A card of a player who is on a journey that takes its time.
        private func startRealCard(of server: World.Server, in world: World) async throws {
            let rangers = RangersServer(at: server.url)
            let player = rangers.player(with: try await rangers.register("Ada", playing: "spouty").token)
            let party = try await player.createParty(named: "Tested")
            let journey = try await player.startJourney(of: party.partyID, in: "meadow")
            let token = try await startCard(Self.realCard, about: "\(journey.adventureID)", in: world)
            let destination = PushDestination(
                pushToken: try #require(Data(hexadecimal: token)),
                environment: .simulator,
                frequentPushesEnabled: true
            )
            let id = try #require(ActivityID(Self.realCard))
            try await player.register(id, of: journey.adventureID, destination: destination)
        }

        @Test func `a push goes through an API node, or by curl, and the doctor finds nothing`() async throws {
            try await World.with { world in
                // As they run apart: what operators push goes out from the node that they talk to.
                let settings = ["RANGERS_JOURNEY_TICK": "60s"]
                let server = try await world.startServer(settings.merging(["RANGERS_ROLES": "api"]) { $1 })
                _ = try world.start(
                    "rangersd",
                    ["serve", "--role", "engine,dispatcher"],
                    environment: world.environment.merging(settings) { $1 }
                )
                let admin = try await world.createOperator("admin", role: "admin").path(percentEncoded: false)
                let token = try await startCard(Self.sampleCard, about: Self.nobodysAdventure, in: world)
                let card = try file("card.hex", token + "\n", in: world)
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

                // Until the dispatcher has taken over all shards.
                let doctor = try await eventually("a doctor without findings") {
                    let doctor = try await ctl(["doctor"] + address)
                    return doctor.status == 0 ? doctor.output : nil
                }
                #expect(doctor.contains("provider key (simulator)") && doctor.contains("ok    localisation"))

                try await startRealCard(of: server, in: world)
                let activity = ["--activity", Self.realCard]
                let update = try await ctl(["push", "test"] + activity + address)
                #expect(update.status == 0 && update.output.contains("Answer    200 accepted"), "\(update.output)")
                #expect(update.output.contains("apns-priority: 10") && update.output.contains("bearer <redacted>"))
                #expect(update.output.contains("an operator asked for it: current state"), "\(update.output)")
                let payload = try await ctl(["push", "curl", "--payload-only"] + activity + address)
                #expect(payload.status == 0 && payload.output.hasPrefix(#"{"aps":{"#), "\(payload.output)")
                let end = try await ctl(["push", "test", "--event", "end", "--yes"] + activity + address)
                #expect(end.status == 0 && end.output.contains(#""event":"end""#), "\(end.output)")
                #expect(end.output.contains("an operator asked for the end: current state"), "\(end.output)")
                let over = try await ctl(["push", "test"] + activity + address)
                #expect(over.status == 1 && over.output.contains("Nothing is pushed"), "\(over.output)")

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
