import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import PushDispatch

/// Records what devices report about the activities that they show.
///
/// Costs a report one statement for each shard of its activities and one for each adventure to read, and one for each shard
/// to write; a repetition writes nothing.
struct ReceiptRecorder: Sendable {
    /// How often a report is tried that others about the same activity overtake.
    private static let maxAttempts = 8
    /// The reason for which an entry about an unknown activity is ignored.
    static let unknownActivity = "unknownActivity"
    /// The reason for which an entry about an adventure that cannot be played is ignored.
    static let unreadableAdventure = "unreadableAdventure"

    let store: GameStore
    let metrics: ReceiptMetrics

    /// The effect of a report, the same for a repetition.
    struct Summary: Encodable {
        /// The number of entries that were used.
        fileprivate(set) var accepted = 0
        /// The number of values that were not used, by reason; an entry about an unknown activity is one value.
        fileprivate(set) var ignored: [String: Int] = [:]
    }

    private struct Key: Hashable {
        let adventureID: AdventureID
        let activityID: ActivityID

        init(_ activity: ReportedActivity) {
            (adventureID, activityID) = (activity.adventureID, activity.activityID)
        }

        init(_ entry: ActivityReport) {
            (adventureID, activityID) = (entry.adventureID, entry.activityID)
        }
    }

    /// The effect of a report's entries about one activity.
    private struct Effect {
        var activity: ReportedActivity
        var isChanged = false
        var shown: [ShownState] = []
        var ignored: [String: Int] = [:]
        var entries = 0
        /// The pushes that the report decides.
        var judged: [JudgedPush] = []
    }

    /// Merges a report into what is stored.
    /// - Parameters:
    ///   - report: the report.
    ///   - deviceID: the device.
    ///   - playerID: its player.
    ///   - now: the present.
    /// - Returns: the effect.
    /// - Throws: ``CommandError/unknownDevice``; ``StoreError/shardBusy(_:)`` if other reports about the same activities
    ///   always come first; other errors of the store.
    func record(
        _ report: ReceiptReport,
        from deviceID: DeviceID,
        of playerID: PlayerID,
        at now: Timestamp
    ) async throws -> Summary {
        var summary = Summary()
        var pending = Dictionary(grouping: report.activities, by: Key.init)
        let ids = report.activities.map { ($0.adventureID, $0.activityID) }
        let known = try await store.reportedActivities(ids, of: playerID, on: deviceID)
        if known.isEmpty, try await store.device(deviceID, of: playerID) == nil { throw CommandError.unknownDevice }
        try await merge(report, into: known, &pending, &summary, at: now)
        for _ in 1..<Self.maxAttempts where !pending.isEmpty {
            // Another report about these activities was written meanwhile.
            let ids = pending.keys.map { ($0.adventureID, $0.activityID) }
            let known = try await store.reportedActivities(ids, of: playerID, on: deviceID)
            try await merge(report, into: known, &pending, &summary, at: now)
        }
        if let shard = pending.keys.first?.adventureID.shard { throw StoreError.shardBusy(shard) }
        return summary
    }

    /// Merges the pending entries of a report, and writes what has changed.
    ///
    /// Afterwards, those are pending that another report has overtaken.
    private func merge(
        _ report: ReceiptReport,
        into known: [ReportedActivity],
        _ pending: inout [Key: [ActivityReport]],
        _ summary: inout Summary,
        at now: Timestamp
    ) async throws {
        let unknown = Set(pending.keys).subtracting(known.map(Key.init))
        for key in unknown {
            let entries = pending.removeValue(forKey: key)?.count ?? 0
            summary.ignored[Self.unknownActivity, default: 0] += entries
            metrics.ignored(entries, because: Self.unknownActivity)
        }
        var effects: [Key: Effect] = [:]
        var sequences: [AdventureID: Int] = [:]
        for activity in known {
            guard let entries = pending[Key(activity)] else { continue }
            var newest = sequences[activity.adventureID]
            if newest == nil { newest = try await newestSequence(of: activity.adventureID) }
            sequences[activity.adventureID] = newest
            effects[Key(activity)] = effect(of: entries, of: report, on: activity, upTo: newest, at: now)
        }
        let written = try await store.write(effects.values.filter(\.isChanged).map(\.activity))
        let done = written.map(Key.init) + effects.filter { !$0.value.isChanged }.keys
        for key in done {
            guard let effect = effects[key], pending.removeValue(forKey: key) != nil else { continue }
            summary.accepted += effect.entries
            summary.ignored.merge(effect.ignored, uniquingKeysWith: +)
            metrics.shown(effect.shown.count)
            for push in effect.judged { metrics.judged(push) }
            for (reason, count) in effect.ignored { metrics.ignored(count, because: reason) }
        }
    }

    /// Returns the newest sequence of an adventure; nil if this node cannot play it.
    private func newestSequence(of id: AdventureID) async throws -> Int? {
        do {
            return try await store.adventure(id)?.adventure.sequence ?? 0
        } catch StoreError.undecodable {
            return nil
        }
    }

    private func effect(
        of entries: [ActivityReport],
        of report: ReceiptReport,
        on activity: ReportedActivity,
        upTo newestSequence: Int?,
        at now: Timestamp
    ) -> Effect {
        var effect = Effect(activity: activity)
        guard let newestSequence else {
            effect.ignored[Self.unreadableAdventure] = entries.count
            return effect
        }
        for entry in entries {
            let outcome = ActivityReceipts.merge(
                into: &effect.activity.receipts,
                report,
                of: entry,
                receivedAt: now,
                newestSequence: newestSequence
            )
            effect.entries += 1
            effect.isChanged = effect.isChanged || outcome.isChanged
            effect.shown += outcome.shown
            for (reason, count) in outcome.refused { effect.ignored[reason.rawValue, default: 0] += count }
        }
        if effect.isChanged { judge(&effect, at: now) }
        return effect
    }

    /// Judges the pushes after those that earlier reports have decided, up to the first one that is still open.
    private func judge(_ effect: inout Effect, at now: Timestamp) {
        let records = DecisionLog(encoded: effect.activity.decisions).records
        let pushes = PushVerdict.judge(records, with: VerdictEvidence(effect.activity), at: now)
        effect.judged = Array(
            pushes.drop { $0.push.acceptedAt <= effect.activity.judgedThrough }.prefix { !$0.verdict.isPending }
        )
        if let last = effect.judged.last { effect.activity.judgedThrough = last.push.acceptedAt }
    }
}
