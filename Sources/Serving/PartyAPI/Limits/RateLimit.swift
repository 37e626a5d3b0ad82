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
    /// For each address, how many players it registers; nil for no limit but that of all its requests.
    public var registration: RateLimit?
    /// For each address, how many times it joins by a code that no party has; nil for no limit but that of all its requests.
    public var wrongCode: RateLimit?
    /// Proxies whose `X-Forwarded-For` is believed.
    public var trustedProxies: [AddressRange]

    /// Limits; as they stand, none.
    public init(
        token: RateLimit? = nil,
        address: RateLimit? = nil,
        registration: RateLimit? = nil,
        wrongCode: RateLimit? = nil,
        trustedProxies: [AddressRange] = []
    ) {
        self.token = token
        self.address = address
        self.registration = registration
        self.wrongCode = wrongCode
        self.trustedProxies = trustedProxies
    }

    /// What a node is served with unless it is told otherwise.
    ///
    /// A player in a fight sends about one request a second, and some twenty at once when the app is launched. An address
    /// may be that of a household, a school or a mobile carrier, whose players share it: two classes may register at once. A
    /// code has 40 bits; at one a second an address finds one of 1,000 parties' in 35 years on average.
    public static let usual = Self(
        token: RateLimit(perSecond: 10, burst: 60),
        address: RateLimit(perSecond: 200, burst: 1_000),
        registration: RateLimit(perSecond: 5, burst: 50),
        wrongCode: RateLimit(perSecond: 1, burst: 30)
    )

    /// Whether there is any limit.
    var hasAny: Bool { [token, address, registration, wrongCode].contains { $0 != nil } }
}
