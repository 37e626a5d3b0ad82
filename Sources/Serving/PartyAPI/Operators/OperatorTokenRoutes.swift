import Encodings
import GameCore
import GameStore
import HTTPServing
import Hummingbird
import ServiceRuntime

/// The routes with which admins manage operators and their tokens.
///
/// They support no idempotency keys, since an idempotency record would contain the token. If the response is lost, the
/// client replaces the token; revoking a token again changes nothing.
struct OperatorTokenRoutes: Sendable {
    let store: GameStore
    let runtime: Runtime

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.get("admin/v1/operators", use: authenticator.viewer(list))
        router.post("admin/v1/operators", use: authenticator.admin(create))
        router.post("admin/v1/operators/:name/rotate", use: authenticator.admin(rotate))
        router.post("admin/v1/operators/:name/revoke", use: authenticator.admin(revoke))
    }

    private func list(_ request: APIRequest<Operator>) async throws -> Response {
        guard request.caller.role == .admin else { throw HTTPProblem.adminsOnly }
        let now = runtime.now()
        return try Response(json: ["operators": try await store.operators().map { OperatorView($0, at: now) }])
    }

    private func create(_ request: APIRequest<Operator>) async throws -> Response {
        let body: NewOperatorBody = try request.fields()
        let token = issueToken()
        let expiry = body.lifetimeHours.map { runtime.now() + .seconds($0 * 3_600) }
        let isCreated = try await store.create(
            operator: body.name,
            role: body.role,
            expiresAt: expiry,
            tokenHash: token.hash,
            by: request.author
        )
        guard isCreated else { throw HTTPProblem.operatorExists }
        return try Response(status: .created, json: IssuedTokenView(token, of: body.name, body.role, expiresAt: expiry))
    }

    private func rotate(_ request: APIRequest<Operator>) async throws -> Response {
        let body: TokenRotationBody = try request.fields()
        let name = try request.operatorName
        let token = issueToken()
        let rotated = try await store.rotate(
            operator: name,
            lifetime: body.lifetime,
            tokenHash: token.hash,
            by: request.author
        )
        guard let rotated else { throw HTTPProblem.unknownOperator }
        return try Response(json: IssuedTokenView(token, of: name, rotated.role, expiresAt: rotated.expiresAt))
    }

    private func revoke(_ request: APIRequest<Operator>) async throws -> Response {
        let revocation = try await store.revoke(
            operator: try request.operatorName,
            keepingLastAdmin: true,
            by: request.author
        )
        switch revocation {
        case .revoked(let entry), .alreadyRevoked(let entry):
            return try Response(json: OperatorView(entry, at: runtime.now()))
        case .unknownOperator: throw HTTPProblem.unknownOperator
        case .lastAdmin: throw HTTPProblem.lastAdmin
        }
    }

    private func issueToken() -> BearerToken {
        var generator = runtime.generator()
        return BearerToken(for: .operator, using: &generator)
    }
}

/// An operator, without the token.
private struct OperatorView: Encodable {
    let name: String
    let role: Operator.Role
    let createdAt: String
    let expiresAt: String?
    let isExpired: Bool
    let revokedAt: String?

    init(_ entry: Operator, at now: Timestamp) {
        name = entry.name
        role = entry.role
        createdAt = entry.createdAt.rfc3339
        expiresAt = entry.expiresAt?.rfc3339
        isExpired = entry.isExpired(at: now)
        revokedAt = entry.revokedAt?.rfc3339
    }
}

/// A new token, in the only response that contains it.
private struct IssuedTokenView: Encodable {
    let name: String
    let role: Operator.Role
    let expiresAt: String?
    let token: String

    init(_ token: BearerToken, of name: String, _ role: Operator.Role, expiresAt: Timestamp?) {
        self.name = name
        self.role = role
        self.expiresAt = expiresAt?.rfc3339
        self.token = token.text
    }
}
