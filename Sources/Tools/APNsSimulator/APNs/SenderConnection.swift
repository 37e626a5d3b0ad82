import Encodings

/// The limits that APNs enforces on one connection: its team, its key, the interval between provider tokens, and the
/// number of streams.
///
/// The first request with a valid token fixes team and key for the life of the connection ("Establishing a token-based
/// connection to APNs").
struct SenderConnection: Sendable {
    /// Apple's minimum interval between two provider tokens, per connection.
    static let minRenewalSeconds: Int64 = 20 * 60

    /// The stream limit before the first valid provider token ("Sending notification requests to APNs"), and under
    /// ``Fault/Effect/oneStream``.
    static let initialMaxStreams = 1
    /// The stream limit afterwards; developers have observed 500 to 1,500.
    static let maxStreams = 1000

    private var token: VerifiedProviderToken?
    private var streams = initialMaxStreams
    private var hasShownToken = false
    /// The start of the minimum renewal interval, in UNIX seconds.
    private var renewedAt: Int64 = 0

    /// Accepts or rejects a request's provider token.
    ///
    /// Senders open new connections with their current token, so the interval of the first token starts when it was
    /// issued, and that of a later one when it arrived. After a rejection the previous token remains valid.
    /// - Throws: the rejection to answer with.
    mutating func accept(_ new: VerifiedProviderToken, at now: Timestamp) throws(RejectionReason) {
        guard let token else {
            self.token = new
            renewedAt = new.issuedAt
            return
        }
        guard new.text != token.text else { return }
        guard new.teamID == token.teamID else { throw .invalidProviderToken }
        guard new.keyID == token.keyID else { throw .unrelatedKeyIDInToken }
        guard now.epochSeconds - renewedAt >= Self.minRenewalSeconds else { throw .tooManyProviderTokenUpdates }
        self.token = new
        renewedAt = now.epochSeconds
    }

    /// Computes the stream limit after a request.
    /// - Parameter isLimited: whether a fault allows one stream only; nil when no faults apply to the request.
    /// - Returns: the new limit, if it has changed.
    mutating func limitStreams(_ isLimited: Bool?) -> Int? {
        guard token != nil else { return nil }
        let isFirst = !hasShownToken
        hasShownToken = true
        guard let isLimited = isLimited ?? (isFirst ? false : nil) else { return nil }
        let limit = isLimited ? Self.initialMaxStreams : Self.maxStreams
        defer { streams = limit }
        return limit == streams ? nil : limit
    }
}
