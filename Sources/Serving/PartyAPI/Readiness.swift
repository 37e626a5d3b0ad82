import RangersMetrics

/// Whether the process can do its work, and what is missing when it cannot: the answer to `GET /readyz`.
///
/// Cheap however often it is asked: all checks together are made at most once a second, for all who ask.
public struct Readiness: Sendable {
    /// Something without which the process cannot do its work.
    public struct Lack: Hashable, Sendable {
        /// What it is: the name of a check.
        public let name: String
        /// What is wrong with it, in one sentence that anybody may read.
        public let reason: String
    }

    /// For how long an answer is good.
    public static let interval = Duration.seconds(1)
    /// How long the checks may take: as long as those who ask are patient.
    public static let limit = Duration.seconds(2)

    private let immediate: [ReadinessCheck]
    private let reading: SharedReading<[Lack]>

    /// What is to be asked.
    /// - Parameters:
    ///   - checks: what asks somebody else; shared and bounded.
    ///   - immediate: what is known in the process, and asked each time.
    ///   - limit: how long the checks may take together.
    public init(_ checks: [ReadinessCheck], immediate: [ReadinessCheck] = [], limit: Duration = Self.limit) {
        self.immediate = immediate
        reading = SharedReading(interval: Self.interval, limit: limit) { await Self.lacks(of: checks) }
    }

    /// What is missing now; empty when nothing is.
    public var lacks: [Lack] {
        get async {
            let known = await Self.lacks(of: immediate)
            guard let asked = await reading.value else {
                return known + [Lack(name: "database", reason: "The database does not answer in time.")]
            }
            return known + asked
        }
    }

    private static func lacks(of checks: [ReadinessCheck]) async -> [Lack] {
        var lacks: [Lack] = []
        for check in checks { lacks += await check.check() }
        return lacks
    }
}
