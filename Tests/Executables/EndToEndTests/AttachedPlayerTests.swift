import Foundation
import GameCore
import LiveActivityContent
import RangersClient
import SimulatedPlayers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndToEndTests {
    /// Players whom somebody attaches to phones that are there, as a visitor of the page does.
    @Suite struct AttachedPlayerTests {
        private struct Answer: Decodable {
            struct Player: Decodable {
                let phoneID: UUID
                let displayName: String
            }

            struct Activity: Decodable {
                let activityID: ActivityID
                let pushToken: String
            }

            struct Decision: Decodable {
                let decision: String
                let happened: String
            }

            let phoneID: UUID?
            let decisions: [Decision]?
            let type: String?
            let players: [Player]?
            let activities: [Activity]?
        }

        private let phones: [(label: String, body: String)] = [
            ("Mina", #""hero":"spouty""#), ("Theo", #""hero":"bamboo","takesTurns":false"#),
        ]

        @Test func `players join by code, follow the fight on their phones, and leave`() async throws {
            try await World.with(withGame: true) { world in
                let server = try await world.startServer()
                let rangers = RangersServer(at: server.url)
                let leader = try await rangers.register("Leader", playing: "boulder")
                let player = rangers.player(with: leader.token)
                let party = try await player.createParty(named: "Attached")

                var phoneIDs: [UUID] = []
                for phone in phones {
                    let id = try #require(
                        try await ask("POST", "phones", #"{"label":"\#(phone.label)"}"#, world).phoneID
                    )
                    let body = #"{"inviteCode":"\#(party.inviteCode)",\#(phone.body)}"#
                    _ = try await ask("POST", "phones/\(id)/player", body, world)
                    let again = try await ask("POST", "phones/\(id)/player", body, world, expecting: 409)
                    #expect(again.type == "phone-is-taken")
                    phoneIDs.append(id)
                }
                let third = try #require(try await ask("POST", "phones", #"{"label":"Ines"}"#, world).phoneID)
                let unknown = try await ask(
                    "POST",
                    "phones/\(third)/player",
                    #"{"inviteCode":"00000000"}"#,
                    world,
                    expecting: 404
                )
                #expect(unknown.type == "unknown-invite-code")
                let members = try await player.party(party.partyID).members.map(\.displayName)
                #expect(members == ["Leader", "Mina", "Theo"])

                let fight = try await world.console(of: server).startBossFight(
                    against: "glitch",
                    inviteCode: party.inviteCode
                )
                let card = try await eventually("a card that was pushed to") {
                    let shown = try await SimulatorClient(at: world.simulatorURL).pushes(after: 0).compactMap(
                        \.activityID
                    )
                    let running = try await ask("GET", "phones/\(phoneIDs[0])/running-activities", nil, world)
                    return running.activities?.first { shown.contains($0.activityID) }
                }
                _ = try await ask("POST", "phones/\(phoneIDs[0])/activities/\(card.activityID)/rotate", nil, world)

                // Both phones get their ends, the first by a token that the player has told of in the middle.
                let simulator = SimulatorClient(at: world.simulatorURL)
                let ended = try await eventually("the ends", within: .seconds(120)) {
                    let activities = try await simulator.phones().flatMap(\.activities)
                    return activities.count == 2 && activities.allSatisfy(\.isEndedByPush) ? activities : nil
                }
                let over = try await player.adventure(fight)
                #expect(over.isOver)
                #expect(ended.map(\.contentState?.sequence) == [over.sequence, over.sequence])
                #expect(try await simulator.violations().map(\.detail) == [])

                let path = "activities/\(card.activityID)/decisions"
                #expect(try await ask("GET", path, nil, world, expecting: 409).type == "no-operator")
                _ = try await world.createOperator(World.pageOperator, role: "viewer")
                let sent = try await eventually("a decision to send", within: .seconds(120)) {
                    try await ask("GET", path, nil, world).decisions?.first { $0.decision == "sent" }
                }
                #expect(!sent.happened.isEmpty)

                _ = try await ask("DELETE", "phones/\(phoneIDs[0])/player", nil, world)
                let left = try await player.party(party.partyID).members.map(\.displayName)
                #expect(left == ["Leader", "Theo"])
                #expect(try await ask("GET", "players", nil, world).players?.map(\.displayName) == ["Theo"])
            }
        }

        private func ask(
            _ method: String,
            _ path: String,
            _ body: String?,
            _ world: World,
            expecting status: Int? = nil
        ) async throws -> Answer {
            let url = world.simulatorURL.appending(path: "api/\(path)")
            var request = URLRequest(url: url, timeoutInterval: 10)
            request.httpMethod = method
            request.httpBody = body.map { Data($0.utf8) }
            let (data, response) = try await URLSession.shared.data(for: request)
            let answered = (response as? HTTPURLResponse)?.statusCode ?? 0
            guard status.map({ $0 == answered }) ?? (200..<300).contains(answered) else {
                let text = String(decoding: data, as: UTF8.self)
                throw TimeLimitExceeded(description: "\(method) \(url): \(answered) \(text)")
            }
            return try JSONDecoder().decode(Answer.self, from: data.isEmpty ? Data("{}".utf8) : data)
        }
    }
}
