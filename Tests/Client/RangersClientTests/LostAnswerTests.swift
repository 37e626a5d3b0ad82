import Foundation
import GameCore
import GameStore
import RangersClient
import Synchronization
import Testing

/// Each is to be over long before a lost connection would be noticed by its silence.
@Suite(.timeLimit(.minutes(1))) struct LostAnswerTests {
    /// Loses the answers to the first two requests whose first line begins so.
    private final class Loss: Sendable {
        private let line: String
        private let left = Mutex(2)

        init(of line: String) { self.line = line }

        var isUsedUp: Bool { left.withLock { $0 == 0 } }

        func strikes(_ request: String) -> Bool {
            left.withLock { left in
                guard left > 0, request.hasPrefix(line) else { return false }
                left -= 1
                return true
            }
        }
    }

    /// Runs a test with a player between whom and the server answers are lost.
    private func losing(
        _ line: String,
        _ test: @escaping @Sendable (ClientWorld, PlayerID, PlayerClient) async throws -> Void
    ) async throws {
        try await ClientWorld.with { world in
            let loss = Loss(of: line)
            try await TCPServer.forwarding(to: world.port) {
                loss.strikes($0)
            } _: { port in
                let configuration = RangersConfiguration(clock: JumpingClock())
                let server = world.server(port: port, configuration)
                let ada = try await server.register("Ada", playing: "spouty")
                try await test(world, ada.playerID, server.player(with: ada.token))
                #expect(loss.isUsedUp)
            }
        }
    }

    @Test func `a party whose making was not answered is made once`() async throws {
        try await losing("POST /v1/parties ") { _, _, ada in
            let party = try await ada.createParty(named: "Once")
            #expect(try await ada.parties() == [party])
        }
    }

    @Test func `who leaves without an answer has left, and hears of no mistake`() async throws {
        try await losing("DELETE /v1/parties/") { _, id, ada in
            let party = try await ada.createParty(named: "Left")
            try await ada.remove(id, from: party.partyID)
            #expect(try await ada.parties() == [])
        }
    }

    @Test func `a card whose end was not acknowledged is let go of once`() async throws {
        try await losing("DELETE /v1/adventures/") { world, _, ada in
            let journey = try await world.journey(of: ada).adventureID
            let card = ActivityID(rawValue: UUID())
            let route = PushRoute(pushToken: Data([1]), environment: .simulator, frequentPushesEnabled: true)
            try await ada.register(card, of: journey, route: route)
            try await ada.release(card, of: journey)
            #expect(try await world.activity(card, of: journey)?.state == .released)
        }
    }

    @Test func `a registration without an answer is made again`() async throws {
        try await losing("POST /v1/players ") { _, id, ada in
            let profile = try await ada.profile()
            #expect(profile.playerID == id)
        }
    }
}
