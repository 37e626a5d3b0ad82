import Encodings
import Foundation
import GameCore
import RangersClient
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndToEndTests {
    /// An operator who sends test pushes and diagnoses the service.
    @Suite struct OperatorPushTests {
        private static let sampleActivity = "019a2f50-0000-7000-8000-000000000001"
        private static let realActivity = "019a2f50-0000-7000-8000-000000000003"
        private static let unknownAdventure = "019a2f50-0000-7000-8000-000000000002"

        /// Starts an activity on a new phone and returns its push token.
        private func startActivity(_ activity: String, about adventure: String, in deployment: TestDeployment)
            async throws -> String
        {
            struct Phone: Decodable { let phoneID: String }
            struct Started: Decodable { let pushToken: String }
            func post<Response: Decodable>(_ path: String, _ body: String) async throws -> Response {
                var request = URLRequest(url: deployment.simulatorURL.appending(path: path))
                request.httpMethod = "POST"
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                request.httpBody = Data(body.utf8)
                let (data, _) = try await URLSession.shared.data(for: request)
                return try JSONDecoder().decode(Response.self, from: data)
            }
            let phone: Phone = try await post("api/phones", #"{"label":"Ada"}"#)
            let fields = ["activityID": activity, "adventureID": adventure, "heroName": "Spouty", "partyName": "Test"]
            let body = String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
            let started: Started = try await post("api/phones/\(phone.phoneID)/activities", body)
            return started.pushToken
        }

        private func file(_ name: String, _ text: String, in deployment: TestDeployment) throws -> String {
            let url = deployment.directory.appending(path: name)
            try Data(text.utf8).write(to: url)
            return url.path(percentEncoded: false)
        }

        /// Starts an activity for a player on a slow journey.
        private func startRealActivity(of server: TestDeployment.Server, in deployment: TestDeployment) async throws {
            let rangers = RangersServer(at: server.url)
            let player = rangers.player(with: try await rangers.register("Ada", playing: "spouty").token)
            let party = try await player.createParty(named: "Tested")
            let journey = try await player.startJourney(of: party.partyID, in: "meadow")
            let token = try await startActivity(Self.realActivity, about: "\(journey.adventureID)", in: deployment)
            let destination = PushDestination(
                pushToken: try #require(Data(hexadecimal: token)),
                environment: .simulator,
                frequentPushesEnabled: true
            )
            let id = try #require(ActivityID(Self.realActivity))
            let device = DeviceID(rawValue: UUID())
            try await player.register(device, with: .init(environment: .simulator, frequentPushesEnabled: true))
            try await player.register(id, of: journey.adventureID, on: device, destination: destination)
        }

        @Test func `an operator pushes through an API node and with curl, and the doctor finds nothing`() async throws {
            try await TestDeployment.with { deployment in
                // With separate nodes, operators' pushes go out from the API node that receives the request.
                let settings = ["RANGERS_JOURNEY_TICK": "60s"]
                let server = try await deployment.startServer(settings.merging(["RANGERS_ROLES": "api"]) { $1 })
                _ = try deployment.start(
                    "rangersd",
                    ["serve", "--role", "engine,dispatcher"],
                    environment: deployment.environment.merging(settings) { $1 }
                )
                let admin = try await deployment.createOperator("admin", role: "admin").path(percentEncoded: false)
                let token = try await startActivity(Self.sampleActivity, about: Self.unknownAdventure, in: deployment)
                let tokenFile = try file("activity.hex", token + "\n", in: deployment)
                let unknown = try file("unknown.hex", String(repeating: "0", count: 64), in: deployment)
                let address = ["--server", server.url.absoluteString, "--token-file", admin]
                func ctl(_ arguments: [String]) async throws -> (status: Int32, output: String) {
                    let program = try deployment.start("rangersctl", arguments, environment: [:])
                    return (try await program.end(within: .seconds(60)), program.output)
                }

                let sent = try await ctl(["push", "test", "--push-token-file", tokenFile] + address)
                #expect(sent.status == 0 && sent.output.contains("Response  200 accepted"), "\(sent.output)")
                let refused = try await ctl(["push", "test", "--push-token-file", unknown] + address)
                #expect(refused.status == 1 && refused.output.contains("400 BadDeviceToken"), "\(refused.output)")

                // Wait until the dispatcher has leased all shards.
                let doctor = try await eventually("a doctor without findings") {
                    let doctor = try await ctl(["doctor"] + address)
                    return doctor.status == 0 ? doctor.output : nil
                }
                #expect(doctor.contains("provider key (simulator)") && doctor.contains("ok    localisation"))

                try await startRealActivity(of: server, in: deployment)
                let activity = ["--activity", Self.realActivity]
                let update = try await ctl(["push", "test"] + activity + address)
                #expect(update.status == 0 && update.output.contains("Response  200 accepted"), "\(update.output)")
                #expect(update.output.contains("apns-priority: 10") && update.output.contains("bearer <redacted>"))
                #expect(update.output.contains("an operator requested it: current state"), "\(update.output)")
                let payload = try await ctl(["push", "curl", "--payload-only"] + activity + address)
                #expect(payload.status == 0 && payload.output.hasPrefix(#"{"aps":{"#), "\(payload.output)")
                let end = try await ctl(["push", "test", "--event", "end", "--yes"] + activity + address)
                #expect(end.status == 0 && end.output.contains(#""event":"end""#), "\(end.output)")
                #expect(end.output.contains("an operator requested the end: current state"), "\(end.output)")
                let over = try await ctl(["push", "test"] + activity + address)
                #expect(over.status == 1 && over.output.contains("not live"), "\(over.output)")

                let command = try deployment.start(
                    "rangersctl",
                    ["push", "curl", "--event", "end", "--push-token-file", tokenFile],
                    environment: deployment.environment
                )
                #expect(try await command.end() == 0, "\(command.output)")
                let script = try file("push.sh", command.output, in: deployment)
                let curl = try deployment.startSystemProgram(
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
