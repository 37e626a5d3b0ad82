import APNsClient
import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import PushCadence
import PushDispatch
import PushRules

// Ordinary alerts, and pushes to widgets, which belong to devices.

extension RunHistory {
    /// A device that the service has registered.
    struct DeviceHistory {
        var record: MemoryTables.DeviceRecord
        /// The token of its widgets at the end, if APNs accepts it.
        var livingWidgetToken: [UInt8]?
    }

    /// The time after which a dispatcher has noticed a start, an event or a takeover, unless a fault happens.
    private static let noticeTime: Int64 = 15_000_000
    /// The time within which a claim is sent and its outcome stored, unless a fault happens.
    private static let sendingTime: Int64 = 25_000_000
    /// The age of an event at which a dispatcher that takes over still sends its alert.
    private static let retryTime: Int64 = 60_000_000
    /// The time for which alerts count, with a margin for clocks that differ.
    private static let budgetHour: Int64 = 3_540_000_000
    /// The time after a start by push without ordinary alerts, with a margin for the time until it is written.
    private static let startGrace: Int64 = 45_000_000

    private var sortedDevices: [(key: DeviceReference, value: DeviceHistory)] { devices.sorted { $0.key < $1.key } }

    private func hasLostCommits(since moment: Int64) -> Bool { failoverTimes.contains { $0 >= moment } }

    /// Returns the ordinary alert of an event to a player; nil if there is none.
    private func ordinaryAlert(
        of sequence: Int64,
        for playerID: PlayerID,
        in adventure: AdventureHistory
    ) -> (alert: PushAlert, event: StoredEvent)? {
        guard adventure.events.indices.contains(Int(sequence) - 1),
            let seat = adventure.newest.heroes.firstIndex(where: { $0.playerID == playerID })
        else { return nil }
        let event = adventure.events[Int(sequence) - 1]
        // Nothing but the beginning of a fight has its alert at the first event.
        let alert =
            sequence == 1
            ? PushAlert.opening(of: adventure.newest)
            : PushRules.rule(for: event.event, after: adventure.newest, receiver: Seat(rawValue: seat)).alert
        return alert.flatMap { $0.kind.hasFallback ? ($0, event) : nil }
    }

    // MARK: - Ordinary alerts

    /// The earliest moment at which an ordinary alert can have been claimed, before its node stood still.
    private func earliestClaim(of push: PushRecord) -> Int64 {
        push.writtenAt - FallbackRequest.maxAge.wholeMicroseconds
    }

    /// Checks that each ordinary alert was claimed and is sent once, says what happened, rings, and goes to no device
    /// whose activity shows it.
    func checkOrdinaryAlerts(_ check: inout InvariantCheck) {
        var sent = Dictionary(grouping: devicePushes.filter { $0.type == .alert }, by: \.id)
        for (device, history) in sortedDevices {
            for claim in history.record.alertClaims {
                check.checkedCount += 1
                let id = AdventureID(rawValue: claim.adventure)
                let name = "\(id)/\(device.playerID)/\(device.deviceID)/alert/\(claim.sequence)"
                guard let pushes = sent.removeValue(forKey: UUID(named: Array(name.utf8))), let push = pushes.first
                else { continue }
                let alert = "alert \(push.id) for event \(claim.sequence) of \(id)"
                if let last = pushes.dropFirst().last {
                    if failoverTimes.contains(where: (earliestClaim(of: push)...last.writtenAt).contains) {
                        check.excuse(.lostClaim)
                    } else {
                        check.findings.append("\(device) got \(alert) more than once")
                    }
                }
                // What was shown of lost commits may be another event now.
                guard !hasLostCommits(since: earliestClaim(of: push)) else { continue }
                if let fault = fault(of: claim, with: push, on: device, &check) {
                    check.findings.append("\(device) got \(alert), \(fault)")
                }
            }
        }
        for push in sent.values.flatMap({ $0 }) where push.device != nil {
            if hasLostCommits(since: earliestClaim(of: push)) {
                check.excuse(.lostClaim)
            } else {
                check.findings.append("alert \(push.id) was sent without a claim")
            }
        }
    }

    /// Returns what is wrong with an ordinary alert, as a clause; nil if nothing is.
    private func fault(
        of claim: MemoryTables.DeviceRecord.AlertClaim,
        with push: PushRecord,
        on device: DeviceReference,
        _ check: inout InvariantCheck
    ) -> String? {
        let id = AdventureID(rawValue: claim.adventure)
        guard let adventure = adventures[id],
            let (alert, event) = ordinaryAlert(of: claim.sequence, for: device.playerID, in: adventure),
            push.payload.contains(alert.mark(in: adventure.newest))
        else { return "which is not that of the event" }
        guard let preferences = try? AlertPreferences(stored: claim.preferences),
            preferences.rings(alert.kind, at: Timestamp(microseconds: claim.at))
        else { return "which its player has muted" }
        for (reference, activity) in sortedActivities
        where reference.adventureID == id && activity.record.playerID == device.playerID
            && activity.record.deviceID == device.deviceID
        {
            if covers(reference, activity, event, before: claim.committedAt) {
                return "although \(reference) shows the adventure"
            }
            guard hasShown(reference, event, at: claim.committedAt, for: device, in: adventure) else { continue }
            let isClosed =
                activity.record.isAbandoned || activity.entries.releasedAt != nil
                || activity.record.tokenChanges.count > 1
            guard isClosed, hasFault(in: claim.committedAt - Self.retryTime...claim.committedAt, of: id.shard) else {
                return "although \(reference) had shown it"
            }
            check.excuse(.shownAlert)
        }
        return nil
    }

    /// Whether an activity shows an event in any case: it was registered before, and neither its token nor anything else
    /// about it has changed.
    private func covers(
        _ reference: ActivityReference,
        _ activity: ActivityHistory,
        _ event: StoredEvent,
        before moment: Int64
    ) -> Bool {
        let changes = activity.record.tokenChanges
        return failoverTimes.isEmpty && !activity.record.isAbandoned && activity.entries.releasedAt == nil
            && activity.entries.registeredAt < event.at && changes.count == 1
            && (changes[0].until ?? .max) < commitTime(of: event, in: reference.adventureID)
            && !pushes.contains { $0.activity == reference && $0.isEnd && $0.writtenAt < moment }
    }

    /// Whether an activity had shown the alert of an event at a time.
    private func hasShown(
        _ reference: ActivityReference,
        _ event: StoredEvent,
        at moment: Int64,
        for device: DeviceReference,
        in adventure: AdventureHistory
    ) -> Bool {
        guard let seat = adventure.newest.heroes.firstIndex(where: { $0.playerID == device.playerID }) else {
            return false
        }
        return pushes.contains { push in
            push.activity == reference && push.outcome == .accepted && push.arrivedAt ?? .max < moment
                && push.payload.contains(PushRecord.alertMark)
                && cause(of: push, on: reference, at: Seat(rawValue: seat), in: adventure)?.event.sequence
                    == event.sequence
        }
    }

    /// Checks that the devices that show nothing of an adventure get its ordinary alerts, unless a fault happens.
    func checkMissingOrdinaryAlerts(_ check: inout InvariantCheck) {
        let shown = Set(
            activities.map { reference, activity in
                [reference.adventureID.rawValue, activity.record.playerID.rawValue, activity.record.deviceID.rawValue]
            }
        )
        for (device, history) in sortedDevices where history.record.registrations.contains(where: \.hasAlertToken) {
            for (id, adventure) in sortedAdventures {
                guard !shown.contains([id.rawValue, device.playerID.rawValue, device.deviceID.rawValue]),
                    !starts.contains(where: { $0.deviceID == device.deviceID && $0.adventureID == id }),
                    let first = adventure.events.first,
                    adventure.newest.heroes.contains(where: { $0.playerID == device.playerID && !$0.hasLeft })
                else { continue }
                let startedAt = commitTime(of: first, in: id)
                for event in adventure.events.dropFirst() where event.at > first.at {
                    let committedAt = commitTime(of: event, in: id)
                    guard committedAt > startedAt + Self.noticeTime,
                        let (alert, _) = ordinaryAlert(of: Int64(event.sequence), for: device.playerID, in: adventure),
                        isRequired(alert, of: event, committedAt, in: id, since: startedAt, on: device, history.record)
                    else { continue }
                    check.checkedCount += 1
                    if hasFault(in: startedAt - Self.noticeTime...committedAt + Self.noticeTime, of: id.shard) {
                        check.excuse(.lostAlert)
                    } else {
                        check.findings.append(
                            "\(device) did not get the ordinary alert for event \(event.sequence) of \(id)"
                        )
                    }
                }
            }
        }
    }

    /// Returns whether an ordinary alert is missing: it rings, the budget allows it, no later event cancels it, and neither
    /// it nor a later or weightier one of the adventure was claimed within a minute.
    private func isRequired(
        _ alert: PushAlert,
        of event: StoredEvent,
        _ committedAt: Int64,
        in id: AdventureID,
        since startedAt: Int64,
        on device: DeviceReference,
        _ record: MemoryTables.DeviceRecord
    ) -> Bool {
        guard let policy, let adventure = adventures[id], !hasLostCommits(since: startedAt),
            let seat = adventure.newest.heroes.firstIndex(where: { $0.playerID == device.playerID })
        else { return false }
        let (start, end) = (committedAt - Self.noticeTime, committedAt + 60_000_000)
        let known = record.registrations.lastIndex { $0.committedAt <= startedAt }
        guard let known else { return false }
        let registrations = record.registrations[known...].prefix { $0.committedAt <= end }
        let rings = registrations.allSatisfy { registration in
            guard registration.hasAlertToken,
                let preferences = try? AlertPreferences(stored: registration.preferences)
            else { return false }
            return stride(from: start, through: end, by: 15_000_000).allSatisfy {
                preferences.rings(alert.kind, at: serverClock(at: $0))
            }
        }
        // Without an alert token until the app registers the next one.
        guard rings, !record.forgottenAt.contains(where: { !$0.isOfWidgets && $0.committedAt <= end }) else {
            return false
        }
        let isCancelled = adventure.events.dropFirst(event.sequence).contains { later in
            guard commitTime(of: later, in: id) <= committedAt + Self.noticeTime else { return false }
            let rule = PushRules.rule(for: later.event, after: adventure.newest, receiver: Seat(rawValue: seat))
            return rule.cancels.contains(alert.kind) || rule.endsActivity && !alert.kind.announcesOutcome
        }
        guard !isCancelled else { return false }
        let claims = record.alertClaims.filter { $0.committedAt <= end }
        let oldest = serverClock(at: committedAt).microseconds - 3_660_000_000
        let isSpent = claims.count { $0.at > oldest } >= Self.limit(alert.kind.weight, policy)
        let isMet = claims.contains { claim in
            claim.adventure == id.rawValue && claim.committedAt >= committedAt
                && (claim.sequence >= Int64(event.sequence)
                    || (ordinaryAlert(of: claim.sequence, for: device.playerID, in: adventure)?.alert.kind.weight)
                        .map { $0 >= alert.kind.weight } ?? false)
        }
        return !isSpent && !isMet
    }

    // MARK: - Budgets and tokens

    /// The number of ordinary alerts in an hour beyond which none of a weight is sent (docs/pushes.md).
    private static func limit(_ weight: AlertWeight, _ policy: CadencePolicy) -> Int {
        let budget = policy.fallbackHourlyBudget
        return switch weight {
        case .routine, .warning: budget - budget / 2
        case .companion: budget - budget / 3
        case .personal: budget - budget / 6
        case .final: budget
        }
    }

    /// Checks that no push to a device uses a dead or unknown token, and that no device gets more ordinary alerts than its
    /// budget allows, one just after a start by push, or pushes to widgets in too short a time.
    func checkDevicePushes(_ check: inout InvariantCheck) {
        check.checkedCount += devicePushes.count
        for push in devicePushes where push.device == nil {
            check.findings.append("push \(push.id) for \(push.type.rawValue) went to an unknown token")
        }
        for (device, history) in sortedDevices {
            let record = history.record
            let claimsOfForgotten =
                record.alertClaims.count(where: \.isTokenForgotten)
                + record.widgetClaims.count(where: \.isTokenForgotten)
            if claimsOfForgotten > 0 {
                check.findings.append("\(device) got \(claimsOfForgotten) pushes after its token was forgotten")
            }
            checkBudget(of: device, record.alertClaims, &check)
            for (earlier, later) in zip(record.widgetClaims, record.widgetClaims.dropFirst())
            where later.at < earlier.next {
                check.findings.append("\(device) got two pushes to its widgets within \(later.at - earlier.at) µs")
            }
        }
    }

    private func checkBudget(
        of device: DeviceReference,
        _ claims: [MemoryTables.DeviceRecord.AlertClaim],
        _ check: inout InvariantCheck
    ) {
        guard let policy else { return }
        for (index, claim) in claims.enumerated() {
            let id = AdventureID(rawValue: claim.adventure)
            let weight =
                adventures[id].flatMap { ordinaryAlert(of: claim.sequence, for: device.playerID, in: $0) }?
                .alert.kind.weight ?? .final
            let count = claims[...index].count { $0.at > claim.at - Self.budgetHour }
            if count > Self.limit(weight, policy) {
                check.findings.append("\(device) got more ordinary alerts than its budget allows: \(count) in an hour")
            }
            let starts = starts.filter {
                $0.deviceID == device.deviceID && $0.adventureID == id && $0.writtenAt < claim.committedAt
                    && claim.committedAt < $0.writtenAt + Self.startGrace && !hasLostCommits(since: $0.writtenAt)
            }
            for start in starts where !serverClockSteps.contains(where: { $0.at >= start.writtenAt - Self.noticeTime })
            {
                check.findings.append("\(device) got an ordinary alert of \(id) just after a start")
            }
        }
    }

    // MARK: - Widgets

    /// Checks that widgets were reloaded since they last changed, and once for each claim.
    func checkWidgets(_ check: inout InvariantCheck) {
        let sent = Dictionary(grouping: devicePushes.filter { $0.type == .widgets }, by: \.id)
        for (device, history) in sortedDevices {
            guard let change = history.record.widgetMarks.last, let token = history.livingWidgetToken,
                !history.record.forgottenAt.contains(where: { $0.isOfWidgets && $0.committedAt >= change })
            else { continue }
            check.checkedCount += 1
            let claims = history.record.widgetClaims.filter { $0.committedAt >= change }
            let isReloaded = claims.contains { claim in
                let name = "\(device.playerID)/\(device.deviceID)/widgets/\(claim.at)"
                return sent[UUID(named: Array(name.utf8))]?.contains { $0.outcome == .accepted } ?? false
            }
            // An app with a new token loads its widgets itself.
            guard !isReloaded, claims.last.map({ $0.token == token }) ?? true else { continue }
            if let last = claims.last,
                hasFault(in: last.committedAt - Self.noticeTime...last.committedAt + Self.sendingTime, of: nil)
            {
                check.excuse(.lostReload)
            } else {
                check.findings.append("\(device) did not reload its widgets after their change")
            }
        }
    }
}
