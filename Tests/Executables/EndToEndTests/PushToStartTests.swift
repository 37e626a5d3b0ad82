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
    @Suite struct PushToStartTests {
        @Test func `an operator's fight starts one activity on a phone whose app is closed, and updates it`()
            async throws
        {
            try await TestDeployment.with { deployment in
                let server = try await deployment.startServer(["RANGERS_CADENCE_START_GRACE": "200ms"])
                let rangers = RangersServer(at: server.url)
                let registered = try await rangers.register("Mina", playing: "spouty")
                let player = rangers.player(with: registered.token)
                let party = try await player.createParty(named: "Closed")
                let app = PhoneAPI(simulator: deployment.simulatorURL)
                let phone = try #require(try await app.send("POST", "api/phones", ["label": "Mina"]).phoneID)
                let start = try await app.send("POST", "api/phones/\(phone)/push-to-start-token")
                try await player.storePushToStartToken(try Self.destination(try #require(start.pushToken)))

                let fight = try await deployment.console(of: server).startBossFight(
                    against: "glitch",
                    inviteCode: party.inviteCode
                )
                let activity = try await eventually("an activity on the phone") {
                    try await app.send("GET", "api/phones/\(phone)/started-activities").activities?.first
                }
                #expect(activity.adventureID == fight)
                try await player.register(
                    activity.activityID,
                    of: fight,
                    destination: try Self.destination(activity.pushToken)
                )

                let simulator = SimulatorClient(at: deployment.simulatorURL)
                let pushes = try await eventually("the end of the fight", within: .seconds(120)) {
                    let pushes = try await simulator.pushes(after: 0)
                    return pushes.last?.kind == .end ? pushes : nil
                }
                #expect(pushes.first?.kind == .start)
                #expect(pushes.count { $0.kind == .start } == 1)
                #expect(pushes.contains { $0.kind == .update })
                #expect(Set(pushes.map(\.activityID)) == [activity.activityID])
                #expect(try await simulator.violations().map(\.detail) == [])
            }
        }

        private static func destination(_ token: String) throws -> PushDestination {
            let bytes = try #require(Data(hexadecimal: token))
            return PushDestination(pushToken: bytes, environment: .simulator, frequentPushesEnabled: true)
        }
    }

    /// A client for the phone in the simulator's API.
    private struct PhoneAPI: Sendable {
        struct Response: Decodable {
            struct Activity: Decodable {
                let activityID: ActivityID
                let adventureID: AdventureID
                let pushToken: String
            }

            let phoneID: String?
            let pushToken: String?
            let activities: [Activity]?
        }

        let simulator: URL

        func send(_ method: String, _ path: String, _ body: [String: String]? = nil) async throws -> Response {
            let url = simulator.appending(path: path)
            var request = URLRequest(url: url, timeoutInterval: 10)
            request.httpMethod = method
            request.httpBody = try body.map { try JSONEncoder().encode($0) }
            let (data, response) = try await URLSession.shared.data(for: request)
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            guard (200..<300).contains(status) else {
                throw TimeLimitExceeded(
                    description: "\(method) \(url): \(status) \(String(decoding: data, as: UTF8.self))"
                )
            }
            return try JSONDecoder().decode(Response.self, from: data)
        }
    }
}
