public import Encodings
public import GameLog
public import PushCadence
public import PushRules

/// What became of a push after APNs accepted it, as far as the receipts of the device tell.
///
/// A 200 from APNs is no proof that the device showed anything. A cause is named only if it has evidence of its own and no
/// other cause has any; otherwise the verdict is ``cannotTell(_:)``.
public enum PushVerdict: Hashable, Sendable {
    /// The device showed its state, so long after APNs accepted it; nil if the device did not say when.
    case shown(after: Duration?)
    /// The device showed its state before, from another push or from the app itself.
    case alreadyShown
    /// The device showed a newer state instead, by its sequence, so long after APNs accepted the push; nothing is lost.
    case superseded(by: Int, after: Duration?)
    /// The device did not show it, for a likely cause.
    case notShown(Cause)
    /// It is too early, or the device has not reported since.
    case unknownYet
    /// What became of it cannot be told from the reports.
    case cannotTell(Doubt)

    /// The likely cause of a push that was accepted and not shown.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        /// The device's budget of pushes at priority 10 was spent.
        case budget
        /// The app cannot decode the state: nothing is shown any more, while the reports go on.
        case decode
        /// The device had a newer token than the one that the push was sent to.
        case staleToken
        /// Live Activities were switched off.
        case liveActivitiesOff
        /// The device had no network until the push expired, or until a later push replaced it at APNs.
        case phoneAway
        /// The person had removed the activity.
        case dismissed
        /// The activity had ended.
        case ended
        /// The activity had reached the age of eight hours, at which the system ends it.
        case tooOld
        /// The device saves power, and defers pushes at priority 5.
        case lowPower
        /// The device's clock is ahead, so that the push looked out of date.
        case clockAhead
    }

    /// The reason why a verdict is impossible.
    public enum Doubt: String, Hashable, Sendable, CaseIterable {
        /// An older release recorded the push, without its sequence.
        case oldRecord
        /// The device has never reported anything about the activity.
        case noReport
        /// The device has not reported anything since the push.
        case noReportSince
        /// The reports do not say which state the device showed.
        case notObserved
        /// The state is not shown, and nothing says why.
        case noEvidence
        /// The state is not shown, and there is evidence of several causes.
        case severalCauses
    }
}

/// A push that APNs has accepted.
public struct AcceptedPush: Hashable, Sendable {
    /// The decision to send it.
    public let record: DecisionRecord
    /// When APNs accepted it.
    public let acceptedAt: Timestamp
    /// Its priority.
    public let priority: PushPriority
    /// The reason for it.
    public let reason: SendReason

    /// The facts about it; nil if an older release recorded it.
    public var facts: SentPush? { record.push }

    /// Returns the accepted pushes of a decision log, in its order.
    public static func all(in records: [DecisionRecord]) -> [Self] {
        RecordedPush.all(in: records).compactMap { push in
            guard case .sent(let priority, let reason, _, _) = push.record.action, let acceptedAt = push.acceptedAt
            else { return nil }
            return Self(record: push.record, acceptedAt: acceptedAt, priority: priority, reason: reason)
        }
    }
}

/// A push of a decision log with its result, which a later record may have.
public struct RecordedPush: Hashable, Sendable {
    /// The decision to send it.
    public let record: DecisionRecord
    /// Its result; nil if none is recorded, such as that of a push in flight.
    public private(set) var result: DecisionRecord.Result?
    /// When APNs accepted it; nil if it has not.
    public private(set) var acceptedAt: Timestamp?

    /// When it was sent; of several tries, which are one decision, the last one, by the `timestamp` of its payload.
    public var sentAt: Timestamp {
        guard case .sent(_, _, let tries, _) = record.action, tries > 1, let push = record.push else {
            return record.at
        }
        // A timestamp may be ahead of the clock by a second.
        let last = max(record.at, Timestamp(epochSeconds: push.timestamp))
        return acceptedAt.map { min(last, $0) } ?? last
    }

    /// Returns the pushes of a decision log, in its order.
    public static func all(in records: [DecisionRecord]) -> [Self] {
        var pushes: [Self] = []
        // At most one push is in flight, so a result without a push belongs to the last push without a result.
        var isInFlight = false
        for record in records {
            switch record.action {
            case .sent(_, _, _, let result):
                let acceptedAt = result == .accepted ? record.push?.acceptedAt ?? record.at : nil
                pushes.append(Self(record: record, result: result, acceptedAt: acceptedAt))
                isInFlight = result == nil
            case .completed(let result):
                if isInFlight {
                    pushes[pushes.count - 1].result = result
                    pushes[pushes.count - 1].acceptedAt = result == .accepted ? record.at : nil
                }
                isInFlight = false
            case .delayed, .idle, .dropped, .departed, .notServed: break
            }
        }
        return pushes
    }
}

/// What the server knows about an activity and its device, besides the decisions.
public struct VerdictEvidence: Sendable {
    /// What the device reported about the activity; nil before the first report.
    public var receipts: ActivityReceipts?
    /// When the activity started on the device.
    public var startedAt: Timestamp
    /// The generation of the newest token.
    public var generation: Int
    /// When the app registered the newest token.
    public var tokenRegisteredAt: Timestamp
    /// Whether Live Activities are on, as the app last registered it, and since when at the latest; nil if unknown.
    public var liveActivities: (areEnabled: Bool, since: Timestamp)?
    /// The app's build; nil if unknown.
    public var appBuild: String?

    /// Creates the evidence about an activity.
    public init(
        receipts: ActivityReceipts?,
        startedAt: Timestamp,
        generation: Int,
        tokenRegisteredAt: Timestamp,
        liveActivities: (areEnabled: Bool, since: Timestamp)? = nil,
        appBuild: String? = nil
    ) {
        self.receipts = receipts
        self.startedAt = startedAt
        self.generation = generation
        self.tokenRegisteredAt = tokenRegisteredAt
        self.liveActivities = liveActivities
        self.appBuild = appBuild
    }
}

/// An accepted push with its verdict.
public struct JudgedPush: Hashable, Sendable {
    /// The push.
    public let push: AcceptedPush
    /// The verdict.
    public let verdict: PushVerdict
    /// The verdict as a clause with its evidence, for operators.
    public let text: String
}

extension PushVerdict {
    /// Judges the accepted pushes of an activity.
    /// - Parameters:
    ///   - records: the decisions about the activity, oldest first.
    ///   - evidence: what else is known about the activity.
    ///   - now: the time.
    /// - Returns: the pushes with their verdicts, oldest first.
    public static func judge(
        _ records: [DecisionRecord],
        with evidence: VerdictEvidence,
        at now: Timestamp
    ) -> [JudgedPush] {
        let judge = VerdictJudge(records, evidence, at: now)
        return judge.pushes.map { push in
            let verdict = judge.verdict(of: push)
            return JudgedPush(push: push, verdict: verdict, text: judge.text(of: verdict, about: push))
        }
    }
}
