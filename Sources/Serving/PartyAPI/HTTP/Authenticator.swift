import GameCore
import GameLog
import GameStore
import HTTPServing
import Hummingbird
import ServiceRuntime

/// Authenticates requests by their bearer tokens and passes them to handlers.
///
/// Each method returns a route for one kind of caller. Its `query` lists the allowed query parameters.
struct Authenticator: Sendable {
    typealias Handler<Caller: Sendable> = @Sendable (APIRequest<Caller>) async throws -> Response
    typealias Route = @Sendable (Request, ServingContext) async throws -> Response

    private let store: GameStore
    /// The same store over a pool with short timeouts.
    private let diagnosisStore: GameStore
    private let runtime: Runtime
    private let recentOperators = RecentOperators()

    init(store: GameStore, diagnosisStore: GameStore, runtime: Runtime) {
        self.store = store
        self.diagnosisStore = diagnosisStore
        self.runtime = runtime
    }

    /// Returns a route that requires no token.
    func anyone(query: Set<String> = [], _ handler: @escaping Handler<Void>) -> Route {
        { request, context in
            try await handler(try await APIRequest(request, context, caller: (), queryNames: query))
        }
    }

    /// Returns a route for players.
    func player(query: Set<String> = [], _ handler: @escaping Handler<PlayerID>) -> Route {
        { request, context in
            let caller = try await tokenHolder(of: request).playerID
            return try await handler(try await APIRequest(request, context, caller: caller, queryNames: query))
        }
    }

    /// Returns a route for players whose handler needs the hash of the token.
    func tokenHolder(query: Set<String> = [], _ handler: @escaping Handler<TokenHolder>) -> Route {
        { request, context in
            let caller = try await tokenHolder(of: request)
            return try await handler(try await APIRequest(request, context, caller: caller, queryNames: query))
        }
    }

    /// Returns a route for players that reads the adventure in the path.
    ///
    /// One database round trip authenticates the player and reads the adventure.
    func adventureViewer(query: Set<String> = [], _ handler: @escaping Handler<AdventureViewer>) -> Route {
        { request, context in
            let hash = try Self.token(of: request, for: .player).hash
            let caller: AdventureViewer
            if let id = context.parameters.get("adventureID").flatMap({ AdventureID($0) }) {
                let (playerID, adventure) = try await store.adventure(id, authenticatedBy: hash)
                guard let playerID else { throw HTTPProblem.invalidToken }
                caller = AdventureViewer(playerID: playerID, adventure: adventure)
            } else {
                caller = AdventureViewer(playerID: try await tokenHolder(of: request).playerID, adventure: nil)
            }
            return try await handler(try await APIRequest(request, context, caller: caller, queryNames: query))
        }
    }

    /// Returns a read-only route for operators.
    func viewer(query: Set<String> = [], _ handler: @escaping Handler<Operator>) -> Route {
        { request, context in
            let caller = try await anyOperator(of: request, context, in: store)
            return try await handler(try await APIRequest(request, context, caller: caller, queryNames: query))
        }
    }

    /// Returns a route for operators who diagnose a fault, possibly of the database.
    ///
    /// During a database outage it accepts operators whom the database has authenticated recently. Other callers get
    /// the database's error within seconds.
    func diagnostician(_ handler: @escaping Handler<DiagnosingOperator>) -> Route {
        { request, context in
            let caller: DiagnosingOperator
            do {
                caller = DiagnosingOperator(
                    operator: try await anyOperator(of: request, context, in: diagnosisStore),
                    outage: nil
                )
            } catch  where DatabaseFailure(error)?.isOutage == true {
                let hash = try Self.token(of: request, for: .operator).hash
                guard let known = recentOperators.operatorWith(tokenHash: hash, at: runtime.now()) else {
                    throw error
                }
                context.accessLog["operator"] = known.name
                caller = DiagnosingOperator(operator: known, outage: error)
            }
            return try await handler(try await APIRequest(request, context, caller: caller, queryNames: []))
        }
    }

    /// Returns a route for operators with the role admin.
    func admin(query: Set<String> = [], _ handler: @escaping Handler<Operator>) -> Route {
        { request, context in
            let caller = try await anyOperator(of: request, context, in: store)
            try caller.requireAdmin(unless: false)
            return try await handler(try await APIRequest(request, context, caller: caller, queryNames: query))
        }
    }

    /// Returns a route for operators with the role admin, and with `dryRun=true` for all operators.
    func adminUnlessDryRun(_ handler: @escaping Handler<Operator>) -> Route {
        { request, context in
            let caller = try await anyOperator(of: request, context, in: store)
            try caller.requireAdmin(unless: request.uri.queryParameters.get("dryRun") == "true")
            return try await handler(try await APIRequest(request, context, caller: caller, queryNames: ["dryRun"]))
        }
    }

    private func tokenHolder(of request: Request) async throws -> TokenHolder {
        let token = try Self.token(of: request, for: .player)
        let hash = token.hash
        guard let playerID = try await store.playerID(ofTokenHash: hash) else { throw HTTPProblem.invalidToken }
        return TokenHolder(playerID: playerID, token: token, tokenHash: hash)
    }

    private func anyOperator(
        of request: Request,
        _ context: ServingContext,
        in store: GameStore
    ) async throws -> Operator {
        let hash = try Self.token(of: request, for: .operator).hash
        guard let caller = try await store.operatorWith(tokenHash: hash) else {
            recentOperators.remove(tokenHash: hash)
            throw HTTPProblem.invalidToken
        }
        context.accessLog["operator"] = caller.name
        let now = runtime.now()
        guard !caller.isExpired(at: now) else { throw HTTPProblem.expiredToken }
        recentOperators.insert(caller, tokenHash: hash, at: now)
        return caller
    }

    private static func token(of request: Request, for holder: BearerToken.Holder) throws(HTTPProblem) -> BearerToken {
        guard let text = request.bearerText else { throw .missingToken }
        guard let token = BearerToken(String(text)), token.holder == holder else { throw .invalidToken }
        return token
    }
}

extension Operator {
    /// Rejects a viewer, unless the request is a dry run.
    func requireAdmin(unless isDryRun: Bool) throws(HTTPProblem) {
        switch role {
        case .admin: break
        case .viewer: if !isDryRun { throw .viewersOnlyRead }
        }
    }
}

extension Request {
    /// The text of the bearer token, valid or not; nil if the request has none.
    var bearerText: Substring? {
        // Scheme names are case-insensitive (RFC 9110, section 11.1).
        let parts = headers[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1]
    }
}

/// A player with the requested adventure.
struct AdventureViewer: Sendable {
    let playerID: PlayerID
    /// The adventure, which the player may not be allowed to see; nil if it does not exist.
    let adventure: StoredAdventure?
}

/// An operator who diagnoses a fault.
struct DiagnosingOperator: Sendable {
    let `operator`: Operator
    /// The database error during authentication; nil if the database responded.
    let outage: (any Error)?
}

/// A player with the token that authenticated the request.
struct TokenHolder: Sendable {
    let playerID: PlayerID
    /// The token, from which a response that issues another one derives it.
    let token: BearerToken
    /// The token's SHA-256.
    let tokenHash: [UInt8]
}
