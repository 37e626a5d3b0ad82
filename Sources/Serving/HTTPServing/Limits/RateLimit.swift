/// A rate limit: the parameters of a token bucket.
public struct RateLimit: Hashable, Sendable {
    /// The range that the settings allow for both parameters.
    public static let allowedValues = 1...1_000_000

    /// The sustained rate, in requests per second.
    public let perSecond: Int
    /// The burst size: the number of requests that are accepted at once after an idle period.
    public let burst: Int

    /// Creates a limit.
    ///
    /// Both values must be in ``allowedValues``.
    public init(perSecond: Int, burst: Int) {
        precondition(
            Self.allowedValues.contains(perSecond) && Self.allowedValues.contains(burst),
            "rate limit out of range: \(perSecond) per second, burst \(burst)"
        )
        self.perSecond = perSecond
        self.burst = burst
    }

    /// The time in which the bucket gains one request.
    var nanosecondsPerRequest: Int64 { 1_000_000_000 / Int64(perSecond) }

    /// The time in which an empty bucket fills.
    var nanosecondsToFill: Int64 { nanosecondsPerRequest * Int64(burst) }
}

/// The rate limits of one node.
///
/// Nodes share no state, so a client that sends to several nodes has these limits at each of them.
public struct RequestLimits: Hashable, Sendable {
    /// The limit for each bearer token; nil for none.
    public var token: RateLimit?
    /// The limit for each address; nil for none.
    public var address: RateLimit?
    /// The limit of registrations for each address, in addition to ``address``; nil for none.
    public var registration: RateLimit?
    /// The limit of wrong invite codes, and of recovery codes, for each address, in addition to ``address``; nil for none.
    public var wrongCode: RateLimit?
    /// The limit of devices' reports for each bearer token, in addition to ``token``; nil for none.
    public var receipts: RateLimit?
    /// The proxies whose `X-Forwarded-For` is trusted.
    public var trustedProxies: [AddressRange]

    /// Creates limits; without arguments, none.
    public init(
        token: RateLimit? = nil,
        address: RateLimit? = nil,
        registration: RateLimit? = nil,
        wrongCode: RateLimit? = nil,
        receipts: RateLimit? = nil,
        trustedProxies: [AddressRange] = []
    ) {
        self.token = token
        self.address = address
        self.registration = registration
        self.wrongCode = wrongCode
        self.receipts = receipts
        self.trustedProxies = trustedProxies
    }

    /// The default limits of a node.
    ///
    /// A player in a fight sends about one request a second, and an app sends some twenty at once when it is launched.
    /// Players in a household, a school or a mobile carrier can share an address: two school classes can register at
    /// once. An invite code has 40 bits; at one attempt a second, an address needs 35 years on average to find the code
    /// of one of 1,000 parties. An app reports what it has shown a few times a minute, and at once after a time without a
    /// network.
    public static let standard = Self(
        token: RateLimit(perSecond: 10, burst: 60),
        address: RateLimit(perSecond: 200, burst: 1_000),
        registration: RateLimit(perSecond: 5, burst: 50),
        wrongCode: RateLimit(perSecond: 1, burst: 30),
        receipts: RateLimit(perSecond: 1, burst: 20)
    )

    /// Whether any limit is set.
    package var hasAny: Bool { [token, address, registration, wrongCode, receipts].contains { $0 != nil } }
}
