import HTTP2Transport

/// A message to APNs that is sent as one request with a provider token.
protocol APNsMessage: Sendable {
    /// Returns the request, with the shared fields of the credentials.
    func request(_ builder: inout APNsRequestBuilder) -> HTTP2ClientRequest
}

/// The endpoint of a message; each has its own connections.
enum APNsEndpoint {
    /// Pushes and broadcasts.
    case pushes
    /// Channel management.
    case channels
}

/// The result of sending a message.
enum APNsSendResult {
    /// The transport's outcome.
    case outcome(HTTP2Outcome)
    /// Nothing was sent, since no provider token could be signed.
    case noToken(ProviderKeyError)

    /// Whether the message was not sent because its connections were shutting down.
    var isUnsentAtShutdown: Bool {
        switch self {
        case .outcome(let outcome): outcome == .neverProcessed(.shutDown)
        case .noToken: false
        }
    }

    /// The fault of the provider token for which APNs rejected the message, if another token may help; otherwise nil.
    var tokenFault: ProviderTokenCache.Fault? {
        guard case .outcome(.response(let response)) = self, response.status == 403 else { return nil }
        let reason = APNsRejection(response, at: 0).reason
        if reason == .expiredProviderToken { return .expired }
        return reason == .invalidProviderToken ? .invalid : nil
    }
}
