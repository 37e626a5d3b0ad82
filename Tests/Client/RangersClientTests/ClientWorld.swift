import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import PartyAPI
import RangersClient
import ServiceRuntime
import TestSupport

/// The real API with an empty database, on a real port.
struct ClientWorld: Sendable {
    private static let tick = Duration.seconds(10)

    let port: Int
    let apple: TestApple
    private let game: World
    private let engine: GameEngine

    /// Runs a test with a world that is shut down afterwards.
    static func with(_ test: @Sendable (ClientWorld) async throws -> Void) async throws {
        var options = World.Options()
        options.clock = .running()
        options.settings.journeyTick = tick
        options.randomBits = Runtime.system.randomBits
        let apple = try TestApple()
        try await World.with(options) { game in
            let api = PartyAPI(
                store: game.store,
                commands: game.commands,
                runtime: game.runtime,
                // A client with a jumping clock reconnects before the server notices that the old connection is closed.
                streams: StreamSettings(maxStreamsPerPlayer: 1_000),
                apple: apple.signIn,
                logger: game.logs.logger
            )
            try await withListeningServer { onListening in
                api.server(host: "127.0.0.1", port: 0, onServing: onListening)
            } _: { _, port in
                try await test(ClientWorld(port: port, apple: apple, game: game, engine: game.engine()))
            }
        }
    }

    var store: GameStore { game.store }

    /// Returns a client of the server, at its own port or that of a proxy.
    func server(port: Int? = nil, _ configuration: RangersConfiguration = .init()) -> RangersServer {
        RangersServer(at: localhost(port ?? self.port), configuration: configuration)
    }

    /// Registers a player and returns a client for the player.
    func player(_ name: String = "Ada", playing hero: HeroID = "spouty") async throws -> (PlayerID, PlayerClient) {
        let registered = try await server().register(name, playing: hero)
        return (registered.playerID, server().player(with: registered.token))
    }

    /// Starts a journey of a party with one player.
    func journey(of player: PlayerClient) async throws -> AdventureResponse {
        let party = try await player.createParty(named: "Alone")
        return try await player.startJourney(of: party.partyID, in: "meadow")
    }

    /// Starts a fight of a party, as an operator does.
    func bossFight(of partyID: PartyID) async throws -> AdventureID {
        try await game.commands.startBossFight(of: partyID, against: "old-tangle", by: .test).id
    }

    /// Returns the stored activity.
    func activity(_ id: ActivityID, of adventureID: AdventureID) async throws -> Activity? {
        try await store.activities(of: adventureID).first { $0.id == id }
    }

    /// Advances the clock by a number of ticks and lets the engine play them.
    func playTicks(_ count: Int) async throws {
        game.clock.advance(by: Self.tick * count)
        _ = try await engine.runPollCycle()
        _ = try await game.commands.giveAwards(limit: 100)
    }
}

/// Returns the URL of a port of this machine.
func localhost(_ port: Int) -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)") else { preconditionFailure("a port is a number") }
    return url
}
