import GameCore
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Refuses who asks for too much, before the database is asked who it is; and tells everybody how much is left.
struct LimitMiddleware: RouterMiddleware {
    /// What supervisors ask, who must not be refused.
    private static let unlimitedPaths: Set<String> = ["/healthz", "/readyz"]

    private let limiter: RateLimiter
    private let proxies: [AddressRange]
    private let surroundings: Surroundings
    private let warning = ProxyWarning()

    init(_ limits: RequestLimits, surroundings: Surroundings) {
        limiter = RateLimiter(limits)
        proxies = limits.trustedProxies
        self.surroundings = surroundings
    }

    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        guard !Self.unlimitedPaths.contains(request.uri.path) else { return try await next(request, context) }
        let address = address(of: request, in: context)
        let tokenHash = request.bearerText.flatMap { BearerToken(String($0)) }?.hash
        guard let verdict = limiter.take(address, tokenHash: tokenHash, at: surroundings.now()) else {
            return try await next(request, context)
        }
        var response =
            if verdict.passes {
                try await next(request, context)
            } else {
                try Problem.tooManyRequests(retryAfterSeconds: verdict.retryAfterSeconds).response
            }
        response.headers[.rateLimitLimit] = "\(verdict.limit)"
        response.headers[.rateLimitRemaining] = "\(verdict.remaining)"
        response.headers[.rateLimitReset] = "\(verdict.resetSeconds)"
        return response
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
