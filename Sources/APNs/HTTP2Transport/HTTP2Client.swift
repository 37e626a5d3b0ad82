public import Logging

/// An HTTP/2 client for one server over TLS, made for many small requests at once.
///
/// One thread owns everything; requests come in bulk and outcomes go out in bulk. A connection takes requests within
/// the limit of streams and the window that the server allows; when that keeps requests waiting, a few more connections
/// are opened. One that is told to go is replaced, and may finish what it has. It takes on so many requests at once, and who
/// sends more waits; each that it has taken on has exactly one outcome, at its deadline at the latest. The certificate of
/// the server and its name are always verified.
public final class HTTP2Client: Sendable {
    private let core: LoopBound<HTTP2ClientCore>
    private let submissions = SubmissionQueue()
    private let gate: AdmissionGate

    /// A client that connects when it is first needed, or told to.
    /// - Throws: `TransportError`, for example when the authorities to trust cannot be read.
    public init(configuration: Configuration, logger: Logger) throws(TransportError) {
        let core = try HTTP2ClientCore(configuration: configuration, submissions: submissions, logger: logger)
        let bound = LoopBound(core, on: try EventLoop(name: "http2-client"))
        bound.run { core, selector in core.bind(selector, as: bound) }
        self.core = bound
        self.gate = AdmissionGate(size: configuration.maxOutstandingRequests)
    }

    deinit {
        core.run { core, _ in core.stop(at: .now) {} }
    }

    /// Brings the connection up before it is needed.
    public func connect() {
        core.run { core, _ in core.connect() }
    }

    /// Sends a request.
    ///
    /// Many tasks may do so at once; sending their requests in one call is cheaper. When the client has as many requests
    /// as it takes on, this waits until others have their outcomes; the request's time counts from then. It does not heed
    /// cancellation: a request that was sent has an outcome to be told, at its deadline at the latest.
    /// - Parameters:
    ///   - request: what to send.
    ///   - deadline: when it has its outcome at the latest; nil, or a later time, for the client's `requestTimeout`.
    /// - Returns: its outcome, when that is known.
    public func send(
        _ request: HTTP2ClientRequest,
        until deadline: ContinuousClock.Instant? = nil
    ) async -> HTTP2Outcome {
        if !gate.entersAtOnce(1) { await gate.enter(1) }
        defer { gate.leave(1) }
        return await OutcomeAwaiter.wait { submit(.task(request, until: deadline, $0)) }
    }

    /// Sends requests, and returns when the last has its outcome.
    ///
    /// When the client has as many requests as it takes on, this waits, as for one request.
    /// - Parameters:
    ///   - requests: what to send, in this order as far as streams allow.
    ///   - deadline: when each has its outcome at the latest; nil, or a later time, for the client's `requestTimeout`.
    /// - Returns: the outcomes, in the order of the requests.
    public func send(
        _ requests: [HTTP2ClientRequest],
        until deadline: ContinuousClock.Instant? = nil
    ) async -> [HTTP2Outcome] {
        guard !requests.isEmpty else { return [] }
        await gate.enter(requests.count)
        defer { gate.leave(requests.count) }
        return await withCheckedContinuation { continuation in
            submit(.batch(requests, until: deadline) { continuation.resume(returning: $0) })
        }
    }

    /// What the client is doing now, and what has kept it from doing more.
    public func statistics() async -> HTTP2ClientStatistics {
        await withCheckedContinuation { continuation in
            core.run { core, _ in continuation.resume(returning: core.statistics) }
        }
    }

    /// Hands requests to the thread, whether there is room for them or not.
    func submit(_ submission: SubmissionQueue.Submission) {
        if submissions.append(submission) { core.run { core, _ in core.takeSubmissions() } }
    }

    /// Ends the client at once: what is in flight has an unknown outcome.
    public func close() {
        core.run { core, _ in core.stop(at: .now) {} }
    }

    /// Ends the client: what waits is refused, what is in flight may end within the grace time.
    public func shutDown(within grace: Duration) async {
        let deadline = ContinuousClock.now + grace
        await withCheckedContinuation { continuation in
            core.run { core, _ in core.stop(at: deadline) { continuation.resume() } }
        }
    }
}
