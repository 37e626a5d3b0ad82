import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import APNsSimulator

@Suite struct PlayerAPITests {
    /// A game whose parties have one code.
    private final class Game: PhonePlayers {
        /// The one activity of which it may tell.
        static let explained = UUID()

        private let playing = Mutex<[PhonePlayer]>([])
        private let asked = Mutex<[PlayerWish]>([])

        let heroes = [PhoneHero(id: "bamboo", name: "Bamboo", avatar: "🐼")]
        var players: [PhonePlayer] { playing.withLock(\.self) }
        var wishes: [PlayerWish] { asked.withLock(\.self) }

        func attach(_ wish: PlayerWish) async throws(PlayerRefusal) -> PhonePlayer {
            asked.withLock { $0.append(wish) }
            guard wish.inviteCode == "GOODCODE" else {
                throw PlayerRefusal(status: 404, type: "unknown-invite-code", title: "No such code", detail: "Ask.")
            }
            let player = PhonePlayer(
                phoneID: wish.phoneID,
                playerID: "one",
                displayName: wish.displayName,
                hero: wish.hero ?? "any",
                takesTurns: wish.takesTurns
            )
            playing.withLock { $0.append(player) }
            return player
        }

        func decisions(on activityID: UUID) async throws(PlayerRefusal) -> [PushDecision]? {
            guard activityID == Self.explained else { return nil }
            return [
                PushDecision(
                    at: "2026-01-01T12:00:00Z",
                    decision: "sent",
                    happened: "Ada fell",
                    decided: "Sent",
                    why: nil,
                    until: nil
                )
            ]
        }

        func detach(from phoneID: UUID) async throws(PlayerRefusal) {
            playing.withLock { $0.removeAll { $0.phoneID == phoneID } }
        }
    }

    private func addPhone(to web: TestWeb) async throws -> String {
        _ = try await web.send(.post, "/api/phones", #"{"label":"Mina","locale":"ko","frequentPushesEnabled":false}"#)
        return try #require(web.simulation.read(\.phones).last?.id.description)
    }

    @Test func `a player has the phone's name and settings, unless another name is given`() async throws {
        let game = Game()
        let web = try TestWeb(seed: 3, players: game)
        let path = "/api/phones/\(try await addPhone(to: web))/player"
        let answer = try await web.send(.post, path, #"{"inviteCode":"GOODCODE"}"#)
        #expect(answer.status == 201)
        #expect(answer.body.contains(#""displayName":"Mina","hero":"any""#))
        let wish = try #require(game.wishes.last)
        #expect(wish.locale == "ko" && !wish.frequentPushesEnabled && wish.takesTurns && wish.hero == nil)

        let named = #"{"inviteCode":"GOODCODE","displayName":"Theo","hero":"bamboo","takesTurns":false}"#
        #expect(
            try await web.send(.post, path, named).body.contains(#""displayName":"Theo","hero":"bamboo""#)
        )
        #expect(game.wishes.last?.takesTurns == false)
    }

    @Test func `who plays is listed until the player is let go`() async throws {
        let web = try TestWeb(seed: 3, players: Game())
        let phone = try await addPhone(to: web)
        let nobody = #"{"canBeAttached":true,"heroes":[{"avatar":"🐼","id":"bamboo","name":"Bamboo"}],"players":[]}"#
        #expect(try await web.send(.get, "/api/players").body == nobody)
        _ = try await web.send(.post, "/api/phones/\(phone)/player", #"{"inviteCode":"GOODCODE"}"#)
        #expect(try await web.send(.get, "/api/players").body.contains(#""phoneID":"\#(phone)""#))
        #expect(try await web.send(.delete, "/api/phones/\(phone)/player").status == 204)
        #expect(try await web.send(.get, "/api/players").body == nobody)
    }

    @Test func `what the game refuses is refused in its words`() async throws {
        let web = try TestWeb(seed: 3, players: Game())
        let path = "/api/phones/\(try await addPhone(to: web))/player"
        let answer = try await web.send(.post, path, #"{"inviteCode":"BADCODE"}"#)
        #expect(answer.status == 404 && answer.type == "application/problem+json")
        #expect(answer.body.contains(#""type":"unknown-invite-code""#) && answer.body.contains("Ask."))
        #expect(try await web.send(.post, "/api/phones/\(UUID())/player", #"{"inviteCode":"GOODCODE"}"#).status == 404)
    }

    @Test func `what the game decided is told, or who could tell`() async throws {
        let web = try TestWeb(seed: 3, players: Game())
        let answer = try await web.send(.get, "/api/activities/\(Game.explained)/decisions")
        #expect(answer.status == 200)
        #expect(answer.body.contains(#""decided":"Sent","decision":"sent","happened":"Ada fell""#))
        let other = try await web.send(.get, "/api/activities/\(UUID())/decisions")
        #expect(other.status == 409 && other.body.contains("--operator-token-file"))
        let nobody = try await TestWeb(seed: 3).send(.get, "/api/activities/\(Game.explained)/decisions")
        #expect(nobody.status == 409 && nobody.body.contains("--game-server"))
    }

    @Test func `a simulator without a game says what it lacks`() async throws {
        let web = try TestWeb(seed: 3)
        let path = "/api/phones/\(try await addPhone(to: web))/player"
        #expect(try await web.send(.get, "/api/players").body == #"{"canBeAttached":false,"heroes":[],"players":[]}"#)
        let answer = try await web.send(.post, path, #"{"inviteCode":"GOODCODE"}"#)
        #expect(answer.status == 409 && answer.body.contains("--game-server"))
        #expect(try await web.send(.delete, path).status == 409)
    }
}
