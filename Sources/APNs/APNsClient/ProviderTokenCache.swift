/// The provider token of one key, renewed neither too late nor too often.
///
/// APNs rejects tokens older than 60 minutes, and more than one renewal in 20 minutes on a connection (Apple,
/// "Establishing a token-based connection to APNs"). Times are in seconds since 1970 by this machine's clock.
///
/// If that clock is an hour slow, every new token is already expired. However, a rejection as expired proves that an
/// hour has passed at APNs since the token's `iat`: the next token therefore has an `iat` one hour later, regardless of
/// the clock. This token is used until the next renewal, which uses the clock again, since the clock may have been set.
/// It is replaced earlier if APNs rejects it as invalid, which shows that the first rejection was wrong. Such a
/// correction happens at most once in 20 minutes.
struct ProviderTokenCache {
    /// The reason why APNs rejects a token that may be replaced.
    enum Fault {
        case expired
        case invalid
    }

    /// The age at which a token is renewed; leaves ten minutes for clock skew.
    static let renewalAge: Int64 = 50 * 60
    /// The minimum age for a renewal, except to correct the clock.
    static let minimumRenewalAge: Int64 = 20 * 60
    /// The age at which APNs rejects a token as expired.
    static let maxAge: Int64 = 60 * 60
    /// The largest step back of the clock that does not renew the token.
    static let toleratedClockStep: Int64 = 60

    private struct Entry {
        let token: ProviderToken
        /// The time of signing by this machine's clock; `iat` is later after a correction.
        let signedAt: Int64

        var isAheadOfClock: Bool { token.issuedAt > signedAt }
    }

    private let key: ProviderKey
    private var entry: Entry?
    private var lastCorrection: Int64?

    init(key: ProviderKey) {
        self.key = key
    }

    /// The last signed token.
    var newest: ProviderToken? { entry?.token }

    /// Returns the age of the last token in seconds; nil before the first.
    func age(at now: Int64) -> Int64? { entry.map { max(0, now - $0.signedAt) } }

    /// Returns the token for new requests, and renews it if necessary.
    ///
    /// - Throws: `ProviderKeyError.signingFailed` if libcrypto cannot sign.
    mutating func current(at now: Int64) throws(ProviderKeyError) -> ProviderToken {
        if let entry, (-Self.toleratedClockStep..<Self.renewalAge).contains(now - entry.signedAt) { return entry.token }
        return try sign(issuedAt: now, at: now)
    }

    /// Returns the replacement of a token that APNs has rejected; nil if a renewal is too early or cannot help.
    ///
    /// - Throws: `ProviderKeyError.signingFailed` if libcrypto cannot sign.
    mutating func replacement(
        of rejected: ProviderToken,
        for fault: Fault,
        at now: Int64
    ) throws(ProviderKeyError) -> ProviderToken? {
        // Another request with the same rejection may already have renewed the token.
        guard let entry, entry.token == rejected else { return entry?.token }
        switch fault {
        case .expired where now - entry.signedAt >= Self.minimumRenewalAge:
            return try sign(issuedAt: entry.isAheadOfClock ? rejected.issuedAt + Self.maxAge : now, at: now)
        case .expired:
            if let lastCorrection, abs(now - lastCorrection) < Self.minimumRenewalAge { return nil }
            lastCorrection = now
            return try sign(issuedAt: rejected.issuedAt + Self.maxAge, at: now)
        case .invalid:
            return entry.isAheadOfClock ? try sign(issuedAt: now, at: now) : nil
        }
    }

    private mutating func sign(issuedAt: Int64, at now: Int64) throws(ProviderKeyError) -> ProviderToken {
        let token = try ProviderToken(key: key, issuedAt: issuedAt)
        entry = Entry(token: token, signedAt: now)
        return token
    }
}
