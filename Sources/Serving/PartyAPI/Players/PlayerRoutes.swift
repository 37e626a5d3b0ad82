import GameCore
import GameEngine
import GameStore
import Hummingbird
import ServiceRuntime

/// Players themselves.
struct PlayerRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands
    let runtime: Runtime

    func add(to router: Router<APIContext>, _ gate: Gate) {
        router.post("v1/players", use: gate.anyone(register))
        router.get("v1/players/me", use: gate.player(profile))
        router.delete("v1/players/me", use: gate.player(erase))
        router.get("v1/players/me/export", use: gate.player(export))
        router.post("v1/players/me/token", use: gate.player(exchangeToken))
        router.delete("v1/players/me/token", use: gate.tokenHolder(revokeToken))
    }

    /// Takes no idempotency key, since there is no player yet to whom one could belong: whoever gets no answer registers
    /// again, and the player whose token nobody knows is never heard of.
    private func register(_ call: Call<Void>) async throws -> Response {
        let body: NewPlayer = try call.fields()
        var generator = runtime.generator()
        let token = BearerToken(for: .player, using: &generator)
        let player = try await commands.register(
            displayName: body.displayName,
            hero: body.hero,
            tokenHash: token.hash
        )
        return try Response(status: .created, json: PlayerView(player, token: token))
    }

    /// Takes no idempotency key, like all writes here: whoever gets no answer asks again, and what was given out before and
    /// never used is dead.
    private func exchangeToken(_ call: Call<PlayerID>) async throws -> Response {
        guard try await store.player(call.caller) != nil else { throw CommandError.unknownPlayer }
        var generator = runtime.generator()
        let token = BearerToken(for: .player, using: &generator)
        try await store.addToken(token.hash, of: call.caller, at: runtime.now())
        return try Response(json: ["token": token.text])
    }

    private func revokeToken(_ call: Call<TokenHolder>) async throws -> Response {
        try await store.revokeToken(call.caller.tokenHash)
        return Response(status: .noContent)
    }

    private func erase(_ call: Call<PlayerID>) async throws -> Response {
        try await commands.erase(call.caller)
        return Response(status: .noContent)
    }

    private func export(_ call: Call<PlayerID>) async throws -> Response {
        guard let export = try await PlayerExport(of: call.caller, from: store, at: runtime.now()) else {
            throw CommandError.unknownPlayer
        }
        return try Response(json: export)
    }

    private func profile(_ call: Call<PlayerID>) async throws -> Response {
        guard let player = try await store.player(call.caller) else { throw CommandError.unknownPlayer }
        return try Response(json: PlayerView(player, token: nil))
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
