import RangersMetrics

/// Determines whether the process can do its work: the response to `GET /readyz`.
///
/// Checks of other systems run at most once a second, independent of the number of requests; concurrent requests share
/// their results.
public struct Readiness: Sendable {
    /// The failure of a check.
    public struct Failure: Hashable, Sendable {
        /// The name of the check.
        public let name: String
        /// The reason in one sentence, without details that unauthenticated clients must not see.
        public let reason: String

        /// Creates a failure.
        public init(name: String, reason: String) {
            self.name = name
            self.reason = reason
        }
    }

    /// The time for which results are cached.
    public static let interval = Duration.seconds(1)
    /// The default timeout of all checks together, below the timeout of common load balancers.
    public static let limit = Duration.seconds(2)

    private let immediate: [ReadinessCheck]
    private let restricting: [ReadinessCheck]
    private let reading: SharedReading<[Failure]>

    /// Creates a readiness of some checks.
    /// - Parameters:
    ///   - checks: checks of other systems. Their results are shared, and they have a timeout.
    ///   - immediate: checks that need nothing but the process. They run for every request.
    ///   - restricting: checks like `immediate`, whose failure leaves the process ready: another node could do no more.
    ///   - limit: the timeout of `checks` together.
    public init(
        _ checks: [ReadinessCheck],
        immediate: [ReadinessCheck] = [],
        restricting: [ReadinessCheck] = [],
        limit: Duration = Self.limit
    ) {
        self.immediate = immediate
        self.restricting = restricting
        reading = SharedReading(interval: Self.interval, limit: limit) { await Self.failures(of: checks) }
    }

    /// The checks that fail now; empty if the process is ready.
    public var failures: [Failure] {
        get async {
            let immediateFailures = await Self.failures(of: immediate)
            guard let sharedFailures = await reading.value else {
                let timeout = Failure(name: "database", reason: "The database does not respond in time.")
                return immediateFailures + [timeout]
            }
            return immediateFailures + sharedFailures
        }
    }

    /// What the process cannot do now although it is ready; empty if it can do everything.
    public var restrictions: [Failure] {
        get async { await Self.failures(of: restricting) }
    }

    private static func failures(of checks: [ReadinessCheck]) async -> [Failure] {
        var failures: [Failure] = []
        for check in checks { failures += await check.run() }
        return failures
    }
}
