public import Logging

/// An HTTP/2 client for one server over TLS, for many small concurrent requests.
///
/// One thread owns all connections; requests and outcomes pass in batches. A connection respects the server's limit of
/// streams and its flow-control window; when these make requests wait, the client opens a few more connections. It
/// replaces a connection that received GOAWAY, and lets its requests finish. The number of outstanding requests is
/// limited: further callers wait. Each accepted request has exactly one outcome, at its deadline at the latest. The
/// client always verifies the server's certificate and name.
public final class HTTP2Client: Sendable {
    private let core: LoopBound<HTTP2ClientCore>
    private let submissions = SubmissionQueue()
    private let limiter: ConcurrencyLimiter

    /// Creates a client that connects on its first request, or on `connect`.
    /// - Throws: `TransportError`, for example if the trusted authorities cannot be read.
    public init(configuration: Configuration, logger: Logger) throws(TransportError) {
        let core = try HTTP2ClientCore(configuration: configuration, submissions: submissions, logger: logger)
        let bound = LoopBound(core, on: try EventLoop(name: "http2-client"))
        bound.run { core, selector in core.bind(selector, as: bound) }
        self.core = bound
        self.limiter = ConcurrencyLimiter(limit: configuration.maxOutstandingRequests)
    }

    deinit {
        core.run { core, _ in core.stop(at: .now) {} }
    }

    /// Opens a connection before the first request.
    public func connect() {
        core.run { core, _ in core.connect() }
    }

    /// Sends a request.
    ///
    /// Many tasks may call this concurrently; one call with many requests is cheaper. At the limit of outstanding
    /// requests the call waits until others have their outcomes; the request's timeout counts from then on. The call
    /// ignores cancellation: a request that was sent has an outcome, at its deadline at the latest.
    /// - Parameters:
    ///   - request: the request.
    ///   - deadline: the latest time of the outcome; the client's `requestTimeout` also applies. Nil for that timeout
    ///     only.
    /// - Returns: the outcome of the request.
    public func send(
        _ request: HTTP2ClientRequest,
        until deadline: ContinuousClock.Instant? = nil
    ) async -> HTTP2Outcome {
        if !limiter.tryAcquire(1) { await limiter.acquire(1) }
        defer { limiter.release(1) }
        return await OutcomeAwaiter.wait { submit(.task(request, until: deadline, $0)) }
    }

    /// Sends requests, and returns when all have their outcomes.
    ///
    /// At the limit of outstanding requests the call waits, as for one request.
    /// - Parameters:
    ///   - requests: the requests, which are sent in this order as far as streams allow.
    ///   - deadline: the latest time of each outcome; the client's `requestTimeout` also applies. Nil for that timeout
    ///     only.
    /// - Returns: the outcomes, in the order of the requests.
    public func send(
        _ requests: [HTTP2ClientRequest],
        until deadline: ContinuousClock.Instant? = nil
    ) async -> [HTTP2Outcome] {
        guard !requests.isEmpty else { return [] }
        await limiter.acquire(requests.count)
        defer { limiter.release(requests.count) }
        let outcomes = OrderedOutcomes<HTTP2Outcome>(count: requests.count)
        submit(requests, until: deadline) { outcomes.add($0) }
        return await outcomes.all()
    }

    /// Submits requests, whose outcomes arrive in parts.
    ///
    /// The call does not wait; the caller limits the number of outstanding requests.
    /// - Parameters:
    ///   - requests: the requests, which are sent in this order as far as streams allow.
    ///   - deadline: the latest time of each outcome; the client's `requestTimeout` also applies. Nil for that timeout
    ///     only.
    ///   - resumesTasks: whether `receive` resumes tasks. It is then called in Swift's pool, once for all such
    ///     submissions of a turn, since each resumption on the client's thread would wake a thread of the pool.
    ///   - receive: receives the outcomes of one turn of the client's thread, in any order, each with the index of its
    ///     request. It must not block. Each request has exactly one outcome.
    public func submit(
        _ requests: [HTTP2ClientRequest],
        until deadline: ContinuousClock.Instant? = nil,
        resumesTasks: Bool = false,
        _ receive: @escaping @Sendable ([(index: Int, outcome: HTTP2Outcome)]) -> Void
    ) {
        submit(.batch(requests, until: deadline, resumesTasks: resumesTasks, receive))
    }

    /// Returns the current statistics of the client.
    public func statistics() async -> HTTP2ClientStatistics {
        await withCheckedContinuation { continuation in
            core.run { core, _ in continuation.resume(returning: core.statistics) }
        }
    }

    private func submit(_ submission: SubmissionQueue.Submission) {
        if submissions.append(submission) { core.run { core, _ in core.takeSubmissions() } }
    }

    /// Shuts the client down at once.
    ///
    /// Requests in flight have an unknown outcome, except those with an entirely unsent body, which were never
    /// processed.
    public func close() {
        core.run { core, _ in core.stop(at: .now) {} }
    }

    /// Shuts the client down: rejects waiting requests, and lets requests in flight finish within the grace period.
    ///
    /// Returns when all connections have ended.
    public func shutDown(within grace: Duration) async {
        let deadline = ContinuousClock.now + grace
        await withCheckedContinuation { continuation in
            core.run { core, _ in core.stop(at: deadline) { continuation.resume() } }
        }
    }
}
