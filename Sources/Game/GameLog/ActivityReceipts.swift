public import Encodings

/// What a device has reported about one activity: a few hundred bytes, however many pushes and reports there were.
///
/// ``merge(_:of:receivedAt:newestSequence:)`` is idempotent, and the order of reports does not matter: of every value
/// the earliest, the largest or the one of the newest report is kept. Times are kept as the device's clock gave them, to
/// the millisecond; ``serverTime(_:)`` converts them.
public struct ActivityReceipts: Hashable, Sendable {
    /// The largest number of shown states that are kept: those with the largest sequences.
    public static let maxShown = 32
    /// The time by which a value of a report may be later than the report.
    public static let clockTolerance = Duration.seconds(5)
    /// The age after which a value of a report is not used.
    static let maxAge = Duration.seconds(86_400)
    /// The difference between the clocks up to which the network explains it.
    static let latencyTolerance = Duration.seconds(2)

    /// The largest number of reports whose observations are kept: those of the newest ones.
    public static let maxObservations = 16

    /// What one report says about the time at which the device wrote it.
    public struct Observation: Hashable, Sendable {
        /// The time by the device's clock.
        public let at: Timestamp
        /// The sequence of the state that the device showed; nil if it did not show the activity.
        public let showing: Int?
        /// Whether Live Activities were on.
        public let liveActivitiesEnabled: Bool
        /// Whether the device saved power.
        public let lowPowerMode: Bool
        /// The number of pushes at priority 10 that the device would still show; nil if the app did not know it.
        public let budget: Int?

        /// A number with everything but the time and the budget: of two observations with the same time, the larger one is kept.
        var details: Int {
            ((showing ?? -1) + 1) << 2 | (liveActivitiesEnabled ? 2 : 0) | (lowPowerMode ? 1 : 0)
        }
        /// The budget as a number; 0 if unknown.
        var budgetCode: Int { budget.map { $0 + 1 } ?? 0 }

        init(
            at moment: Timestamp,
            showing: Int?,
            liveActivitiesEnabled: Bool,
            lowPowerMode: Bool,
            budget: Int?
        ) {
            at = moment
            self.showing = showing
            self.liveActivitiesEnabled = liveActivitiesEnabled
            self.lowPowerMode = lowPowerMode
            self.budget = budget
        }

        init(at moment: Timestamp, details: Int, budgetCode: Int) {
            self.init(
                at: moment,
                showing: details >> 2 == 0 ? nil : details >> 2 - 1,
                liveActivitiesEnabled: details & 2 != 0,
                lowPowerMode: details & 1 != 0,
                budget: budgetCode == 0 ? nil : budgetCode - 1
            )
        }
    }

    /// The observations of the newest reports, oldest first; at least one.
    public internal(set) var observations: [Observation]
    /// The smallest difference between the server's clock when it received a report, and the device's clock when it
    /// wrote that report: the difference of the clocks, and the latency of the fastest report.
    public internal(set) var clockOffset: Duration
    /// The newest shown states by sequence, each with the first time at which the device showed it by its clock.
    public internal(set) var shown: [ShownState] = []
    /// When the device first showed a state, by its clock.
    public internal(set) var firstShownAt: Timestamp?
    /// The number of states that the device has shown, at least.
    public internal(set) var shownCount = 0
    /// The number of taps on the activity.
    public internal(set) var taps = 0
    /// When the app last saw Live Activities switched on or off, by the device's clock.
    public internal(set) var liveActivitiesChangedAt: Timestamp?
    /// When the state last became stale, by the device's clock.
    public internal(set) var staleAt: Timestamp?
    /// When the activity ended, by the device's clock.
    public internal(set) var endedAt: Timestamp?
    /// When the person removed the activity, by the device's clock.
    public internal(set) var dismissedAt: Timestamp?
    /// When ActivityKit last issued a token, by the device's clock.
    public internal(set) var tokenChangedAt: Timestamp?
    /// The newest reading of the budget, with the time of the device's clock.
    public internal(set) var budget: BudgetReading?
    /// The last time without a network, by the device's clock.
    public internal(set) var offline: OfflineInterval?

    init(_ observations: [Observation], clockOffset: Duration) {
        precondition(!observations.isEmpty, "receipts without a report")
        self.observations = observations
        self.clockOffset = clockOffset
    }

    /// The observation of the newest report.
    public var newestObservation: Observation { observations[observations.count - 1] }

    /// When the device wrote its newest report, by its clock.
    public var reportedAt: Timestamp { newestObservation.at }
    /// The sequence of the state that the device showed then; nil if it did not show the activity.
    public var showing: Int? { newestObservation.showing }
    /// Whether Live Activities were on then.
    public var liveActivitiesEnabled: Bool { newestObservation.liveActivitiesEnabled }
    /// Whether the device saved power then.
    public var lowPowerMode: Bool { newestObservation.lowPowerMode }
    /// The shown state with the largest sequence.
    public var newestShown: ShownState? { shown.last }

    /// Converts a time of the device's clock to the server's clock.
    ///
    /// The shortest way of a report takes part of the difference, so a small difference changes nothing.
    public func serverTime(_ moment: Timestamp) -> Timestamp { isClockCorrected ? moment + clockOffset : moment }

    /// Whether the clocks differ by more than the network explains.
    public var isClockCorrected: Bool {
        clockOffset > Self.latencyTolerance || clockOffset < .zero - Self.latencyTolerance
    }
}

extension ActivityReceipts {
    /// Merges a report into the receipts of an activity.
    /// - Parameters:
    ///   - receipts: the receipts so far; nil before the first report.
    ///   - report: the report.
    ///   - entry: the entry of the activity.
    ///   - receivedAt: the time of the server's clock.
    ///   - newestSequence: the largest sequence that a push can have shown: that of the adventure's newest state.
    /// - Returns: the effect.
    public static func merge(
        into receipts: inout Self?,
        _ report: ReceiptReport,
        of entry: ActivityReport,
        receivedAt: Timestamp,
        newestSequence: Int
    ) -> ReceiptOutcome {
        var reader = ReportReader(sentAt: report.sentAt.inMilliseconds, newestSequence: newestSequence)
        let before = receipts
        let budget = report.device.budget.flatMap { reading in
            reader.time(reading.at).map {
                BudgetReading(remaining: min(reading.remaining, Self.maxCount), level: reading.level, at: $0)
            }
        }
        let observation = Observation(
            at: reader.sentAt,
            showing: entry.showing.flatMap { reader.sequence($0) },
            liveActivitiesEnabled: report.device.liveActivitiesEnabled,
            lowPowerMode: report.device.lowPowerMode,
            budget: budget.flatMap { $0.at >= reader.sentAt - Self.maxReadingAge ? $0.remaining : nil }
        )
        let offset = receivedAt.inMilliseconds - reader.sentAt
        var merged = before ?? Self([observation], clockOffset: offset)
        merged.merge(observation)
        merged.clockOffset = min(merged.clockOffset, offset)
        let new = merged.mergeShown(reader.shown(entry.shown))
        merged.shownCount = max(merged.shownCount, merged.shown.count, min(entry.shownCount ?? 0, Self.maxCount))
        merged.taps = max(merged.taps, min(entry.taps, Self.maxCount))
        merged.liveActivitiesChangedAt = latest(
            merged.liveActivitiesChangedAt,
            reader.time(report.device.liveActivitiesChangedAt)
        )
        merged.staleAt = latest(merged.staleAt, reader.time(entry.staleAt))
        merged.tokenChangedAt = latest(merged.tokenChangedAt, reader.time(entry.tokenChangedAt))
        merged.endedAt = earliest(merged.endedAt, reader.time(entry.endedAt))
        merged.dismissedAt = earliest(merged.dismissedAt, reader.time(entry.dismissedAt))
        if let budget { merged.merge(budget) }
        if let offline = report.device.offline, let from = reader.time(offline.from),
            let until = reader.time(offline.until), from <= until
        {
            merged.merge(OfflineInterval(from: from, until: until))
        }
        receipts = merged
        return ReceiptOutcome(
            isChanged: merged != before,
            shown: new.map { ShownState(sequence: $0.sequence, at: merged.serverTime($0.at)) },
            refused: reader.refused
        )
    }

    /// The age of a reading that describes the time of its report.
    private static let maxReadingAge = Duration.seconds(60)
    private static let maxCount = 1_000_000

    /// Merges shown states, which are sorted by sequence.
    /// - Returns: those that are new.
    private mutating func mergeShown(_ states: [ShownState]) -> [ShownState] {
        var new: [ShownState] = []
        for state in states {
            firstShownAt = Self.earliest(firstShownAt, state.at)
            let index = shown.firstIndex { $0.sequence >= state.sequence } ?? shown.count
            if index < shown.count, shown[index].sequence == state.sequence {
                if state.at < shown[index].at { shown[index] = state }
            } else if index > 0 || shown.count < Self.maxShown {
                shown.insert(state, at: index)
                new.append(state)
                if shown.count > Self.maxShown { shown.removeFirst() }
            }
        }
        return new
    }

    private mutating func merge(_ observation: Observation) {
        let index = observations.firstIndex { $0.at >= observation.at } ?? observations.count
        if index < observations.count, observations[index].at == observation.at {
            let known = observations[index]
            if (observation.details, observation.budgetCode) > (known.details, known.budgetCode) {
                observations[index] = observation
            }
        } else if index > 0 || observations.count < Self.maxObservations {
            observations.insert(observation, at: index)
            if observations.count > Self.maxObservations { observations.removeFirst() }
        }
    }

    private mutating func merge(_ reading: BudgetReading) {
        guard let known = budget else {
            budget = reading
            return
        }
        if (reading.at, known.remaining, known.level) > (known.at, reading.remaining, reading.level) {
            budget = reading
        }
    }

    private mutating func merge(_ interval: OfflineInterval) {
        guard let known = offline else {
            offline = interval
            return
        }
        if (interval.until, known.from) > (known.until, interval.from) { offline = interval }
    }

    private static func earliest(_ one: Timestamp?, _ other: Timestamp?) -> Timestamp? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    private static func latest(_ one: Timestamp?, _ other: Timestamp?) -> Timestamp? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }
}

/// Reads the values of one report, and counts those that cannot be used.
private struct ReportReader {
    let sentAt: Timestamp
    let newestSequence: Int
    var refused: [ReceiptRefusal: Int] = [:]

    init(sentAt: Timestamp, newestSequence: Int) {
        self.sentAt = sentAt
        self.newestSequence = newestSequence
    }

    mutating func time(_ moment: Timestamp?) -> Timestamp? {
        guard let moment = moment?.inMilliseconds else { return nil }
        if moment > sentAt + ActivityReceipts.clockTolerance { return refuse(.fromFuture) }
        if moment < sentAt - ActivityReceipts.maxAge { return refuse(.tooOld) }
        return moment
    }

    mutating func sequence(_ sequence: Int) -> Int? {
        0...max(0, newestSequence) ~= sequence ? sequence : refuse(.neverSent)
    }

    /// Returns the shown states that can be used, by sequence.
    mutating func shown(_ states: [ShownState]) -> [ShownState] {
        var valid: [ShownState] = []
        for state in states {
            guard let sequence = sequence(state.sequence), let moment = time(state.at) else { continue }
            valid.append(ShownState(sequence: sequence, at: moment))
        }
        valid.sort { ($0.sequence, $0.at) < ($1.sequence, $1.at) }
        let excess = valid.count - ReceiptReport.maxShownStates
        if excess > 0 { refused[.tooMany, default: 0] += excess }
        return valid.suffix(ReceiptReport.maxShownStates)
    }

    private mutating func refuse<Value>(_ reason: ReceiptRefusal) -> Value? {
        refused[reason, default: 0] += 1
        return nil
    }
}

extension Timestamp {
    /// The time in whole milliseconds, the precision in which receipts are stored.
    fileprivate var inMilliseconds: Self { Self(microseconds: epochMilliseconds * 1_000) }
}
