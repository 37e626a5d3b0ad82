import Foundation
import GameCore
import GameLog
import GameStore
import LiveActivityContent
import RangersClient
import SimulatedPlayers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension EndToEndTests {
    /// Players that are attached to existing phones, as on the page.
    @Suite struct AttachedPlayerTests {
        private struct Response: Decodable {
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
                let trigger: String
            }

            struct Party: Decodable {
                let name: String
                let adventureID: AdventureID?
            }

            let phoneID: UUID?
            let decisions: [Decision]?
            let parties: [Party]?
            let type: String?
            let players: [Player]?
            let activities: [Activity]?
        }

        private let phones: [(label: String, body: String)] = [
            ("Mina", #""hero":"spouty""#), ("Theo", #""hero":"bamboo","takesTurns":false"#),
        ]

        @Test func `players join by code, follow the fight on their phones, and leave`() async throws {
            try await TestDeployment.with(withGame: true) { deployment in
                let server = try await deployment.startServer()
                let rangers = RangersServer(at: server.url)
                let leader = try await rangers.register("Leader", playing: "boulder")
                let player = rangers.player(with: leader.token)
                let party = try await player.createParty(named: "Attached")

                var phoneIDs: [UUID] = []
                for phone in phones {
                    let id = try #require(
                        try await send("POST", "phones", #"{"label":"\#(phone.label)"}"#, deployment).phoneID
                    )
                    let body = #"{"inviteCode":"\#(party.inviteCode)",\#(phone.body)}"#
                    _ = try await send("POST", "phones/\(id)/player", body, deployment)
                    let again = try await send("POST", "phones/\(id)/player", body, deployment, expecting: 409)
                    #expect(again.type == "phone-is-taken")
                    phoneIDs.append(id)
                }
                let third = try #require(try await send("POST", "phones", #"{"label":"Ines"}"#, deployment).phoneID)
                let unknown = try await send(
                    "POST",
                    "phones/\(third)/player",
                    #"{"inviteCode":"00000000"}"#,
                    deployment,
                    expecting: 404
                )
                #expect(unknown.type == "unknown-invite-code")
                let members = try await player.party(party.partyID).members.map(\.displayName)
                #expect(members == ["Leader", "Mina", "Theo"])

                // The party is listed while no phone has shown an adventure of it: it is idle, and needs a boss fight.
                #expect(try await send("GET", "parties", nil, deployment, expecting: 409).type == "no-operator")
                _ = try await deployment.createOperator(TestDeployment.pageOperator, role: "viewer")
                let idle = try #require(try await send("GET", "parties", nil, deployment).parties)
                #expect(idle.map(\.name) == ["Attached"])
                #expect(idle.allSatisfy { $0.adventureID == nil })

                let fight = try await deployment.console(of: server).startBossFight(
                    against: "glitch",
                    inviteCode: party.inviteCode
                )
                let activity = try await eventually("an activity with a push") {
                    let shown = try await SimulatorClient(at: deployment.simulatorURL).pushes(after: 0).compactMap(
                        \.activityID
                    )
                    let running = try await send("GET", "phones/\(phoneIDs[0])/running-activities", nil, deployment)
                    return running.activities?.first { shown.contains($0.activityID) }
                }
                let listed = try #require(try await send("GET", "parties", nil, deployment).parties)
                #expect(listed.map(\.name) == ["Attached"])
                _ = try await send(
                    "POST",
                    "phones/\(phoneIDs[0])/activities/\(activity.activityID)/rotate",
                    nil,
                    deployment
                )

                // Both phones receive the end of their activity, the first one on the rotated token.
                let simulator = SimulatorClient(at: deployment.simulatorURL)
                let ended = try await eventually("the ends", within: .seconds(120)) {
                    let activities = try await simulator.phones().flatMap(\.activities)
                    return activities.count == 2 && activities.allSatisfy(\.isEndedByPush) ? activities : nil
                }
                let over = try await player.adventure(fight)
                #expect(over.isOver)
                #expect(ended.map(\.contentState?.sequence) == [over.sequence, over.sequence])
                #expect(try await simulator.violations().map(\.detail) == [])

                let path = "activities/\(activity.activityID)/decisions"
                let sent = try await eventually("a decision to send", within: .seconds(120)) {
                    try await send("GET", path, nil, deployment).decisions?.first { $0.decision == "sent" }
                }
                #expect(!sent.trigger.isEmpty)

                // The app has reported what the phone has shown.
                let receipts = try await eventually("a report of the end", within: .seconds(120)) {
                    let receipts = try await deployment.store.receipts(for: activity.activityID, of: fight)
                    return receipts?.endedAt == nil ? nil : receipts
                }
                #expect(receipts.shownCount > 0)

                // What adventures bring their players reloads their widgets, at most once in a quarter of an hour.
                _ = try await player.startJourney(of: party.partyID, in: RegionCatalogue.all[0].id)
                let widgets = try await eventually("the widgets", within: .seconds(120)) {
                    let widgets = try await simulator.phones().compactMap(\.widgets).filter { widgets in
                        widgets.reloads > 0 && widgets.content?.leaderboard.contains(where: \.isOwn) == true
                    }
                    return widgets.count == 2 ? widgets : nil
                }
                #expect(widgets.map(\.reloads) == [1, 1])

                _ = try await send("DELETE", "phones/\(phoneIDs[0])/player", nil, deployment)
                let left = try await player.party(party.partyID).members.map(\.displayName)
                #expect(left == ["Leader", "Theo"])
                #expect(try await send("GET", "players", nil, deployment).players?.map(\.displayName) == ["Theo"])
            }
        }

        private func send(
            _ method: String,
            _ path: String,
            _ body: String?,
            _ deployment: TestDeployment,
            expecting status: Int? = nil
        ) async throws -> Response {
            let url = deployment.simulatorURL.appending(path: "api/\(path)")
            var request = URLRequest(url: url, timeoutInterval: 10)
            request.httpMethod = method
            request.httpBody = body.map { Data($0.utf8) }
            let (data, response) = try await URLSession.shared.data(for: request)
            let responseStatus = (response as? HTTPURLResponse)?.statusCode ?? 0
            guard status.map({ $0 == responseStatus }) ?? (200..<300).contains(responseStatus) else {
                let text = String(decoding: data, as: UTF8.self)
                throw TimeLimitExceeded(description: "\(method) \(url): \(responseStatus) \(text)")
            }
            return try JSONDecoder().decode(Response.self, from: data.isEmpty ? Data("{}".utf8) : data)
        }
    }
}
