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
        let issued = issueToken(validFor: body.lifetimeHours)
        let isCreated = try await store.create(
            operator: body.name,
            role: body.role,
            expiresAt: issued.expiresAt,
            tokenHash: issued.token.hash,
            at: runtime.now(),
            by: request.author
        )
        guard isCreated else { throw HTTPProblem.operatorExists }
        return try Response(status: .created, json: IssuedTokenView(issued, of: body.name, body.role))
    }

    private func rotate(_ request: APIRequest<Operator>) async throws -> Response {
        let body: TokenRotationBody = try request.fields()
        let name = try request.operatorName
        let issued = issueToken(validFor: body.lifetimeHours)
        let role = try await store.rotate(
            operator: name,
            expiresAt: issued.expiresAt,
            tokenHash: issued.token.hash,
            at: runtime.now(),
            by: request.author
        )
        guard let role else { throw HTTPProblem.unknownOperator }
        return try Response(json: IssuedTokenView(issued, of: name, role))
    }

    private func revoke(_ request: APIRequest<Operator>) async throws -> Response {
        let revocation = try await store.revoke(
            operator: try request.operatorName,
            keepingLastAdmin: true,
            at: runtime.now(),
            by: request.author
        )
        switch revocation {
        case .revoked(let entry), .alreadyRevoked(let entry):
            return try Response(json: OperatorView(entry, at: runtime.now()))
        case .unknownOperator: throw HTTPProblem.unknownOperator
        case .lastAdmin: throw HTTPProblem.lastAdmin
        }
    }

    private func issueToken(validFor hours: Int?) -> (token: BearerToken, expiresAt: Timestamp?) {
        var generator = runtime.generator()
        let token = BearerToken(for: .operator, using: &generator)
        return (token, hours.map { runtime.now() + .seconds($0 * 3_600) })
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

    init(_ issued: (token: BearerToken, expiresAt: Timestamp?), of name: String, _ role: Operator.Role) {
        self.name = name
        self.role = role
        expiresAt = issued.expiresAt?.rfc3339
        token = issued.token.text
    }
}
