import GameCore
import GameStore
import Hummingbird

/// Lets requests through to handlers once it knows who sends them.
struct Gate: Sendable {
    typealias Handler<Caller: Sendable> = @Sendable (Call<Caller>) async throws -> Response
    typealias Route = @Sendable (Request, BasicRequestContext) async throws -> Response

    let store: GameStore

    /// For everybody, with or without a token.
    func anyone(_ handler: @escaping Handler<Void>) -> Route {
        { request, context in try await handler(try await Call(request, context, caller: ())) }
    }

    /// For players.
    func player(_ handler: @escaping Handler<PlayerID>) -> Route {
        { request, context in
            let token = try Self.token(of: request, for: .player)
            guard let player = try await store.playerID(ofTokenHash: token.hash) else { throw Problem.invalidToken }
            return try await handler(try await Call(request, context, caller: player))
        }
    }

    /// For operators who look.
    func viewer(_ handler: @escaping Handler<Operator>) -> Route {
        { request, context in
            let caller = try await anyOperator(of: request)
            return try await handler(try await Call(request, context, caller: caller))
        }
    }

    /// For operators who change something.
    func admin(_ handler: @escaping Handler<Operator>) -> Route {
        { request, context in
            let caller = try await anyOperator(of: request)
            switch caller.role {
            case .admin: break
            case .viewer: throw Problem.viewersOnlyRead
            }
            return try await handler(try await Call(request, context, caller: caller))
        }
    }

    private func anyOperator(of request: Request) async throws -> Operator {
        let token = try Self.token(of: request, for: .operator)
        guard let caller = try await store.operatorWith(tokenHash: token.hash) else { throw Problem.invalidToken }
        return caller
    }

    private static func token(of request: Request, for holder: BearerToken.Holder) throws(Problem) -> BearerToken {
        guard let header = request.headers[.authorization] else { throw .missingToken }
        // RFC 9110, section 11.1: the scheme's name may come in any case.
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .missingToken }
        guard let token = BearerToken(String(parts[1])), token.holder == holder else { throw .invalidToken }
        return token
    }
}
