import GameCore
import GameEngine
import GameStore
import HTTPServing
import Hummingbird
import ServiceRuntime

/// The routes of players.
struct PlayerRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands
    let runtime: Runtime

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.post("v1/players", use: authenticator.anyone(register))
        router.get("v1/players/me", use: authenticator.player(profile))
        router.delete("v1/players/me", use: authenticator.player(erase))
        router.get("v1/players/me/export", use: authenticator.player(query: ["after"], export))
        router.post("v1/players/me/token", use: authenticator.player(exchangeToken))
        router.delete("v1/players/me/token", use: authenticator.tokenHolder(revokeToken))
    }

    /// Registers a player.
    ///
    /// The route supports no idempotency key, since keys belong to players. If the response is lost, the client
    /// registers another player, and the first one stays unused.
    private func register(_ request: APIRequest<Void>) async throws -> Response {
        let body: NewPlayerBody = try request.fields()
        var generator = runtime.generator()
        let token = BearerToken(for: .player, using: &generator)
        let player = try await commands.register(
            displayName: body.displayName,
            hero: body.hero,
            tokenHash: token.hash
        )
        return try Response(status: .created, json: PlayerView(player, token: token))
    }

    /// Issues another token; its first use revokes all others.
    ///
    /// The route supports no idempotency key: if the response is lost, the client repeats the request.
    private func exchangeToken(_ request: APIRequest<PlayerID>) async throws -> Response {
        guard try await store.player(request.caller) != nil else { throw CommandError.unknownPlayer }
        var generator = runtime.generator()
        let token = BearerToken(for: .player, using: &generator)
        try await store.addToken(token.hash, of: request.caller, at: runtime.now())
        return try Response(json: ["token": token.text])
    }

    private func revokeToken(_ request: APIRequest<TokenHolder>) async throws -> Response {
        try await store.revokeToken(request.caller.tokenHash)
        return Response(status: .noContent)
    }

    private func erase(_ request: APIRequest<PlayerID>) async throws -> Response {
        try await commands.erase(request.caller)
        return Response(status: .noContent)
    }

    private func export(_ request: APIRequest<PlayerID>) async throws -> Response {
        let cursor = try request.queryValue("after", "must be the 'next' of the previous page") { ExportCursor($0) }
        guard
            let export = try await PlayerExport(of: request.caller, after: cursor, from: store, at: runtime.now())
        else { throw CommandError.unknownPlayer }
        return try Response(json: export)
    }

    private func profile(_ request: APIRequest<PlayerID>) async throws -> Response {
        guard let player = try await store.player(request.caller) else { throw CommandError.unknownPlayer }
        return try Response(json: PlayerView(player, token: nil))
    }
}

private struct PlayerView: Encodable {
    let playerID: PlayerID
    let displayName: String
    let hero: HeroView
    /// The token; nil except in the response to a registration.
    let token: String?

    init(_ player: Player, token: BearerToken?) {
        playerID = player.id
        displayName = player.displayName
        // Experience belongs to a membership, so a hero enters each party at level 1.
        hero = HeroView(player.hero, level: 1)
        self.token = token?.text
    }
}
