import HTTPTypes

extension HTTPProblem {
    /// Returns the problem of a request beyond a rate limit.
    /// - Parameters:
    ///   - scope: the limit.
    ///   - retryAfterSeconds: the time until the limit accepts a request.
    /// - Returns: the problem.
    package static func tooManyRequests(beyond scope: RateLimiter.Scope, retryAfterSeconds: Int) -> Self {
        let cause =
            switch scope {
            case .token: "Your token has sent more requests than its limit allows."
            case .address: "Your address has sent more requests than its limit allows."
            case .registration: "Your address has registered more players than its limit allows."
            case .receipts: "Your token has sent more reports of what its device shows than its limit allows."
            case .wrongCode:
                "Your address has sent more wrong invite codes, recovery codes, links or sign-ins than its limit allows."
            }
        return Self(
            kind: .tooManyRequests,
            detail: "\(cause) Wait for the seconds in 'Retry-After'.",
            headers: [.retryAfter: "\(retryAfterSeconds)"]
        )
    }
}
