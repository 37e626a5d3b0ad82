/// What a client works with; everything has a default.
public struct RangersConfiguration: Sendable {
    /// What carries the requests.
    public var transport: any RangersTransport
    /// How often, and how soon, requests are tried again.
    public var retryPolicy: RetryPolicy
    /// What pauses are measured with.
    public var clock: any Clock<Duration>
    /// 64 bits, for keys and pauses.
    public var randomBits: @Sendable () -> UInt64

    /// A configuration.
    public init(
        transport: any RangersTransport = URLSessionTransport(),
        retryPolicy: RetryPolicy = RetryPolicy(),
        clock: any Clock<Duration> = ContinuousClock(),
        randomBits: @escaping @Sendable () -> UInt64 = {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        }
    ) {
        self.transport = transport
        self.retryPolicy = retryPolicy
        self.clock = clock
        self.randomBits = randomBits
    }
}
