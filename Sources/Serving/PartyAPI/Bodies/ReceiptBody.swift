import Encodings
import GameCore
import GameLog
import HTTPServing

/// The body of `POST …/devices/{deviceID}/receipts`: `{sentAt, device, activities}`.
struct ReceiptBody: RequestFields {
    /// The maximum number of shown states of an activity in a request: more than fit into a body.
    private static let maxStates = 2_048

    let report: ReceiptReport

    init?(_ fields: inout Fields) {
        let sentAt = fields.required("sentAt", .moment)
        let device = fields.object("device", Self.device)
        let activities = fields.objects("activities", atMost: ReceiptReport.maxActivities, Self.activity)
        guard let sentAt, let device, let activities else { return nil }
        report = ReceiptReport(sentAt: sentAt, device: device, activities: activities)
    }

    private static func device(_ fields: inout Fields) -> DeviceConditions? {
        let isEnabled = fields.required("liveActivitiesEnabled", .boolean)
        let changedAt = fields.optional("liveActivitiesChangedAt", .moment)
        let lowPowerMode = fields.optional("lowPowerMode", .boolean)
        let budget = fields.optionalObject("budget", Self.budget)
        let offline = fields.optionalObject("offline", Self.offline)
        guard let isEnabled else { return nil }
        return DeviceConditions(
            liveActivitiesEnabled: isEnabled,
            liveActivitiesChangedAt: changedAt,
            lowPowerMode: lowPowerMode ?? false,
            budget: budget,
            offline: offline
        )
    }

    private static func budget(_ fields: inout Fields) -> BudgetReading? {
        let remaining = fields.required("remaining", .count)
        let level = fields.optional("level", .budgetLevel)
        let moment = fields.required("at", .moment)
        guard let remaining, let moment else { return nil }
        return BudgetReading(remaining: remaining, level: level ?? "", at: moment)
    }

    private static func offline(_ fields: inout Fields) -> OfflineInterval? {
        let from = fields.required("from", .moment)
        let until = fields.required("until", .moment)
        guard let from, let until else { return nil }
        return OfflineInterval(from: from, until: until)
    }

    private static func activity(_ fields: inout Fields) -> ActivityReport? {
        let adventureID: AdventureID? = fields.required("adventureID", .id)
        let activityID: ActivityID? = fields.required("activityID", .id)
        let shown = fields.objects("shown", atMost: maxStates, Self.state)
        let showing = fields.optional("showing", .count)
        let shownCount = fields.optional("shownCount", .count)
        let staleAt = fields.optional("staleAt", .moment)
        let endedAt = fields.optional("endedAt", .moment)
        let dismissedAt = fields.optional("dismissedAt", .moment)
        let tokenChangedAt = fields.optional("tokenChangedAt", .moment)
        let taps = fields.optional("taps", .count)
        guard let adventureID, let activityID, let shown else { return nil }
        return ActivityReport(
            adventureID: adventureID,
            activityID: activityID,
            shown: shown,
            showing: showing,
            shownCount: shownCount,
            staleAt: staleAt,
            endedAt: endedAt,
            dismissedAt: dismissedAt,
            tokenChangedAt: tokenChangedAt,
            taps: taps ?? 0
        )
    }

    private static func state(_ fields: inout Fields) -> ShownState? {
        let sequence = fields.required("sequence", .count)
        let moment = fields.required("at", .moment)
        guard let sequence, let moment else { return nil }
        return ShownState(sequence: sequence, at: moment)
    }
}

extension FieldReader where Value == Timestamp {
    /// A reader of moments by the clock of a device.
    fileprivate static var moment: Self {
        string("a timestamp such as 2026-01-02T03:04:05Z") { Timestamp(rfc3339: $0) }
    }
}

extension FieldReader where Value == Int {
    /// A reader of sequences and counts.
    fileprivate static var count: Self { integer(in: 0...Int(Int32.max)) }
}

extension FieldReader where Value == String {
    /// A reader of the name of a budget's level.
    fileprivate static var budgetLevel: Self {
        string("at most \(BudgetReading.maxLevelBytes) ASCII letters, digits and hyphens") { text in
            guard text.utf8.count <= BudgetReading.maxLevelBytes else { return nil }
            return text.wholeMatch(of: /[A-Za-z0-9-]*/) != nil ? text : nil
        }
    }
}
