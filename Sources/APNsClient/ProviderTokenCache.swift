/// Which provider token is used when: one for all connections, renewed neither too late nor too often.
///
/// APNs refuses tokens older than 60 minutes, and refuses more than one renewal in 20 minutes on a connection (Apple,
/// "Establishing a token-based connection to APNs"). Times are seconds since 1970, compared with the token's own `iat`.
struct ProviderTokenCache {
    /// Ten minutes are left for clocks that differ.
    static let renewalAge: Int64 = 50 * 60
    /// No token is renewed before this age, whatever APNs says of it.
    static let minimumRenewalAge: Int64 = 20 * 60
    /// A token may be younger than nothing by this much: clocks are set back a little now and then.
    static let toleratedClockStep: Int64 = 60

    private let key: ProviderKey
    private var token: ProviderToken?

    init(key: ProviderKey) {
        self.key = key
    }

    /// The token for what is sent now.
    ///
    /// - Throws: `ProviderKeyError` when a new one is due and cannot be signed.
    mutating func current(at now: Int64) throws(ProviderKeyError) -> ProviderToken {
        if let token, (-Self.toleratedClockStep..<Self.renewalAge).contains(now - token.issuedAt) { return token }
        return try renew(at: now)
    }

    /// What replaces a token that APNs calls expired; nil when it is too young to be replaced.
    ///
    /// - Throws: `ProviderKeyError` when a new one is due and cannot be signed.
    mutating func replacement(of expired: ProviderToken, at now: Int64) throws(ProviderKeyError) -> ProviderToken? {
        // Another request that met the same answer may have renewed it already.
        if let token, token != expired { return token }
        guard now - expired.issuedAt >= Self.minimumRenewalAge else { return nil }
        return try renew(at: now)
    }

    private mutating func renew(at now: Int64) throws(ProviderKeyError) -> ProviderToken {
        let renewed = try ProviderToken(key: key, issuedAt: now)
        token = renewed
        return renewed
    }
}
