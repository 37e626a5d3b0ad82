/// Which provider token is used when: one for all connections, renewed neither too late nor too often.
///
/// APNs refuses tokens older than 60 minutes, and refuses more than one renewal in 20 minutes on a connection (Apple,
/// "Establishing a token-based connection to APNs"). Times are seconds since 1970 by this machine's clock.
///
/// Where that clock is an hour behind, every token is born expired. But that APNs calls a token expired proves that an
/// hour has passed there since its `iat`: so the next one is issued an hour after it, whatever the clock says. It is
/// used until the next renewal, which trusts the clock again, since that may have been mended; or until APNs calls it
/// invalid, as it does when the first answer was wrong. The clock is corrected so at most once in 20 minutes.
struct ProviderTokenCache {
    /// Why APNs refuses a token that may be replaced.
    enum Fault {
        case expired
        case invalid
    }

    /// Ten minutes are left for clocks that differ.
    static let renewalAge: Int64 = 50 * 60
    /// No token is renewed before this age, except one that an error of the clock has spoiled.
    static let minimumRenewalAge: Int64 = 20 * 60
    /// At this age APNs calls a token expired.
    static let longestAge: Int64 = 60 * 60
    /// A token may be younger than nothing by this much: clocks are set back a little now and then.
    static let toleratedClockStep: Int64 = 60

    private struct Entry {
        let token: ProviderToken
        /// By this machine's clock; `iat` is later where that was found behind.
        let signedAt: Int64

        var isAheadOfClock: Bool { token.issuedAt > signedAt }
    }

    private let key: ProviderKey
    private var entry: Entry?
    private var lastCorrection: Int64?

    init(key: ProviderKey) {
        self.key = key
    }

    /// The last one that was signed.
    var newest: ProviderToken? { entry?.token }

    /// How many seconds ago the last one was signed; nil before the first.
    func age(at now: Int64) -> Int64? { entry.map { max(0, now - $0.signedAt) } }

    /// The token for what is sent now.
    ///
    /// - Throws: `ProviderKeyError` when a new one is due and cannot be signed.
    mutating func current(at now: Int64) throws(ProviderKeyError) -> ProviderToken {
        if let entry, (-Self.toleratedClockStep..<Self.renewalAge).contains(now - entry.signedAt) { return entry.token }
        return try sign(issuedAt: now, at: now)
    }

    /// What replaces a token that APNs has refused; nil when none may be made yet, or none would be better.
    ///
    /// - Throws: `ProviderKeyError` when a new one is due and cannot be signed.
    mutating func replacement(
        of refused: ProviderToken,
        for fault: Fault,
        at now: Int64
    ) throws(ProviderKeyError) -> ProviderToken? {
        // Another request that met the same answer may have renewed it already.
        guard let entry, entry.token == refused else { return entry?.token }
        switch fault {
        case .expired where now - entry.signedAt >= Self.minimumRenewalAge:
            return try sign(issuedAt: entry.isAheadOfClock ? refused.issuedAt + Self.longestAge : now, at: now)
        case .expired:
            if let lastCorrection, abs(now - lastCorrection) < Self.minimumRenewalAge { return nil }
            lastCorrection = now
            return try sign(issuedAt: refused.issuedAt + Self.longestAge, at: now)
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
