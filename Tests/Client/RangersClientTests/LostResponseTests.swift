import Foundation
import GameCore
import GameLog
import GameStore
import RangersClient
import Synchronization
import Testing

/// Retries after lost responses.
///
/// The time limit is far below the sum of the idle timeouts, so that no test passes by waiting for one.
@Suite(.timeLimit(.minutes(10))) struct LostResponseTests {
    /// Selects the first two requests whose request line has a prefix; their responses are lost.
    private final class ResponseLoss: Sendable {
        private let prefix: String
        private let remaining = Mutex(2)

        init(prefix: String) { self.prefix = prefix }

        var isExhausted: Bool { remaining.withLock { $0 == 0 } }

        func affects(_ request: String) -> Bool {
            remaining.withLock { remaining in
                guard remaining > 0, request.hasPrefix(prefix) else { return false }
                remaining -= 1
                return true
            }
        }
    }

    /// Runs a test with a client that does not receive the responses to the first two requests that begin with a
    /// prefix.
    private func withResponseLoss(
        _ prefix: String,
        _ test: @escaping @Sendable (ClientWorld, PlayerID, PlayerClient) async throws -> Void
    ) async throws {
        try await ClientWorld.with { world in
            let loss = ResponseLoss(prefix: prefix)
            try await TCPServer.forwarding(to: world.port) {
                loss.affects($0)
            } _: { port in
                let configuration = RangersConfiguration(clock: JumpingClock())
                let server = world.server(port: port, configuration)
                let ada = try await server.register("Ada", playing: "spouty")
                try await test(world, ada.playerID, server.player(with: ada.token))
                #expect(loss.isExhausted)
            }
        }
    }

    @Test func `a party whose creation gets no response is created once`() async throws {
        try await withResponseLoss("POST /v1/parties ") { _, _, ada in
            let party = try await ada.createParty(named: "Once")
            #expect(try await ada.parties() == [party])
        }
    }

    @Test func `a registration without a response registers one player`() async throws {
        try await withResponseLoss("POST /v1/players ") { world, id, ada in
            #expect(try await ada.profile().playerID == id)
            let now = try await world.store.now()
            #expect(try await world.store.statistics(at: now).players.value == 1)
        }
    }

    @Test func `a removal without a response succeeds on retry`() async throws {
        try await withResponseLoss("DELETE /v1/parties/") { _, id, ada in
            let party = try await ada.createParty(named: "Left")
            try await ada.remove(id, from: party.partyID)
            #expect(try await ada.parties() == [])
        }
    }

    @Test func `a release without a response succeeds on retry`() async throws {
        try await withResponseLoss("DELETE /v1/adventures/") { world, _, ada in
            let journey = try await world.journey(of: ada).adventureID
            let activityID = ActivityID(rawValue: UUID())
            let destination = PushDestination(
                pushToken: Data([1]),
                environment: .simulator,
                frequentPushesEnabled: true
            )
            let deviceID = DeviceID(rawValue: UUID())
            try await ada.register(deviceID, with: .init(environment: .simulator, frequentPushesEnabled: true))
            try await ada.register(activityID, of: journey, on: deviceID, destination: destination)
            try await ada.release(activityID, of: journey)
            #expect(try await world.activity(activityID, of: journey)?.state == .released)
        }
    }

    @Test func `a registration without a response is retried`() async throws {
        try await withResponseLoss("POST /v1/players ") { _, id, ada in
            let profile = try await ada.profile()
            #expect(profile.playerID == id)
        }
    }
}
