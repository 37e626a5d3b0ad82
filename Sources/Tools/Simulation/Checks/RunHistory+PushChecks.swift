import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import LiveActivityContent
import PushCadence
import PushDispatch
import PushRules

extension RunHistory {
    /// The time within which a dispatcher has flushed a response, unless a fault happens: it flushes every second, and
    /// a slow database takes some seconds more.
    private static let flushInterval: Int64 = 10_000_000
    /// The time for which faults may keep an alert from being sent.
    private static let maxAlertDelay = Duration.seconds(60)
    /// The duration of a lease in a run.
    private static let leaseDuration: Int64 = 1_000_000

    /// The activities whose end was pushed before the database lost it.
    ///
    /// Their adventures may go on afterwards; a phone never shows them again.
    private var activitiesWithLostEnds: Set<ActivityReference> {
        guard let moment = failoverTimes.last else { return [] }
        let lost = pushes.filter { push in
            push.isEnd
                && (lossSpans.isEmpty
                    ? push.writtenAt < moment : lossSpans.contains { $0.contains(push.writtenAt) })
        }
        return Set(lost.compactMap(\.activity))
    }

    /// Checks invariant 3: once faults stop, every live activity shows the newest state, and every ended adventure's
    /// activities have received `end` with the final state.
    package func checkShownStates() -> InvariantCheck {
        var check = InvariantCheck(of: 3)
        let lost = activitiesWithLostEnds
        for (reference, activity) in sortedActivities {
            // A released activity need not be up to date, unless it was released because it had received its end.
            guard let adventure = adventures[reference.adventureID], let seat = seat(of: activity, in: adventure),
                activity.entries.releasedAt == nil || activity.shown.hasEnded, !activity.record.isAbandoned
            else { continue }
            if activity.shown.hasEnded, lost.contains(reference) {
                check.excuse(.lostEnd)
                continue
            }
            check.checkedCount += 1
            let isOver = adventure.newest.outcome != nil
            // When a player leaves, the activity ends with the state of that moment.
            guard !adventure.newest.heroes[seat.rawValue].hasLeft else {
                if !activity.shown.hasEnded {
                    check.findings.append("\(reference) has not ended, but its player has left")
                }
                continue
            }
            if activity.shown.hasEnded != isOver {
                check.findings.append(
                    "\(reference) has \(isOver ? "not ended, but its adventure has" : "ended before its adventure")"
                )
            } else if activity.shown.payload.map({ !$0.contains(adventure.contentState(for: seat)) }) ?? true {
                check.findings.append(
                    "\(reference) does not show the newest state, of sequence \(adventure.newest.sequence)"
                )
            }
        }
        checkWidgets(&check)
        return check
    }

    /// Checks invariant 4: every alert that the rules did not cancel reached APNs at least once, and duplicates
    /// occurred only within one checkpoint interval of a crash.
    package func checkAlerts() -> InvariantCheck {
        var check = InvariantCheck(of: 4)
        let lost = activitiesWithLostEnds
        let accepted = Dictionary(
            grouping: pushes.filter { $0.outcome == .accepted && $0.activity != nil },
            by: \.activity
        )
        for (reference, activity) in sortedActivities {
            guard let adventure = adventures[reference.adventureID], let seat = seat(of: activity, in: adventure) else {
                continue
            }
            let pushes = accepted[reference] ?? []
            for alert in requiredAlerts(for: reference, activity, at: seat, in: adventure) {
                check.checkedCount += 1
                let isDelivered = pushes.contains { push in
                    push.writtenAt >= alert.committedAt && push.payload.contains(alert.mark)
                }
                // Nothing follows an end, even one that the database has lost.
                if !isDelivered, activity.shown.hasEnded, lost.contains(reference) {
                    check.excuse(.lostEnd)
                } else if !isDelivered {
                    check.findings.append(
                        "\(reference) did not get the alert for event \(alert.sequence)"
                    )
                }
            }
            var earlierAlerts: [UUID: PushRecord] = [:]
            for push in pushes where push.payload.contains(PushRecord.alertMark) {
                check.checkedCount += 1
                if isMuted(push, on: reference) {
                    check.findings.append("\(reference) got alert \(push.id), which its player has muted")
                }
                if let fault = fault(ofNamesIn: push, to: reference, at: seat, in: adventure) {
                    check.findings.append("\(reference) got alert \(push.id), which \(fault)")
                }
                if let earlier = earlierAlerts[push.id] {
                    if isFlushDue(earlier, before: push) {
                        check.findings.append("\(reference) got alert \(push.id) twice without a fault")
                    } else if isFlushed(earlier, of: reference, at: seat, in: adventure, before: push) {
                        check.findings.append("\(reference) got alert \(push.id) twice, after the first was flushed")
                    } else {
                        check.excuse(.repeatedAlert)
                    }
                }
                earlierAlerts[push.id] = push
            }
        }
        checkOrdinaryAlerts(&check)
        checkMissingOrdinaryAlerts(&check)
        return check
    }

    /// Checks invariant 5: per activity, timestamps strictly grow; no push follows `end`; no push uses a dead token.
    ///
    /// A response that a fault kept the dispatcher from flushing is unknown to the next lease holder, which excuses
    /// repeats with the same identifier.
    package func checkPushes() -> InvariantCheck {
        var check = InvariantCheck(of: 5)
        var newest: [ActivityReference: PushRecord] = [:]
        var ends: [ActivityReference: PushRecord] = [:]
        var deadTokenPushes: [String: [PushRecord]] = [:]
        for push in pushes {
            check.checkedCount += 1
            guard let reference = push.activity else {
                check.findings.append("push \(push.id) went to an unknown token")
                continue
            }
            if let before = newest[reference], push.timestamp <= before.timestamp, !push.isRetransmission(of: before) {
                if isTimestampExcused(push, after: before, to: reference) {
                    check.excuse(.repeatedTimestamp)
                } else {
                    check.findings.append(
                        "\(reference) got timestamp \(push.timestamp) after \(before.timestamp): push \(push.id)"
                    )
                }
            }
            newest[reference] = push
            if let end = ends[reference], end.token == push.token, !isRegistered(reference, after: end, before: push) {
                // A sender that does not know of the end repeats it, after alerts that it does not know to be
                // acknowledged.
                if end.id != push.id, push.isEnd {
                    check.findings.append("\(reference) got its end twice, as \(end.id) and as \(push.id)")
                } else if isFlushDue(end, before: push) {
                    check.findings.append("\(reference) got push \(push.id) after its end")
                } else {
                    check.excuse(push.isEnd ? .repeatedEnd : .updateAfterEnd)
                }
            }
            if !push.isEnd, let startsAt = activities[reference]?.record.startsAt,
                push.timestamp < startsAt.epochSeconds
            {
                check.findings.append("\(reference) got push \(push.id) before its start")
            }
            // A token may get one more push: the first rejection may predate its registration. The same holds after
            // each later registration, such as one by a delayed request.
            let registeredAt = activities[reference]?.entries.registrationTimes.last { $0 <= push.writtenAt } ?? .min
            let rejections = deadTokenPushes[push.token, default: []].filter { $0.writtenAt >= registeredAt }
            if rejections.count(where: { isFlushDue($0, before: push) }) > 1 {
                check.findings.append("\(reference) got push \(push.id) to a token that APNs had reported dead")
            } else if rejections.count > 1 {
                check.excuse(.deadToken)
            }
            if let closedAt = closedTokens[push.token], push.writtenAt > closedAt {
                check.findings.append("\(reference) got push \(push.id) after its token was flushed as dead")
            }
            if push.isEnd, push.outcome == .accepted { ends[reference] = push }
            if push.outcome == .deadToken { deadTokenPushes[push.token, default: []].append(push) }
        }
        checkBudgets(&check)
        checkStarts(&check)
        checkDevicePushes(&check)
        return check
    }

    /// Returns whether an app may have registered the token of an `end` anew before a push, so that the push is the first
    /// with a new generation of the token: the sender of the `end` may not have known that yet.
    private func isRegistered(_ reference: ActivityReference, after end: PushRecord, before push: PushRecord) -> Bool {
        let times = end.writtenAt - Self.flushInterval...push.writtenAt
        let registrations = activities[reference]?.entries.registrationTimes.dropFirst() ?? []
        return registrations.contains(where: times.contains) || failoverTimes.contains(where: times.contains)
    }

    /// Returns whether a timestamp that does not grow is excused.
    ///
    /// That is the case if another node sent the earlier push and had not flushed its timestamp, and if in between the
    /// database's clock was set back, or the database lost the lease of that node; or if the clock was set back before, and
    /// the earlier timestamp was further ahead of it than a lease begins.
    private func isTimestampExcused(
        _ push: PushRecord,
        after before: PushRecord,
        to reference: ActivityReference
    ) -> Bool {
        let span = before.writtenAt...push.writtenAt
        let isAhead = before.timestamp > serverClock(at: before.writtenAt).epochSeconds + 3
        let isClockWrong = serverClockSteps.contains {
            $0.microseconds < 0 && (span.contains($0.at) || isAhead && $0.at < before.writtenAt)
        }
        let isLeaseLost = failoverTimes.contains(where: span.contains) || lossSpans.contains { $0.overlaps(span) }
        // Pushes that a simulator has recorded do not show their node.
        let mayBeOther = push.node.isEmpty || push.node != before.node
        return mayBeOther && (isClockWrong || isLeaseLost)
            && !(flushes[reference] ?? []).contains {
                $0.committedAt < push.writtenAt && $0.lastTimestamp >= before.timestamp
            }
    }

    /// Returns whether the sender of a push must know the outcome of an earlier one: the response arrived, and no fault
    /// kept it from being flushed.
    ///
    /// After a fault the sender may be unable to renew its presence, and lose its leases up to a lease's duration later,
    /// also before the response arrives.
    private func isFlushDue(_ earlier: PushRecord, before push: PushRecord) -> Bool {
        guard let receivedAt = earlier.responseReceivedAt, receivedAt < push.writtenAt else { return false }
        return !hasFault(
            in: earlier.writtenAt - Self.leaseDuration...min(push.writtenAt, receivedAt + Self.flushInterval),
            of: push.activity?.adventureID.shard
        )
    }

    /// Returns whether a dispatcher had flushed an alert as acknowledged or accepted before a push.
    ///
    /// Later senders know this regardless of faults.
    private func isFlushed(
        _ alert: PushRecord,
        of reference: ActivityReference,
        at seat: Seat,
        in adventure: AdventureHistory,
        before push: PushRecord
    ) -> Bool {
        guard let (cause, kind) = cause(of: alert, on: reference, at: seat, in: adventure) else { return false }
        let accepted = AcceptedAlert(kind: kind, moment: cause.at)
        // Alerts pending for a dead token count as acknowledged, and become pending again when the log shows a new
        // token.
        let times = commitTime(of: cause, in: reference.adventureID)..<push.writtenAt
        let hasNewToken = activities[reference]?.entries.registrationTimes.contains { times.contains($0) } ?? false
        guard !hasNewToken else { return false }
        return flushes[reference]?.contains {
            $0.committedAt < push.writtenAt
                && ($0.acknowledgedAt >= cause.at.microseconds
                    || [AcceptedAlert](encoded: $0.acceptedAlerts).contains(accepted))
        } ?? false
    }

    /// Returns the newest event that an alert to an activity may be about, with its kind.
    func cause(
        of alert: PushRecord,
        on reference: ActivityReference,
        at seat: Seat,
        in adventure: AdventureHistory
    ) -> (event: StoredEvent, kind: AlertKind)? {
        func rule(for event: AdventureEvent) -> PushAlert? {
            PushRules.rule(for: event, after: adventure.newest, receiver: seat).alert
        }
        let cause = adventure.events.last { stored in
            guard commitTime(of: stored, in: reference.adventureID) <= alert.writtenAt,
                let rule = rule(for: stored.event)
            else { return false }
            return alert.payload.contains(rule.mark(in: adventure.newest))
        }
        return cause.flatMap { cause in rule(for: cause.event).map { (cause, $0.kind) } }
    }

    /// Returns when the moment of an event was decided, so that the event could be shown.
    func commitTime(of event: StoredEvent, in id: AdventureID) -> Int64 {
        logs[Int16(id.shard.rawValue)]?.commitTime(of: event.at) ?? event.at.microseconds
    }

    /// Returns the time of the server's clock, in a run that was `elapsed` microseconds old.
    func serverClock(at elapsed: Int64) -> Timestamp {
        let steps = serverClockSteps.prefix { $0.at <= elapsed }.reduce(0) { $0 + $1.microseconds }
        return SimulatedWorld.startTime + .microseconds(elapsed + steps)
    }

    private func seat(of activity: ActivityHistory, in adventure: AdventureHistory) -> Seat? {
        adventure.newest.heroes.firstIndex { $0.playerID == activity.record.playerID }.map { Seat(rawValue: $0) }
    }
}

// MARK: - Alerts

extension RunHistory {
    /// An alert that an activity must have received.
    private struct RequiredAlert {
        let sequence: Int
        let committedAt: Int64
        /// The bytes that identify the alert in a payload.
        let mark: [UInt8]
    }

    /// Returns the alerts that an activity must have received: those that the player has not muted, and that no later
    /// event has cancelled.
    private func requiredAlerts(
        for reference: ActivityReference,
        _ activity: ActivityHistory,
        at seat: Seat,
        in adventure: AdventureHistory
    ) -> [RequiredAlert] {
        guard activity.entries.releasedAt == nil, !activity.record.isAbandoned else { return [] }
        var required: [(alert: PushAlert, RequiredAlert)] = []
        for stored in adventure.events where stored.at > activity.entries.registeredAt {
            let rule = PushRules.rule(for: stored.event, after: adventure.newest, receiver: seat)
            required.removeAll { rule.cancels.contains($0.alert.kind) || $0.alert.kind == rule.alert?.kind }
            let committedAt = commitTime(of: stored, in: reference.adventureID)
            if let alert = rule.alert, rings(alert.kind, since: committedAt, on: reference) {
                let requirement = RequiredAlert(
                    sequence: stored.sequence,
                    committedAt: committedAt,
                    mark: alert.mark(in: adventure.newest)
                )
                required.append((alert, requirement))
            }
            if rule.endsActivity {
                // The end of an activity that has not started comes alone. The clock of a shard does not go back with
                // the server's, which tells whether it has, and which may go back before the end is sent.
                let setbacks = serverClockSteps.filter { $0.microseconds < 0 && $0.at > committedAt }
                let moment = setbacks.map { serverClock(at: $0.at) }.reduce(
                    min(stored.at, serverClock(at: committedAt)),
                    min
                )
                let isBeforeStart = activity.record.startsAt.map { moment < $0 } ?? false
                required.removeAll { isBeforeStart || !$0.alert.kind.announcesOutcome }
                break
            }
        }
        // An outage that outlasts an alert, by the database's clock, together with the faults that delay it.
        let expiry = CadencePolicy().alertExpiry - Self.maxAlertDelay
        let jump = serverClockSteps.last { $0.microseconds >= expiry.wholeMicroseconds }?.at ?? .min
        return required.map(\.1).filter { alert in
            // A node that crashes loses the alerts that were pending for a dead token.
            alert.committedAt > jump
                && !activity.record.tokenChanges.dropFirst().contains { change in
                    change.until.map { $0 >= alert.committedAt } ?? true
                }
        }
    }
}

extension PushAlert {
    /// Returns the bytes that identify this alert in a payload: its title, or the hero's name for companions, several
    /// of whom may share an alert.
    func mark(in adventure: Adventure) -> [UInt8] {
        if case .companionDown(let seat) = kind { return Array(adventure.heroes[seat.rawValue].id.name.utf8) }
        return Array(#"loc-key":"\#(content.title.key)""#.utf8)
    }
}

extension RunHistory.AdventureHistory {
    /// Returns the content state that an activity shows at the end.
    fileprivate func contentState(for seat: Seat) -> [UInt8] {
        let headline = events.last { $0.event.isHeadline }?.event ?? .adventureStarted(kind: newest.kind)
        let state = AdventureAttributes.ContentState(of: newest, lastEvent: headline, turnEnds: turnEnds)
        return EncodedContentState(state).bytes(currentHealthLevel: newest.heroes[seat.rawValue].shownHealthLevel)
    }
}
