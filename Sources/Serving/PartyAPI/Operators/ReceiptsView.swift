import Encodings
import GameLog

/// What a device has reported about an activity, with the times of the server's clock.
struct ReceiptsView: Encodable {
    struct Shown: Encodable {
        let sequence: Int
        let at: String
    }

    struct Budget: Encodable {
        let remaining: Int
        let level: String
        let at: String
    }

    struct Offline: Encodable {
        let from: String
        let until: String
    }

    /// When the device wrote its newest report.
    let reportedAt: String
    /// The shortest time from the writing of a report to its arrival, in seconds: how far the device's clock is behind.
    let clockOffsetSeconds: Double
    /// The newest shown states, by sequence.
    let shown: [Shown]
    /// The sequence of the state that the device showed when it wrote the report.
    let showing: Int?
    let shownCount: Int
    let taps: Int
    let liveActivitiesEnabled: Bool
    let lowPowerMode: Bool
    let staleAt: String?
    let endedAt: String?
    let dismissedAt: String?
    let tokenChangedAt: String?
    let budget: Budget?
    let offline: Offline?

    init(_ receipts: ActivityReceipts) {
        func text(_ moment: Timestamp) -> String { receipts.serverTime(moment).rfc3339 }
        reportedAt = text(receipts.reportedAt)
        clockOffsetSeconds = Double(receipts.clockOffset.wholeMicroseconds / 1_000) / 1_000
        shown = receipts.shown.map { Shown(sequence: $0.sequence, at: text($0.at)) }
        showing = receipts.showing
        shownCount = receipts.shownCount
        taps = receipts.taps
        liveActivitiesEnabled = receipts.liveActivitiesEnabled
        lowPowerMode = receipts.lowPowerMode
        staleAt = receipts.staleAt.map(text)
        endedAt = receipts.endedAt.map(text)
        dismissedAt = receipts.dismissedAt.map(text)
        tokenChangedAt = receipts.tokenChangedAt.map(text)
        budget = receipts.budget.map { Budget(remaining: $0.remaining, level: $0.level, at: text($0.at)) }
        offline = receipts.offline.map { Offline(from: text($0.from), until: text($0.until)) }
    }
}
