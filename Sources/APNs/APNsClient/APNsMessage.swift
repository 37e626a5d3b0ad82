import HTTP2Transport

/// Something that goes to APNs as one request with a provider token.
protocol APNsMessage {
    /// The request, with what it shares with others from the credentials.
    func request(_ credentials: inout Credentials) -> HTTP2ClientRequest
}

/// Where a message goes; each has connections of its own.
enum APNsDoor {
    /// Pushes and broadcasts.
    case pushes
    /// The management of channels.
    case channels
}

/// What became of a message.
enum APNsAnswer {
    case outcome(HTTP2Outcome)
    /// Nothing was sent, since no token could be signed.
    case noToken(ProviderKeyError)

    /// Whether it was left by a route that shuts down.
    var isLeftBehind: Bool {
        switch self {
        case .outcome(let outcome): outcome == .neverProcessed(.shutDown)
        case .noToken: false
        }
    }

    /// What APNs finds wrong with the provider token, where another may help.
    var tokenFault: ProviderTokenCache.Fault? {
        guard case .outcome(.response(let response)) = self, response.status == 403 else { return nil }
        let reason = APNsRejection(response, at: 0).reason
        if reason == .expiredProviderToken { return .expired }
        return reason == .invalidProviderToken ? .invalid : nil
    }
}
