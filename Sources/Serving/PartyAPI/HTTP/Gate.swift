import GameCore
import GameStore
import Hummingbird
import PostgresClient
import ServiceRuntime

/// Lets requests through to handlers once it knows who sends them.
///
/// `query` names what the query may have: nothing, for most.
struct Gate: Sendable {
    typealias Handler<Caller: Sendable> = @Sendable (Call<Caller>) async throws -> Response
    typealias Route = @Sendable (Request, APIContext) async throws -> Response

    let store: GameStore
    /// The same, over connections that give up soon.
    let diagnosisStore: GameStore
    let runtime: Runtime
    private let recentOperators = RecentOperators()

    init(store: GameStore, diagnosisStore: GameStore, runtime: Runtime) {
        self.store = store
        self.diagnosisStore = diagnosisStore
        self.runtime = runtime
    }

    /// For everybody, with or without a token.
    func anyone(_ handler: @escaping Handler<Void>) -> Route {
        { request, context in try await handler(try await Call(request, context, caller: (), queryNames: [])) }
    }

    /// For players.
    func player(query: Set<String> = [], _ handler: @escaping Handler<PlayerID>) -> Route {
        { request, context in
            let caller = try await tokenHolder(of: request).playerID
            return try await handler(try await Call(request, context, caller: caller, queryNames: query))
        }
    }

    /// For players, where it matters which token they hold.
    func tokenHolder(query: Set<String> = [], _ handler: @escaping Handler<TokenHolder>) -> Route {
        { request, context in
            let caller = try await tokenHolder(of: request)
            return try await handler(try await Call(request, context, caller: caller, queryNames: query))
        }
    }

    /// For players who ask for the adventure that the path names: one question to the database for both.
    func adventureReader(query: Set<String> = [], _ handler: @escaping Handler<AdventureReader>) -> Route {
        { request, context in
            let hash = try Self.token(of: request, for: .player).hash
            let caller: AdventureReader
            if let id = context.parameters.get("adventureID").flatMap({ AdventureID($0) }) {
                let (playerID, adventure) = try await store.adventure(id, askedForWith: hash)
                guard let playerID else { throw Problem.invalidToken }
                caller = AdventureReader(playerID: playerID, adventure: adventure)
            } else {
                caller = AdventureReader(playerID: try await tokenHolder(of: request).playerID, adventure: nil)
            }
            return try await handler(try await Call(request, context, caller: caller, queryNames: query))
        }
    }

    /// For operators who look.
    func viewer(query: Set<String> = [], _ handler: @escaping Handler<Operator>) -> Route {
        { request, context in
            let caller = try await anyOperator(of: request, context, in: store)
            return try await handler(try await Call(request, context, caller: caller, queryNames: query))
        }
    }

    /// For operators who look for what is wrong, which may be the database.
    ///
    /// Those whom it let in lately are let in without it. Nobody else can be told from a stranger then, and hears so within
    /// seconds.
    func diagnostician(_ handler: @escaping Handler<Diagnostician>) -> Route {
        { request, context in
            let caller: Diagnostician
            do {
                caller = Diagnostician(
                    operator: try await anyOperator(of: request, context, in: diagnosisStore),
                    outage: nil
                )
            } catch let error as PostgresError where error.isOutage {
                let hash = try Self.token(of: request, for: .operator).hash
                guard let known = recentOperators.operatorWith(tokenHash: hash, at: runtime.now()) else {
                    throw error
                }
                context.caller.operator = known.name
                caller = Diagnostician(operator: known, outage: error)
            }
            return try await handler(try await Call(request, context, caller: caller, queryNames: []))
        }
    }

    /// For operators who change something.
    func admin(query: Set<String> = [], _ handler: @escaping Handler<Operator>) -> Route {
        { request, context in
            let caller = try await anyOperator(of: request, context, in: store)
            try caller.requireAdmin(unless: false)
            return try await handler(try await Call(request, context, caller: caller, queryNames: query))
        }
    }

    /// For operators who change something, and for those who ask, with `dryRun=true`, what would change.
    func adminUnlessDryRun(_ handler: @escaping Handler<Operator>) -> Route {
        { request, context in
            let caller = try await anyOperator(of: request, context, in: store)
            try caller.requireAdmin(unless: request.uri.queryParameters.get("dryRun") == "true")
            return try await handler(try await Call(request, context, caller: caller, queryNames: ["dryRun"]))
        }
    }

    private func tokenHolder(of request: Request) async throws -> TokenHolder {
        let hash = try Self.token(of: request, for: .player).hash
        guard let playerID = try await store.playerID(ofTokenHash: hash) else { throw Problem.invalidToken }
        return TokenHolder(playerID: playerID, tokenHash: hash)
    }

    private func anyOperator(
        of request: Request,
        _ context: APIContext,
        in store: GameStore
    ) async throws -> Operator {
        let hash = try Self.token(of: request, for: .operator).hash
        guard let caller = try await store.operatorWith(tokenHash: hash) else {
            recentOperators.forget(tokenHash: hash)
            throw Problem.invalidToken
        }
        context.caller.operator = caller.name
        let now = runtime.now()
        guard !caller.isExpired(at: now) else { throw Problem.expiredToken }
        recentOperators.remember(caller, tokenHash: hash, at: now)
        return caller
    }

    private static func token(of request: Request, for holder: BearerToken.Holder) throws(Problem) -> BearerToken {
        guard let text = request.bearerText else { throw .missingToken }
        guard let token = BearerToken(String(text)), token.holder == holder else { throw .invalidToken }
        return token
    }
}

extension Operator {
    /// Refuses a viewer who would change something; `isDryRun` says that nothing is changed.
    func requireAdmin(unless isDryRun: Bool) throws(Problem) {
        switch role {
        case .admin: break
        case .viewer: if !isDryRun { throw .viewersOnlyRead }
        }
    }
}

extension Request {
    /// What stands for the bearer's token, whatever it is; nil when the request has none.
    var bearerText: Substring? {
        // RFC 9110, section 11.1: the scheme's name may come in any case.
        let parts = headers[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1]
    }
}

/// A player, and the adventure asked for.
struct AdventureReader: Sendable {
    let playerID: PlayerID
    /// Nil when there is none; whether the player may see it is not said yet.
    let adventure: StoredAdventure?
}

/// An operator who looks for what is wrong.
struct Diagnostician: Sendable {
    let `operator`: Operator
    /// How the database failed when it was asked who that is; nil when it answered.
    let outage: PostgresError?
}

/// A player, and with which token the player came.
struct TokenHolder: Sendable {
    let playerID: PlayerID
    /// The token's SHA-256.
    let tokenHash: [UInt8]
}
