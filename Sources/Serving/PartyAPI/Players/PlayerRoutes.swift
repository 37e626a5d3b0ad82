import Cryptography
import Encodings
import GameCore
import GameEngine
import GameLog
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
        router.patch("v1/players/me", use: authenticator.player(changeProfile))
        router.delete("v1/players/me", use: authenticator.player(erase))
        router.get("v1/players/me/export", use: authenticator.player(query: ["after"], export))
    }

    /// Registers a player.
    ///
    /// A request without idempotency key whose response is lost leaves a player in no party, whom nothing uses.
    private func register(_ request: APIRequest<Void>) async throws -> Response {
        let body: NewPlayerBody = try request.fields()
        guard let (keyed, key) = try request.idempotentRegistration else {
            let secrets = SecretDerivation.random(runtime)
            let (token, code) = (secrets.token, secrets.recoveryCode)
            let player = try await commands.register(
                displayName: body.displayName,
                hero: body.hero,
                tokenHash: token.hash,
                recoveryCodeHash: code.hash
            )
            return try Response(status: .created, json: PlayerView(player, token: token, recoveryCode: code))
        }
        let stored = try await commands.register(
            displayName: body.displayName,
            hero: body.hero,
            request: keyed,
            keyHash: SHA256.digest(of: "registration with the key \(key.lowercaseText)")
        ) { salt in SecretDerivation(from: key.lowercaseText, salt: salt).hashes }
        let secrets = SecretDerivation(from: key.lowercaseText, salt: stored.salt)
        let player = Player(id: stored.playerID, displayName: body.displayName.text, hero: body.hero)
        return try Response(
            status: .created,
            json: PlayerView(player, token: secrets.token, recoveryCode: secrets.recoveryCode),
            isReplayed: stored.isReplayed
        )
    }

    private func erase(_ request: APIRequest<PlayerID>) async throws -> Response {
        try await commands.erase(request.caller)
        return Response(status: .noContent)
    }

    private func export(_ request: APIRequest<PlayerID>) async throws -> Response {
        try await PlayerExport.response(to: request, of: request.caller, from: store, at: runtime.now())
    }

    private func profile(_ request: APIRequest<PlayerID>) async throws -> Response {
        guard let player = try await store.player(request.caller) else { throw CommandError.unknownPlayer }
        let isKnown = try request.matchesCachedVersion(player.version)
        var response = try isKnown ? Response(status: .notModified) : Response(json: PlayerView(player))
        response.headers[.eTag] = EntityTags.tag(of: player.version)
        // Only the client may cache the response, and it must revalidate it.
        response.headers[.cacheControl] = "private, no-cache"
        return response
    }

    private func changeProfile(_ request: APIRequest<PlayerID>) async throws -> Response {
        let body: ProfileBody = try request.fields()
        return Response(
            try await commands.changeProfile(
                of: request.caller,
                displayName: body.displayName,
                hero: body.hero,
                isNamedInLeaderboards: body.namedInLeaderboards,
                at: request.expectedVersions,
                request: request.idempotentRequest
            ) { player in
                let response = try EncodedResponse(status: .ok, json: PlayerView(player))
                return response.with(version: player.version)
            }
        )
    }
}

extension PlayerExport {
    /// Returns a page of a player's data, after the cursor in the query.
    static func response<Caller>(
        to request: APIRequest<Caller>,
        of playerID: PlayerID,
        from store: GameStore,
        at now: Timestamp
    ) async throws -> Response {
        let cursor = try request.queryValue("after", "must be the 'next' of the previous page") { ExportCursor($0) }
        guard let export = try await Self(of: playerID, after: cursor, from: store, at: now) else {
            throw CommandError.unknownPlayer
        }
        return try Response(json: export)
    }
}

private struct PlayerView: Encodable {
    let playerID: PlayerID
    let displayName: String
    let hero: HeroView
    let namedInLeaderboards: Bool
    let version: Int64
    let experience: Int
    let bossesDefeated: Int
    /// The token; nil except in the response to a registration.
    let token: String?
    /// The recovery code; nil except in the response to a registration.
    let recoveryCode: String?

    init(_ player: Player, token: BearerToken? = nil, recoveryCode: RecoveryCode? = nil) {
        playerID = player.id
        displayName = player.displayName
        hero = HeroView(player.hero, level: Hero.level(forExperience: player.progress.experience))
        namedInLeaderboards = player.isNamedInLeaderboards
        version = player.version
        experience = player.progress.experience
        bossesDefeated = player.progress.bossesDefeated
        self.token = token?.text
        self.recoveryCode = recoveryCode?.text
    }
}
