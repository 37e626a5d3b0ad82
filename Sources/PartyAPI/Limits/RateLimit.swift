/// How many requests somebody may send: a token bucket's measures.
public struct RateLimit: Hashable, Sendable {
    /// What a setting may ask for; beyond it no limit is one.
    public static let numbers = 1...1_000_000

    /// How many requests a second may come for ever.
    public let perSecond: Int
    /// How many may come at once, after a while without any.
    public let burst: Int

    /// A limit, both numbers within ``numbers``.
    public init(perSecond: Int, burst: Int) {
        precondition(Self.numbers.contains(perSecond) && Self.numbers.contains(burst), "a limit lets something through")
        self.perSecond = perSecond
        self.burst = burst
    }

    /// What of a bucket's time one request takes.
    var nanosecondsPerRequest: Int64 { 1_000_000_000 / Int64(perSecond) }

    /// How long an empty bucket takes to be full.
    var nanosecondsToFill: Int64 { nanosecondsPerRequest * Int64(burst) }
}

/// What clients may ask of one node: nodes share nothing, so a client that comes to several of them may ask each so much.
public struct RequestLimits: Hashable, Sendable {
    /// For each bearer token, whoever's it is; nil for no limit.
    public var token: RateLimit?
    /// For each address; nil for no limit.
    public var address: RateLimit?
    /// Proxies whose `X-Forwarded-For` is believed.
    public var trustedProxies: [AddressRange]

    /// Limits; as they stand, none.
    public init(token: RateLimit? = nil, address: RateLimit? = nil, trustedProxies: [AddressRange] = []) {
        self.token = token
        self.address = address
        self.trustedProxies = trustedProxies
    }

    /// What a node is served with unless it is told otherwise.
    ///
    /// A player in a fight sends about one request a second, and some twenty at once when the app is launched. An address
    /// may be that of a household, a school or a mobile carrier, whose players share it.
    public static let usual = Self(
        token: RateLimit(perSecond: 10, burst: 60),
        address: RateLimit(perSecond: 200, burst: 1_000)
    )
}
