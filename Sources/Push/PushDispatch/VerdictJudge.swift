import Encodings
import GameLog
import PushCadence
import PushRules

/// Judges the accepted pushes of one activity.
///
/// All times are converted to the server's clock first. A push is not shown for certain only if a report shows an older
/// state after it. Causes that ended the activity before the push are certain; each other cause needs evidence of its own, and two with
/// evidence are a doubt.
struct VerdictJudge {
    /// The difference between two clocks, or between a change and its notice by the app, that is ignored.
    static let tolerance = Duration.seconds(5)
    /// The time at the edges of a time without a network in which either may be true, with the tolerance.
    static let edge = Duration.seconds(10)
    /// The time within which a device in contact shows a push at priority 10: iOS draws at most one in 5 to 15 seconds.
    static let highPatience = Duration.seconds(30)
    /// The time within which a device that does not save power shows a push at priority 5.
    static let lowPatience = Duration.seconds(900)
    /// The time by which a device usually defers a push at priority 5.
    static let deferral = Duration.seconds(180)
    /// The time after which a report is no longer expected soon.
    static let reportPatience = Duration.seconds(1_800)
    /// The time after a push within which a report proves that the device was in contact while the push was valid.
    static let contactWindow = Duration.seconds(600)
    /// How far a device's clock is ahead if it may take a push for out of date (practitioners report 50 to 200 seconds).
    static let clockAhead = Duration.seconds(60)
    /// The time after the start of an activity within which its first token is issued.
    private static let firstTokenPatience = Duration.seconds(60)
    /// The time by which a report may be late.
    private static let maxLateness = Duration.seconds(150)
    /// The number of reports of which one arrives soon enough to show how the clocks differ.
    private static let enoughReports = 4
    /// The refill of a budget per minute that no device is known to reach.
    private static let fastestRefill = 10.0

    let pushes: [AcceptedPush]
    /// When pushes were sent, also those that were not accepted.
    private let sentAt: [Timestamp]
    let evidence: VerdictEvidence
    let now: Timestamp
    /// The observations of the newest reports, in the server's time.
    private var reports: [(at: Timestamp, observation: ActivityReceipts.Observation)] = []
    /// The largest sequence that the device is known to have shown.
    private(set) var newestSequence: Int?
    /// The pushes with a newer state than that.
    private var unshown: [(push: AcceptedPush, facts: SentPush)] = []
    /// The last push that failed while the device was in contact, without evidence of any cause; nil without two such
    /// pushes.
    private(set) var lastUnexplained: Timestamp?

    init(_ records: [DecisionRecord], _ evidence: VerdictEvidence, at now: Timestamp) {
        pushes = AcceptedPush.all(in: records)
        sentAt = records.compactMap { if case .sent = $0.action { $0.at } else { nil } }
        self.evidence = evidence
        self.now = now
        guard let receipts else { return }
        let lateness = isClockKnown ? Duration.zero : Self.maxLateness
        reports = receipts.observations.map { (receipts.serverTime($0.at) - lateness, $0) }
        newestSequence = (receipts.observations.compactMap(\.showing) + receipts.shown.suffix(1).map(\.sequence)).max()
        let newest = newestSequence
        unshown = pushes.compactMap { push in
            push.facts.flatMap { $0.sequence > newest ?? -1 ? (push, $0) : nil }
        }
        let unexplained = unshown.filter { isUnexplained($0.push, $0.facts) }
        if unexplained.count > 1 { lastUnexplained = unexplained.last?.push.acceptedAt }
    }

    var receipts: ActivityReceipts? { evidence.receipts }

    /// Returns the verdict about one of the pushes.
    func verdict(of push: AcceptedPush) -> PushVerdict {
        guard let facts = push.facts else { return .cannotTell(.oldRecord) }
        if let verdict = shownVerdict(of: push, facts) { return verdict }
        if let cause = certainEnd(of: push) { return .notShown(cause) }
        guard let hadNewerToken = hadNewerToken(push, facts) else { return .cannotTell(.severalCauses) }
        if hadNewerToken { return .notShown(.staleToken) }
        guard let receipts, let reportedAt = reports.last?.at else {
            return now - push.acceptedAt < Self.reportPatience ? .unknownYet : .cannotTell(.noReport)
        }
        guard reportedAt >= push.acceptedAt + Self.highPatience else { return undecided(since: push.acceptedAt) }
        var causes = likelyEnd(of: push).map { [$0] } ?? []
        guard let wasAway = wasAway(push, facts) else { return .cannotTell(.severalCauses) }
        if wasAway { causes.append(.phoneAway) }
        if isClockAhead, push.isUpdate, reportedAt >= push.acceptedAt + min(push.patience, Self.deferral) {
            causes.append(.clockAhead)
        }
        if isBudgetSpent(push) { causes.append(.budget) }
        guard let isDeferred = isDeferred(push) else { return .cannotTell(.severalCauses) }
        if isDeferred {
            causes.append(.lowPower)
            // What saving power does not defer was not shown either.
            if lastUnexplained != nil { causes.append(.decode) }
        }
        if causes.count > 1 { return .cannotTell(.severalCauses) }
        if let cause = causes.first { return .notShown(cause) }
        let isPart = lastUnexplained.map { push.acceptedAt <= $0 || receipts.showing != nil } ?? false
        let patience = isPart ? min(push.patience, Self.deferral) : push.patience
        if reportedAt < push.acceptedAt + patience || isReconnecting(push) { return undecided(since: reportedAt) }
        if isPart { return .notShown(.decode) }
        return receipts.showing == nil ? .cannotTell(.notObserved) : .cannotTell(.noEvidence)
    }

    private func undecided(since moment: Timestamp) -> PushVerdict {
        now - moment < Self.reportPatience ? .unknownYet : .cannotTell(.noReportSince)
    }

    // MARK: - Shown

    private func shownVerdict(of push: AcceptedPush, _ facts: SentPush) -> PushVerdict? {
        guard let receipts else { return nil }
        if !push.isUpdate, let endedAt = receipts.endedAt.map(receipts.serverTime),
            endedAt >= push.acceptedAt - Self.tolerance, endedAt < maxAgeAt - Self.tolerance
        {
            return .shown(after: max(.zero, endedAt - push.acceptedAt))
        }
        guard let newestSequence, newestSequence >= facts.sequence else { return nil }
        let next = receipts.shown.first { $0.sequence >= facts.sequence }
        let shownAt = next.map { receipts.serverTime($0.at) }
        let delay = shownAt.map { max(.zero, $0 - push.acceptedAt) }
        if let next, next.sequence > facts.sequence { return .superseded(by: next.sequence, after: delay) }
        if next == nil, newestSequence > facts.sequence { return .superseded(by: newestSequence, after: nil) }
        if let shownAt, shownAt < push.acceptedAt - Self.tolerance { return .alreadyShown }
        return .shown(after: delay)
    }

    // MARK: - The end of the activity

    /// When the system ends the activity because of its age.
    var maxAgeAt: Timestamp { evidence.startedAt + CadencePolicy.maxLifetime }

    /// When Live Activities were switched off, as the app saw it; nil if they are on.
    var switchedOffAt: Timestamp? {
        if let receipts, !receipts.liveActivitiesEnabled {
            return receipts.serverTime(receipts.liveActivitiesChangedAt ?? receipts.reportedAt)
        }
        guard let known = evidence.liveActivities, !known.areEnabled else { return nil }
        // A report is newer than the registration.
        if let receipts, receipts.serverTime(receipts.reportedAt) > known.since { return nil }
        return known.since
    }

    /// The causes that end an activity, each with its time as the app noticed it; a later one explains less.
    private var ends: [(at: Timestamp, cause: PushVerdict.Cause)] {
        var ends: [(Timestamp, PushVerdict.Cause)] = []
        if let switchedOffAt { ends.append((switchedOffAt, .liveActivitiesOff)) }
        if let receipts {
            if let moment = receipts.dismissedAt { ends.append((receipts.serverTime(moment), .dismissed)) }
            if let moment = receipts.endedAt.map(receipts.serverTime) {
                // The app may notice the end at the maximum age later.
                if moment < maxAgeAt - Self.tolerance { ends.append((moment, .ended)) }
            }
        }
        ends.append((maxAgeAt, .tooOld))
        return ends
    }

    /// Returns the first cause in order of ``ends`` of those that are the earliest within the tolerance.
    private func earliest(of ends: [(at: Timestamp, cause: PushVerdict.Cause)]) -> PushVerdict.Cause? {
        guard let first = ends.map(\.at).min() else { return nil }
        return ends.first { $0.at <= first + Self.tolerance }?.cause
    }

    /// Returns the cause that had ended the activity before APNs accepted the push.
    private func certainEnd(of push: AcceptedPush) -> PushVerdict.Cause? {
        earliest(of: ends.filter { $0.at <= push.acceptedAt })
    }

    /// Whether the device had a newer token when APNs accepted the push; nil if that is unclear.
    private func hadNewerToken(_ push: AcceptedPush, _ facts: SentPush) -> Bool? {
        guard let receipts else { return false }
        let hasSuccessor = facts.generation < evidence.generation
        guard let issuedAt = receipts.tokenChangedAt.map(receipts.serverTime) else { return hasSuccessor ? nil : false }
        guard issuedAt <= push.acceptedAt + Self.tolerance else { return false }
        let isReplaced = hasSuccessor && evidence.tokenRegisteredAt >= issuedAt
        // The newest token that the server has was registered before the device got its newest one.
        let isUnknown =
            facts.generation == evidence.generation && issuedAt > evidence.tokenRegisteredAt + Self.tolerance
        guard isReplaced || isUnknown else { return false }
        if isReplaced, !isIssueOfNewestToken(issuedAt) { return nil }
        return isClockKnown && issuedAt <= push.acceptedAt - Self.tolerance ? true : nil
    }

    /// Whether the device got the newest token at a time, and not an earlier one: of a token that was issued while the
    /// app did not run, the app does not know when.
    private func isIssueOfNewestToken(_ issuedAt: Timestamp) -> Bool {
        // The first token is issued within seconds of the start.
        if evidence.generation == 2, issuedAt > evidence.startedAt + Self.firstTokenPatience { return true }
        return pushes.contains {
            $0.facts?.generation == evidence.generation - 1 && $0.acceptedAt < issuedAt - Self.tolerance
        }
    }

    /// Returns a cause that ended the activity after the push, if no report shows that the activity went on without it:
    /// the app may have noticed the end late.
    private func likelyEnd(of push: AcceptedPush) -> PushVerdict.Cause? {
        guard let reportedAt = reports.last?.at else { return nil }
        let wentOn = reports.contains { $0.observation.showing != nil && $0.at >= push.acceptedAt + push.patience }
        return wentOn ? nil : earliest(of: ends.filter { $0.at > push.acceptedAt && $0.at <= reportedAt })
    }

    // MARK: - Other causes

    /// Whether the times of the device can be converted: a few reports may all have been late, which looks as if the clock
    /// were behind.
    private var isClockKnown: Bool {
        guard let receipts else { return false }
        return receipts.observations.count >= Self.enoughReports || !receipts.isClockCorrected
    }

    private var isClockAhead: Bool { receipts.map { .zero - $0.clockOffset >= Self.clockAhead } ?? false }

    /// Whether the device had no network when APNs accepted the push, and APNs did not keep the push until it had.
    /// - Returns: nil if that is too close to the beginning or the end of the time without a network.
    private func wasAway(_ push: AcceptedPush, _ facts: SentPush) -> Bool? {
        guard let interval = offline, interval.contains(push.acceptedAt) else { return false }
        if !isClockKnown || push.acceptedAt < interval.lowerBound + Self.edge { return nil }
        let end = interval.upperBound
        if Timestamp(epochSeconds: facts.expiration) <= end - Self.edge { return true }
        // APNs keeps one push for a device that it cannot reach: the newest.
        let next = pushes.first { $0.acceptedAt > push.acceptedAt }
        if let next, next.acceptedAt < end - Self.edge { return true }
        // A try without a response may have reached APNs.
        let isNear = sentAt.contains { $0 > push.record.at && $0 <= end }
        return isNear || Timestamp(epochSeconds: facts.expiration) <= end ? nil : false
    }

    /// Whether the device had no network when APNs accepted the push, and may get it now.
    private func isReconnecting(_ push: AcceptedPush) -> Bool {
        guard let interval = offline, interval.contains(push.acceptedAt), let reportedAt = reports.last?.at else {
            return false
        }
        return reportedAt < interval.upperBound + push.patience
    }

    /// The last time without a network, with the tolerance on both sides.
    private var offline: ClosedRange<Timestamp>? {
        guard let receipts, let interval = receipts.offline else { return nil }
        let from = receipts.serverTime(interval.from) - Self.tolerance
        return from...max(from, receipts.serverTime(interval.until) + Self.tolerance)
    }

    /// The reading of the budget that is the first one after a push, or the last one shortly before it.
    private func budgetReading(for push: AcceptedPush) -> (at: Timestamp, remaining: Int)? {
        let readings = reports.compactMap { report in report.observation.budget.map { (report.at, $0) } }
        let after = readings.first { $0.0 >= push.acceptedAt && $0.0 <= push.acceptedAt + .seconds(3_600) }
        return after ?? readings.last { $0.0 < push.acceptedAt && $0.0 >= push.acceptedAt - Self.contactWindow }
    }

    private func isBudgetSpent(_ push: AcceptedPush) -> Bool {
        push.priority == .high && budgetReading(for: push)?.remaining == 0
    }

    /// Whether a reading shows that the device had budget for the push, even if the budget refills fast.
    private func hadBudget(_ push: AcceptedPush) -> Bool {
        guard push.priority == .high else { return true }
        guard let reading = budgetReading(for: push) else { return false }
        let minutes = Double((reading.at - push.acceptedAt).wholeMicroseconds) / 60_000_000
        return minutes >= 0 && Double(reading.remaining) >= 3 + Self.fastestRefill * minutes
    }

    /// Whether the device saves power, and did so before it would have shown the push otherwise.
    /// - Returns: nil if it saved power for a part of the time since the push.
    private func isDeferred(_ push: AcceptedPush) -> Bool? {
        guard push.priority == .low else { return false }
        let before = reports.last { $0.at <= push.acceptedAt }?.observation.lowPowerMode == true
        let after = reports.filter { $0.at > push.acceptedAt }
        guard before || after.contains(where: \.observation.lowPowerMode) else { return false }
        let isSoon = after.first.map { $0.at <= push.acceptedAt + Self.deferral } ?? false
        return after.allSatisfy(\.observation.lowPowerMode) && (before || isSoon) ? true : nil
    }

    /// Whether a report shows that the device did not show the push although it was in contact while the push was valid.
    private func isProvenFailure(_ push: AcceptedPush) -> Bool {
        let from = push.acceptedAt + push.patience
        return reports.contains { report in
            report.observation.showing != nil && report.at >= from && report.at <= from + Self.contactWindow
        }
    }

    /// Whether the push failed although nothing that the device reports explains it.
    private func isUnexplained(_ push: AcceptedPush, _ facts: SentPush) -> Bool {
        guard isProvenFailure(push), hadBudget(push), certainEnd(of: push) == nil, hadNewerToken(push, facts) == false
        else { return false }
        return wasAway(push, facts) == false && isDeferred(push) == false && !isReconnecting(push) && !isClockAhead
    }
}

extension AcceptedPush {
    /// Whether the push updates the activity; otherwise it ends it.
    var isUpdate: Bool { if case .end = reason { false } else { true } }

    /// The time within which a device in contact shows the push.
    fileprivate var patience: Duration {
        priority == .high ? VerdictJudge.highPatience : VerdictJudge.lowPatience
    }
}
