import GameCore
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ServiceRuntime
import Synchronization

/// Refuses who asks for too much, before the database is asked who it is; and tells everybody how much is left.
struct LimitMiddleware: RouterMiddleware {
    /// What supervisors ask, who must not be refused.
    private static let unlimitedPaths: Set<String> = ["/healthz", "/readyz"]

    /// What is counted by itself when it is posted.
    private static let purposes: [String: RateLimiter.Purpose] = [
        "/v1/players": .registration, "/v1/parties/join": .join,
    ]

    private let limiter: RateLimiter
    private let proxies: [AddressRange]
    private let runtime: Runtime
    private let warning = ProxyWarning()

    init(_ limits: RequestLimits, runtime: Runtime) {
        limiter = RateLimiter(limits)
        proxies = limits.trustedProxies
        self.runtime = runtime
    }

    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard !Self.unlimitedPaths.contains(request.uri.path) else { return try await next(request, context) }
        let address = address(of: request, in: context)
        let tokenHash = request.bearerText.flatMap { BearerToken(String($0)) }?.hash
        let purpose = Self.purposes[request.uri.path].flatMap { request.method == .post ? $0 : nil } ?? .anything
        let verdict = limiter.take(address, tokenHash: tokenHash, for: purpose, at: runtime.now())
        var response: Response
        if let verdict, !verdict.passes {
            response = try Problem.tooManyRequests(retryAfterSeconds: verdict.retryAfterSeconds).response
        } else {
            response = try await next(request, context)
            if purpose == .join, Self.isNoGuess(response.status) { limiter.wasNoGuess(from: address) }
        }
        guard let verdict else { return response }
        response.headers[.rateLimitLimit] = "\(verdict.limit)"
        response.headers[.rateLimitRemaining] = "\(verdict.remaining)"
        response.headers[.rateLimitReset] = "\(verdict.resetSeconds)"
        return response
    }

    /// Whether the answer to a join shows that its code was right, or not looked up.
    ///
    /// One that failed may have been broken off by its sender, after it was done.
    private static func isNoGuess(_ status: HTTPResponse.Status) -> Bool {
        status.kind != .serverError && status != .notFound
    }

    private func address(of request: Request, in context: APIContext) -> ClientAddress {
        let peerText = context.channel.remoteAddress?.ipAddress
        let peer = peerText.flatMap { IPAddress($0) }
        let forwardedFor = request.headers[.forwardedFor]
        if let peer, forwardedFor != nil, !proxies.contains(where: { $0.contains(peer) }) {
            warning.forwarded(by: peer, named: peerText, context.logger)
        }
        return ClientAddress(peer: peer, forwardedFor: forwardedFor, trusting: proxies)
    }
}

/// Says once that a proxy may have been forgotten: behind one that is not trusted, all players are one client.
private final class ProxyWarning: Sendable {
    private let isGiven = Atomic(false)

    func forwarded(by peer: IPAddress, named name: String?, _ logger: Logger) {
        // Strangers may say what they like; a proxy is near.
        guard peer.isNear, !isGiven.exchange(true, ordering: .relaxed) else { return }
        logger.warning(
            """
            requests are forwarded by an address that RANGERS_TRUSTED_PROXIES does not name: all that it forwards counts \
            as one client
            """,
            metadata: ["proxy": "\(name ?? "unknown")"]
        )
    }
}
