/// The configuration of a client.
///
/// Every value has a default.
public struct RangersConfiguration: Sendable {
    /// The transport for requests.
    public var transport: any RangersTransport
    /// The policy for retries.
    public var retryPolicy: RetryPolicy
    /// The clock for delays.
    public var clock: any Clock<Duration>
    /// Returns 64 random bits, for idempotency keys and delays.
    public var randomBits: @Sendable () -> UInt64

    /// Creates a configuration.
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
