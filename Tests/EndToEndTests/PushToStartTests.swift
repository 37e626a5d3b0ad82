import Foundation
import GameCore
import SimulatedPlayers
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndToEndTests {
    @Suite struct PushToStartTests {
        @Test func `an operator's fight puts one card on a phone whose app is closed, and it is followed`() async throws
        {
            try await World.with { world in
                let server = try await world.startServer(["RANGERS_CADENCE_START_GRACE": "200ms"])
                let app = App(server: server.url, simulator: world.simulatorURL)
                let player = try #require(
                    try await app.serve("POST", "v1/players", ["displayName": "Mina", "hero": "spouty"]).token
                )
                let party = try await app.serve("POST", "v1/parties", ["name": "Closed"], token: player)
                let phone = try #require(try await app.simulate("POST", "api/phones", ["label": "Mina"]).phoneID)
                let start = try await app.simulate("POST", "api/phones/\(phone)/push-to-start-token")
                try await app.serve(
                    "PUT",
                    "v1/players/me/push-to-start-token",
                    App.route(try #require(start.pushToken)),
                    token: player
                )

                let fight = try await world.console(of: server).startBossFight(
                    against: "glitch",
                    inviteCode: try #require(party.inviteCode)
                )
                let card = try await eventually("a card on the phone") {
                    try await app.simulate("GET", "api/phones/\(phone)/started-activities").activities?.first
                }
                #expect(card.adventureID == "\(fight)")
                try await app.serve(
                    "PUT",
                    "v1/adventures/\(fight)/activities/\(card.activityID)",
                    App.route(try #require(card.pushToken)),
                    token: player
                )

                let simulator = SimulatorClient(at: world.simulatorURL)
                let pushes = try await eventually("the end of the fight", within: .seconds(120)) {
                    let pushes = try await simulator.pushes(after: 0)
                    return pushes.last?.kind == .end ? pushes : nil
                }
                #expect(pushes.first?.kind == .start)
                #expect(pushes.count { $0.kind == .start } == 1)
                #expect(pushes.contains { $0.kind == .update })
                #expect(Set(pushes.map(\.activityID)) == [ActivityID(card.activityID)])
                #expect(try await simulator.violations().map(\.detail) == [])
            }
        }
    }

    /// An app that speaks to the server, and to the phone that it runs on.
    private struct App: Sendable {
        struct Answer: Decodable {
            struct Activity: Decodable {
                let activityID: String
                let adventureID: String
                let pushToken: String?
            }

            let token: String?
            let inviteCode: String?
            let phoneID: String?
            let pushToken: String?
            let activities: [Activity]?
        }

        let server: URL
        let simulator: URL

        /// What an app says of where pushes go.
        static func route(_ pushToken: String) -> [String: JSON] {
            ["pushToken": .text(pushToken), "environment": "simulator", "frequentPushesEnabled": .flag(true)]
        }

        @discardableResult
        func serve(
            _ method: String,
            _ path: String,
            _ body: [String: JSON]? = nil,
            token: String? = nil
        ) async throws -> Answer {
            try await send(method, server.appending(path: path), body, token: token)
        }

        func simulate(_ method: String, _ path: String, _ body: [String: JSON]? = nil) async throws -> Answer {
            try await send(method, simulator.appending(path: path), body, token: nil)
        }

        private func send(
            _ method: String,
            _ url: URL,
            _ body: [String: JSON]?,
            token: String?
        ) async throws -> Answer {
            var request = URLRequest(url: url, timeoutInterval: 10)
            request.httpMethod = method
            request.setValue(token.map { "Bearer \($0)" }, forHTTPHeaderField: "Authorization")
            if let body {
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                request.httpBody = try JSONEncoder().encode(body)
            }
            let (data, response) = try await URLSession.shared.data(for: request)
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            guard (200..<300).contains(status) else {
                throw NeverHappened(description: "\(method) \(url): \(status) \(String(decoding: data, as: UTF8.self))")
            }
            return try JSONDecoder().decode(Answer.self, from: data.isEmpty ? Data("{}".utf8) : data)
        }
    }

    /// A value of a body.
    private enum JSON: Encodable, ExpressibleByStringLiteral, Sendable {
        case text(String)
        case flag(Bool)

        init(stringLiteral value: String) { self = .text(value) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .flag(let flag): try container.encode(flag)
            }
        }
    }
}
