import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import APNsSimulator

@Suite struct PlayerAPITests {
    /// A game with one invite code.
    private final class Game: PhonePlayers {
        /// The only activity with decisions.
        static let knownActivity = UUID()

        private let playing = Mutex<[PhonePlayer]>([])
        private let requested = Mutex<[PlayerRequest]>([])

        let heroes = [PhoneCharacter(id: "bamboo", name: "Bamboo", avatar: "🐼")]
        let bosses = [PhoneCharacter(id: "glitch", name: "Glitch", avatar: "👾")]
        let server = URL(filePath: "/game")
        var players: [PhonePlayer] { playing.withLock(\.self) }
        var requests: [PlayerRequest] { requested.withLock(\.self) }

        func attach(_ request: PlayerRequest) async throws(PlayerProblem) -> PhonePlayer {
            requested.withLock { $0.append(request) }
            guard request.inviteCode == "GOODCODE" else {
                throw PlayerProblem(
                    status: 404,
                    type: "unknown-invite-code",
                    title: "No such code",
                    detail: "Ask.",
                    fields: [("inviteCode", "is unknown")]
                )
            }
            let player = PhonePlayer(
                phoneID: request.phoneID,
                playerID: "one",
                displayName: request.displayName,
                hero: request.hero ?? "any",
                partyID: "one",
                takesTurns: request.takesTurns
            )
            playing.withLock { $0.append(player) }
            return player
        }

        func raids(_ part: RaidPart) async throws(PlayerProblem) -> Data? {
            Data("\(part)".utf8)
        }

        /// The party of every adventure, then idle parties.
        func parties(of adventureIDs: [UUID], and partyIDs: [String]) async throws(PlayerProblem) -> [PhoneParty]? {
            adventureIDs.map { party("one", on: $0.uuidString.lowercased()) } + partyIDs.map { party($0, on: nil) }
        }

        private func party(_ partyID: String, on adventureID: String?) -> PhoneParty {
            PhoneParty(
                partyID: partyID,
                name: "Rangers",
                inviteCode: "GOODCODE",
                members: 1,
                capacity: 8,
                adventureID: adventureID
            )
        }

        func decisions(on activityID: UUID) async throws(PlayerProblem) -> [PushDecision]? {
            guard activityID == Self.knownActivity else { return nil }
            return [
                PushDecision(
                    at: "2026-01-01T12:00:00Z",
                    decision: "sent",
                    trigger: "Ada fell",
                    action: "Sent",
                    reason: nil,
                    until: nil
                )
            ]
        }

        func detach(from phoneID: UUID) async throws(PlayerProblem) {
            playing.withLock { $0.removeAll { $0.phoneID == phoneID } }
        }
    }

    private func addPhone(to web: TestWeb) async throws -> String {
        _ = try await web.send(.post, "/api/phones", #"{"label":"Mina","locale":"ko","frequentPushesEnabled":false}"#)
        return try #require(web.simulator.read(\.phones).last?.id.description)
    }

    @Test func `a player has the phone's name and settings, unless another name is given`() async throws {
        let game = Game()
        let web = try TestWeb(seed: 3, players: game)
        let path = "/api/phones/\(try await addPhone(to: web))/player"
        let response = try await web.send(.post, path, #"{"inviteCode":"GOODCODE"}"#)
        #expect(response.status == 201)
        #expect(response.body.contains(#""displayName":"Mina","hero":"any""#))
        let request = try #require(game.requests.last)
        #expect(request.locale == "ko" && !request.frequentPushesEnabled && request.takesTurns && request.hero == nil)

        let named = #"{"inviteCode":"GOODCODE","displayName":"Theo","hero":"bamboo","takesTurns":false}"#
        #expect(
            try await web.send(.post, path, named).body.contains(#""displayName":"Theo","hero":"bamboo""#)
        )
        #expect(game.requests.last?.takesTurns == false)
    }

    @Test func `a player is listed until it is detached`() async throws {
        let web = try TestWeb(seed: 3, players: Game())
        let phone = try await addPhone(to: web)
        let empty =
            #"{"bosses":[{"avatar":"👾","id":"glitch","name":"Glitch"}],"canBeAttached":true,"#
            + #""heroes":[{"avatar":"🐼","id":"bamboo","name":"Bamboo"}],"players":[],"server":"file:///game"}"#
        #expect(try await web.send(.get, "/api/players").body == empty)
        _ = try await web.send(.post, "/api/phones/\(phone)/player", #"{"inviteCode":"GOODCODE"}"#)
        #expect(try await web.send(.get, "/api/players").body.contains(#""phoneID":"\#(phone)""#))
        #expect(try await web.send(.delete, "/api/phones/\(phone)/player").status == 204)
        #expect(try await web.send(.get, "/api/players").body == empty)
    }

    @Test func `a problem of the game keeps its words`() async throws {
        let web = try TestWeb(seed: 3, players: Game())
        let path = "/api/phones/\(try await addPhone(to: web))/player"
        let response = try await web.send(.post, path, #"{"inviteCode":"BADCODE"}"#)
        #expect(response.status == 404 && response.type == "application/problem+json")
        #expect(response.body.contains(#""type":"unknown-invite-code""#) && response.body.contains("Ask."))
        #expect(response.body.contains(#""errors":[{"field":"inviteCode","reason":"is unknown"}]"#))
        #expect(try await web.send(.post, "/api/phones/\(UUID())/player", #"{"inviteCode":"GOODCODE"}"#).status == 404)
    }

    @Test func `raids are the game's own JSON`() async throws {
        let web = try TestWeb(seed: 3, players: Game())
        let id = UUID()
        let raids = try await web.send(.get, "/api/raids")
        #expect(raids.status == 200 && raids.type == "application/json" && raids.body == "\(RaidPart.list)")
        let path = "/api/raids/\(id)"
        let rounds = try await web.send(.get, "\(path)/rounds?after=7").body
        #expect(rounds == "\(RaidPart.rounds(id, after: 7))")
        #expect(try await web.send(.get, "\(path)/rounds").body == "\(RaidPart.rounds(id, after: nil))")
        #expect(try await web.send(.get, "\(path)/ranking").body == "\(RaidPart.ranking(id))")
        #expect(try await web.send(.get, "\(path)/rounds?after=-1").status == 422)
        #expect(try await web.send(.get, "/api/raids/first/ranking").status == 404)
        #expect(try await TestWeb(seed: 3).send(.get, "/api/raids").status == 409)
    }

    @Test func `the parties of running activities are listed once, the newest first`() async throws {
        let web = try TestWeb(seed: 3, players: Game())
        #expect(try await web.send(.get, "/api/parties").body == #"{"parties":[]}"#)
        let adventure = UUID().uuidString.lowercased()
        for _ in 0..<2 {
            let path = "/api/phones/\(try await addPhone(to: web))/activities"
            let body = #"{"activityID":"\#(UUID())","adventureID":"\#(adventure)"}"#
            #expect(try await web.send(.post, path, body).status == 201)
        }
        let party =
            #"{"adventureID":"\#(adventure)","capacity":8,"inviteCode":"GOODCODE","members":1,"name":"Rangers","#
            + #""partyID":"one"}"#
        #expect(try await web.send(.get, "/api/parties").body == #"{"parties":[\#(party)]}"#)
    }

    @Test func `the party of players is listed once, also before its first adventure`() async throws {
        let web = try TestWeb(seed: 3, players: Game())
        for _ in 0..<2 {
            let path = "/api/phones/\(try await addPhone(to: web))/player"
            #expect(try await web.send(.post, path, #"{"inviteCode":"GOODCODE"}"#).status == 201)
        }
        let party = #"{"capacity":8,"inviteCode":"GOODCODE","members":1,"name":"Rangers","partyID":"one"}"#
        #expect(try await web.send(.get, "/api/parties").body == #"{"parties":[\#(party)]}"#)
    }

    @Test func `the game's decisions are listed, or the missing option is named`() async throws {
        let web = try TestWeb(seed: 3, players: Game())
        let response = try await web.send(.get, "/api/activities/\(Game.knownActivity)/decisions")
        #expect(response.status == 200)
        #expect(
            response.body.contains(
                #""action":"Sent","at":"2026-01-01T12:00:00Z","decision":"sent","trigger":"Ada fell""#
            )
        )
        let other = try await web.send(.get, "/api/activities/\(UUID())/decisions")
        #expect(other.status == 409 && other.body.contains("--operator-token-file"))
        let withoutGame = try await TestWeb(seed: 3).send(.get, "/api/activities/\(Game.knownActivity)/decisions")
        #expect(withoutGame.status == 409 && withoutGame.body.contains("--game-server"))
    }

    @Test func `a simulator without a game names the missing option`() async throws {
        let web = try TestWeb(seed: 3)
        let path = "/api/phones/\(try await addPhone(to: web))/player"
        let players = try await web.send(.get, "/api/players").body
        #expect(players == #"{"bosses":[],"canBeAttached":false,"heroes":[],"players":[]}"#)
        #expect(try await web.send(.get, "/api/parties").status == 409)
        let response = try await web.send(.post, path, #"{"inviteCode":"GOODCODE"}"#)
        #expect(response.status == 409 && response.body.contains("--game-server"))
        #expect(try await web.send(.delete, path).status == 409)
    }
}
