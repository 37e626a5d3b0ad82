import Encodings

/// What APNs holds one connection to: a team, a key, a provider token that is not renewed too often, and so many streams.
///
/// The first request with a good token decides on team and key for as long as the connection lives ("Establishing a
/// token-based connection to APNs").
struct SenderConnection: Sendable {
    /// Apple's limit, counted on each connection.
    static let shortestRenewalSeconds: Int64 = 20 * 60

    /// What a connection may have open before it has shown who it is ("Sending notification requests to APNs"), and when
    /// a fault wants it so.
    static let fewestStreams = 1
    /// What it may have open otherwise; practitioners saw 500 to 1,500.
    static let mostStreams = 1000

    private var token: ProviderToken?
    private var streams = fewestStreams
    private var hasShownToken = false
    /// From when the shortest renewal counts, in UNIX seconds.
    private var renewedAt: Int64 = 0

    /// Takes a request's token, or refuses it.
    ///
    /// A sender opens new connections with the token that it has, so the first one counts from when it was issued, and
    /// a later one from when it came. After a refusal the token before is still good.
    mutating func take(_ new: ProviderToken, at now: Moment) throws(APNsRefusal) {
        guard let token else {
            self.token = new
            renewedAt = new.issuedAt
            return
        }
        guard new.text != token.text else { return }
        guard new.teamID == token.teamID else { throw .invalidProviderToken }
        guard new.keyID == token.keyID else { throw .unrelatedKeyIDInToken }
        guard now.epochSeconds - renewedAt >= Self.shortestRenewalSeconds else { throw .tooManyProviderTokenUpdates }
        self.token = new
        renewedAt = now.epochSeconds
    }

    /// Decides on the streams that it may have open after a request.
    /// - Parameter isLimited: whether a fault allows one only; nil when the request was not one to be struck by faults.
    /// - Returns: the limit, if it has changed.
    mutating func limitStreams(_ isLimited: Bool?) -> Int? {
        guard token != nil else { return nil }
        let isFirst = !hasShownToken
        hasShownToken = true
        guard let isLimited = isLimited ?? (isFirst ? false : nil) else { return nil }
        let limit = isLimited ? Self.fewestStreams : Self.mostStreams
        defer { streams = limit }
        return limit == streams ? nil : limit
    }
}
