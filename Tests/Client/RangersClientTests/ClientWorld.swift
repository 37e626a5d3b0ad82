import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import GameTestSupport
import PartyAPI
import RangersClient
import ServiceRuntime
import TestSupport

/// The real API over an empty database, on a real port.
struct ClientWorld: Sendable {
    private static let tick = Duration.seconds(10)

    let port: Int
    private let game: World
    private let engine: GameEngine

    /// Runs a test with a world that is torn down afterwards.
    static func with(_ test: @Sendable (ClientWorld) async throws -> Void) async throws {
        var options = World.Options()
        options.clock = .running()
        options.settings.journeyTick = tick
        options.randomBits = Runtime.system.randomBits
        try await World.with(options) { game in
            let api = PartyAPI(
                store: game.store,
                commands: game.commands,
                runtime: game.runtime,
                // A client whose waits take no time comes back faster than the server may notice that it has gone.
                streams: StreamSettings(mostOfPlayer: 1_000),
                logger: game.logs.logger
            )
            try await withListeningServer { onListening in
                api.server(host: "127.0.0.1", port: 0, onServing: onListening)
            } _: { _, port in
                try await test(ClientWorld(port: port, game: game, engine: game.engine()))
            }
        }
    }

    var store: GameStore { game.store }

    /// The server, at its own port or at that of somebody between.
    func server(port: Int? = nil, _ configuration: RangersConfiguration = .init()) -> RangersServer {
        RangersServer(at: localhost(port ?? self.port), configuration: configuration)
    }

    /// A new player, with what speaks for the player.
    func player(_ name: String = "Ada", playing hero: HeroID = "spouty") async throws -> (PlayerID, PlayerClient) {
        let registered = try await server().register(name, playing: hero)
        return (registered.playerID, server().player(with: registered.token))
    }

    /// A journey of a player alone.
    func journey(of player: PlayerClient) async throws -> AdventureAnswer {
        let party = try await player.createParty(named: "Alone")
        return try await player.startJourney(of: party.partyID, in: "meadow")
    }

    /// What the server knows of a card.
    func activity(_ id: ActivityID, of adventureID: AdventureID) async throws -> Activity? {
        try await store.activities(of: adventureID).first { $0.id == id }
    }

    /// Lets time pass, and the engine play what comes due by it.
    func playTicks(_ count: Int) async throws {
        game.clock.advance(by: Self.tick * count)
        _ = try await engine.runPollCycle()
    }
}

/// A port of this machine.
func localhost(_ port: Int) -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)") else { preconditionFailure("a port is a number") }
    return url
}
