import GameCore
import GameEngine
import GameStore
import Hummingbird

/// Players themselves.
struct PlayerRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands
    let surroundings: Surroundings

    func add(to router: Router<BasicRequestContext>, _ gate: Gate) {
        router.post("v1/players", use: gate.anyone(register))
        router.get("v1/players/me", use: gate.player(profile))
    }

    /// Takes no idempotency key, since there is no player yet to whom one could belong: whoever gets no answer registers
    /// again, and the player whose token nobody knows is never heard of.
    private func register(_ call: Call<Void>) async throws -> Response {
        let body: NewPlayer = try call.fields()
        var generator = surroundings.generator()
        let token = BearerToken(for: .player, using: &generator)
        let player = try await commands.register(
            displayName: body.displayName,
            hero: body.hero,
            tokenHash: token.hash
        )
        return try Response(status: .created, json: PlayerView(player, token: token))
    }

    private func profile(_ call: Call<PlayerID>) async throws -> Response {
        guard let player = try await store.player(call.caller) else { throw CommandError.unknownPlayer }
        return try Response(json: PlayerView(player, token: nil))
    }
}

/// The body of `POST /v1/players`: `{displayName, hero}`.
private struct NewPlayer: RequestFields {
    let displayName: Name
    let hero: HeroID

    init?(_ fields: inout Fields) {
        let displayName = fields.required("displayName", .name)
        let hero = fields.required("hero", FieldReader<HeroID>.entry(of: HeroCatalogue.self))
        guard let displayName, let hero else { return nil }
        self.displayName = displayName
        self.hero = hero
    }
}

private struct PlayerView: Encodable {
    let playerID: PlayerID
    let displayName: String
    let hero: HeroView
    /// Only in the answer to the registration.
    let token: String?

    init(_ player: Player, token: BearerToken?) {
        playerID = player.id
        displayName = player.displayName
        // Levels are gathered in parties: a hero comes to each at the first one.
        hero = HeroView(player.hero, level: 1)
        self.token = token?.text
    }
}
