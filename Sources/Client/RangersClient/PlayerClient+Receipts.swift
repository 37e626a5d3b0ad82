import Encodings
public import Foundation
public import GameCore

extension PlayerClient {
    /// Reports what a device has shown, so that the server can tell which pushes were shown.
    ///
    /// It is not retried, since its time is that of the attempt; reports are cumulative, so the next one repeats what
    /// this one says. The server refuses more than a few reports a minute.
    /// - Parameters:
    ///   - receipts: what the device has shown; see ``ReceiptJournal``.
    ///   - deviceID: the device.
    ///   - moment: the time of the report by the device's clock, which the server compares with its own.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func report(_ receipts: Receipts, from deviceID: DeviceID, at moment: Date) async throws {
        try await withoutRetries.http.write(
            "POST",
            "v1/players/me/devices/\(deviceID)/receipts",
            ReceiptsBody(sentAt: moment, receipts: receipts),
            key: nil
        )
    }
}

/// What a device has shown, and what else it knows that tells why it did not show a push.
///
/// All times are those of the device's clock.
public struct Receipts: Hashable, Sendable {
    /// The state of the device.
    public struct Device: Hashable, Sendable {
        /// The value of `ActivityAuthorizationInfo().areActivitiesEnabled`.
        public var liveActivitiesEnabled: Bool
        /// When the app first saw this value; nil if it does not know.
        public var liveActivitiesChangedAt: Date?
        /// The value of `ProcessInfo.processInfo.isLowPowerModeEnabled`.
        public var lowPowerMode: Bool
        /// The number of pushes at priority 10 that the device would still show, with its level and the time of the reading, if
        /// the app knows them.
        public var budget: Budget?
        /// The last time without a network, if the app saw one.
        public var offline: DateInterval?

        /// Creates the state of a device.
        public init(
            liveActivitiesEnabled: Bool,
            liveActivitiesChangedAt: Date? = nil,
            lowPowerMode: Bool = false,
            budget: Budget? = nil,
            offline: DateInterval? = nil
        ) {
            self.liveActivitiesEnabled = liveActivitiesEnabled
            self.liveActivitiesChangedAt = liveActivitiesChangedAt
            self.lowPowerMode = lowPowerMode
            self.budget = budget
            self.offline = offline
        }
    }

    /// A reading of the budget of pushes at priority 10.
    public struct Budget: Hashable, Sendable {
        /// The number of pushes that the device would still show.
        public var remaining: Int
        /// The level of the budget as the device names it, such as `frequent`; nil if unknown.
        public var level: String?
        /// When the app read it.
        public var at: Date

        /// Creates a reading.
        public init(remaining: Int, level: String?, at moment: Date) {
            self.remaining = remaining
            self.level = level
            at = moment
        }
    }

    /// What the device has shown of one activity.
    public struct Activity: Hashable, Sendable {
        /// The adventure that the activity shows.
        public var adventureID: AdventureID
        /// The activity.
        public var activityID: ActivityID
        /// The newest states that the device has shown, by their `sequence`, each with the first time.
        public var shown: [Int: Date] = [:]
        /// The `sequence` of the state that the device shows; nil if it does not show the activity.
        public var showing: Int?
        /// The number of states that the device has shown.
        public var shownCount = 0
        /// When the state last became stale.
        public var staleAt: Date?
        /// When the activity ended.
        public var endedAt: Date?
        /// When the person removed the activity.
        public var dismissedAt: Date?
        /// When ActivityKit last issued a push token.
        public var tokenChangedAt: Date?
        /// The number of taps on the activity.
        public var taps = 0

        /// Creates an activity that has shown nothing.
        public init(_ activityID: ActivityID, of adventureID: AdventureID) {
            self.activityID = activityID
            self.adventureID = adventureID
        }
    }

    /// The state of the device.
    public var device: Device
    /// The activities.
    public var activities: [Activity]

    /// Creates receipts.
    public init(device: Device, activities: [Activity]) {
        self.device = device
        self.activities = activities
    }
}

/// The body of a report.
private struct ReceiptsBody: Encodable {
    private struct Device: Encodable {
        let liveActivitiesEnabled: Bool
        let liveActivitiesChangedAt: String?
        let lowPowerMode: Bool
        let budget: Budget?
        let offline: Offline?
    }

    private struct Budget: Encodable {
        let remaining: Int
        let level: String?
        let at: String
    }

    private struct Offline: Encodable {
        let from: String
        let until: String
    }

    private struct Activity: Encodable {
        let adventureID: AdventureID
        let activityID: ActivityID
        let shown: [Shown]
        let showing: Int?
        let shownCount: Int
        let staleAt: String?
        let endedAt: String?
        let dismissedAt: String?
        let tokenChangedAt: String?
        let taps: Int
    }

    private struct Shown: Encodable {
        let sequence: Int
        let at: String
    }

    private let sentAt: String
    private let device: Device
    private let activities: [Activity]

    init(sentAt: Date, receipts: Receipts) {
        let device = receipts.device
        self.sentAt = sentAt.rfc3339
        self.device = Device(
            liveActivitiesEnabled: device.liveActivitiesEnabled,
            liveActivitiesChangedAt: device.liveActivitiesChangedAt?.rfc3339,
            lowPowerMode: device.lowPowerMode,
            budget: device.budget.map { Budget(remaining: $0.remaining, level: $0.level, at: $0.at.rfc3339) },
            offline: device.offline.map { Offline(from: $0.start.rfc3339, until: $0.end.rfc3339) }
        )
        activities = receipts.activities.map { activity in
            Activity(
                adventureID: activity.adventureID,
                activityID: activity.activityID,
                shown: activity.shown.sorted { $0.key < $1.key }.map { Shown(sequence: $0.key, at: $0.value.rfc3339) },
                showing: activity.showing,
                shownCount: activity.shownCount,
                staleAt: activity.staleAt?.rfc3339,
                endedAt: activity.endedAt?.rfc3339,
                dismissedAt: activity.dismissedAt?.rfc3339,
                tokenChangedAt: activity.tokenChangedAt?.rfc3339,
                taps: activity.taps
            )
        }
    }
}

extension Date {
    /// The time in RFC 3339 with milliseconds.
    fileprivate var rfc3339: String {
        Timestamp(microseconds: Int64((timeIntervalSince1970 * 1_000).rounded()) * 1_000).rfc3339
    }
}
