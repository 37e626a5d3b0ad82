import HTTPTypes
package import Hummingbird
import Logging
package import NIOCore
package import ServiceRuntime
import Synchronization

/// Rejects requests beyond the rate limits before any database access, and reports the remaining requests in headers.
package struct RateLimitMiddleware: RouterMiddleware {
    /// The properties of a request on which the limits depend, besides its address.
    package struct Subject: Sendable {
        let tokenHash: [UInt8]?
        let purpose: RateLimiter.Purpose

        /// Creates a subject.
        /// - Parameters:
        ///   - tokenHash: the SHA-256 of the bearer token; nil if the request has none.
        ///   - purpose: the purpose of the request.
        package init(tokenHash: [UInt8]?, purpose: RateLimiter.Purpose) {
            self.tokenHash = tokenHash
            self.purpose = purpose
        }
    }

    private let limiter: RateLimiter
    private let proxies: [AddressRange]
    private let runtime: Runtime
    private let subject: @Sendable (Request) -> Subject?
    private let warning = ProxyWarning()

    /// Creates a middleware.
    /// - Parameters:
    ///   - limits: the limits.
    ///   - runtime: the clock.
    ///   - subject: returns the properties of a request; nil if the request is exempt.
    package init(_ limits: RequestLimits, runtime: Runtime, subject: @escaping @Sendable (Request) -> Subject?) {
        limiter = RateLimiter(limits)
        proxies = limits.trustedProxies
        self.runtime = runtime
        self.subject = subject
    }

    package func handle(
        _ request: Request,
        context: ServingContext,
        next: @concurrent (Request, ServingContext) async throws -> Response
    ) async throws -> Response {
        guard let subject = subject(request) else { return try await next(request, context) }
        let address = address(of: request, in: context)
        let decision = limiter.take(address, tokenHash: subject.tokenHash, for: subject.purpose, at: runtime.now())
        var response: Response
        if let decision, let scope = decision.rejectedBy {
            let seconds = decision.verdict.retryAfterSeconds
            response = HTTPProblem.tooManyRequests(beyond: scope, retryAfterSeconds: seconds).response
        } else {
            response = try await next(request, context)
            if subject.purpose == .join, Self.isCodeRight(response.status) { limiter.refundWrongCode(from: address) }
        }
        guard let verdict = decision?.verdict else { return response }
        response.headers[.rateLimitLimit] = "\(verdict.limit)"
        response.headers[.rateLimitRemaining] = "\(verdict.remaining)"
        response.headers[.rateLimitReset] = "\(verdict.resetSeconds)"
        return response
    }

    /// Returns whether the response to a join shows that its code was right, or was not looked up.
    ///
    /// A server error proves nothing: the client may have cancelled the request after the lookup.
    private static func isCodeRight(_ status: HTTPResponse.Status) -> Bool {
        status.kind != .serverError && status != .notFound
    }

    private func address(of request: Request, in context: ServingContext) -> ClientAddress {
        let peerText = context.channel.remoteAddress?.ipAddress
        let peer = peerText.flatMap { IPAddress($0) }
        if let peer, request.headers[.forwardedFor] != nil, !proxies.contains(where: { $0.contains(peer) }) {
            warning.untrustedProxy(peer, named: peerText, context.logger)
        }
        return ClientAddress(of: request, over: context.channel, trusting: proxies)
    }
}

extension ClientAddress {
    /// Determines the client address of a request on a connection.
    package init(of request: Request, over channel: any Channel, trusting proxies: [AddressRange]) {
        let peer = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        self.init(peer: peer, forwardedFor: request.headers[.forwardedFor], trusting: proxies)
    }
}

/// Logs one warning if a proxy seems to be missing in the settings: behind an untrusted proxy all players are one
/// client.
private final class ProxyWarning: Sendable {
    private let isLogged = Atomic(false)

    func untrustedProxy(_ peer: IPAddress, named name: String?, _ logger: Logger) {
        // Any client can send the header, but a proxy is likely to have a private address.
        guard peer.isPrivate, !isLogged.exchange(true, ordering: .relaxed) else { return }
        logger.warning(
            """
            requests are forwarded by an address that is not in RANGERS_TRUSTED_PROXIES: all clients behind it share one rate \
            limit
            """,
            metadata: ["proxy": "\(name ?? "unknown")"]
        )
    }
}
