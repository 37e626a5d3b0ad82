/// What APNs holds one connection to: a team, a key, and a provider token that is not renewed too often.
///
/// The first request with a good token decides on team and key for as long as the connection lives ("Establishing a
/// token-based connection to APNs").
struct SenderConnection: Sendable {
    /// Apple's limit, counted on each connection.
    static let shortestRenewalSeconds: Int64 = 20 * 60

    private var token: ProviderToken?
    /// From when the shortest renewal counts, in UNIX seconds.
    private var renewedAt: Int64 = 0

    /// Whether a request has shown a good token.
    var isAuthenticated: Bool { token != nil }

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
}
