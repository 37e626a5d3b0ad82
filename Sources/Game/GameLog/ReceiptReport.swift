public import Encodings
public import GameCore

/// What a device reports in one batch about the Live Activities that it shows.
///
/// All times are those of the device's clock, which may be wrong; the server estimates the difference from ``sentAt``.
/// Reports are cumulative: a later report may repeat everything, so that a lost one costs nothing.
public struct ReceiptReport: Hashable, Sendable {
    /// The largest number of activities in one report; a device shows about five of an app.
    public static let maxActivities = 8
    /// The largest number of shown states of one activity in one report.
    public static let maxShownStates = 64

    /// When the device wrote the report.
    public let sentAt: Timestamp
    /// The state of the device at that time.
    public let device: DeviceConditions
    /// The activities that the device shows or has shown.
    public let activities: [ActivityReport]

    /// Creates a report.
    public init(sentAt: Timestamp, device: DeviceConditions, activities: [ActivityReport]) {
        self.sentAt = sentAt
        self.device = device
        self.activities = activities
    }
}

/// The state of a device when it wrote a report, as far as its app can know it.
public struct DeviceConditions: Hashable, Sendable {
    /// ActivityKit's `areActivitiesEnabled`.
    public let liveActivitiesEnabled: Bool
    /// When the app first saw the present value of `areActivitiesEnabled`; nil if it does not know.
    public let liveActivitiesChangedAt: Timestamp?
    /// Whether the device saves power, which delays pushes at priority 5.
    public let lowPowerMode: Bool
    /// The budget of pushes at priority 10; nil if the app does not know it, as apps in the App Store do not.
    public let budget: BudgetReading?
    /// The last time without a network; nil if the app saw none.
    public let offline: OfflineInterval?

    /// Creates the state of a device.
    public init(
        liveActivitiesEnabled: Bool,
        liveActivitiesChangedAt: Timestamp? = nil,
        lowPowerMode: Bool = false,
        budget: BudgetReading? = nil,
        offline: OfflineInterval? = nil
    ) {
        self.liveActivitiesEnabled = liveActivitiesEnabled
        self.liveActivitiesChangedAt = liveActivitiesChangedAt
        self.lowPowerMode = lowPowerMode
        self.budget = budget
        self.offline = offline
    }
}

/// A reading of the budget that a device has for pushes at priority 10.
public struct BudgetReading: Hashable, Sendable {
    /// The largest number of bytes of ``level`` in UTF-8.
    public static let maxLevelBytes = 16

    /// The number of pushes that the device would still show.
    public let remaining: Int
    /// The level of the budget as the device names it, such as `frequent`; empty if unknown.
    public let level: String
    /// When the device read it.
    public let at: Timestamp

    /// Creates a reading; a negative number becomes 0, and of the level the first ASCII letters and digits are kept.
    public init(remaining: Int, level: String, at moment: Timestamp) {
        self.remaining = max(0, remaining)
        let isKept: (Unicode.Scalar) -> Bool = { $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0) }
        self.level = String(String.UnicodeScalarView(level.unicodeScalars.filter(isKept).prefix(Self.maxLevelBytes)))
        at = moment
    }
}

/// A time during which a device had no network.
public struct OfflineInterval: Hashable, Sendable {
    /// Its beginning.
    public let from: Timestamp
    /// Its end.
    public let until: Timestamp

    /// Creates an interval.
    public init(from: Timestamp, until: Timestamp) {
        self.from = from
        self.until = until
    }
}

/// What a device reports about one activity.
public struct ActivityReport: Hashable, Sendable {
    /// The adventure that the activity shows.
    public let adventureID: AdventureID
    /// The activity.
    public let activityID: ActivityID
    /// The states that ActivityKit's `contentUpdates` delivered since the last report, in any order.
    public let shown: [ShownState]
    /// The `sequence` of the state that the device showed when it wrote the report; nil if it did not show the activity.
    public let showing: Int?
    /// The number of states that the device has shown since the activity started; nil if the app does not count them.
    public let shownCount: Int?
    /// When the state last became stale.
    public let staleAt: Timestamp?
    /// When the activity ended.
    public let endedAt: Timestamp?
    /// When the person removed the activity.
    public let dismissedAt: Timestamp?
    /// When ActivityKit last issued a push token for the activity.
    public let tokenChangedAt: Timestamp?
    /// The number of taps on the activity since it started.
    public let taps: Int

    /// Creates a report about one activity.
    public init(
        adventureID: AdventureID,
        activityID: ActivityID,
        shown: [ShownState],
        showing: Int?,
        shownCount: Int? = nil,
        staleAt: Timestamp? = nil,
        endedAt: Timestamp? = nil,
        dismissedAt: Timestamp? = nil,
        tokenChangedAt: Timestamp? = nil,
        taps: Int = 0
    ) {
        self.adventureID = adventureID
        self.activityID = activityID
        self.shown = shown
        self.showing = showing
        self.shownCount = shownCount
        self.staleAt = staleAt
        self.endedAt = endedAt
        self.dismissedAt = dismissedAt
        self.tokenChangedAt = tokenChangedAt
        self.taps = taps
    }
}

/// A content state that a device has shown.
public struct ShownState: Hashable, Sendable {
    /// The state's `sequence`: the number of events since the start of the adventure.
    public let sequence: Int
    /// When the device first showed it.
    public let at: Timestamp

    /// Creates a shown state.
    public init(sequence: Int, at moment: Timestamp) {
        self.sequence = sequence
        at = moment
    }
}

/// The reason why a value of a report is not used; the rest of the report is.
public enum ReceiptRefusal: String, Hashable, Sendable, CaseIterable {
    /// A state that the adventure has not reached, so that no push can have shown it.
    case neverSent
    /// A time after the report itself.
    case fromFuture
    /// A time more than a day before the report; no activity lives as long.
    case tooOld
    /// More states than one report may have; the newest are used.
    case tooMany
}

/// The effect of a report on the receipts of one activity.
public struct ReceiptOutcome: Hashable, Sendable {
    /// Whether the receipts have changed, and have to be stored.
    public var isChanged = false
    /// The states that no earlier report had, with the time at which they were shown by the server's clock.
    public var shown: [ShownState] = []
    /// The number of values that were not used, by reason.
    public var refused: [ReceiptRefusal: Int] = [:]
}
