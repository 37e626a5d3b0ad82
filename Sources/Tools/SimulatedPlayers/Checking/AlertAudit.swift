import Encodings
import GameCore
import LiveActivityContent
import PushCadence
import PushRules
import RangersClient

/// Compares the alerts that one phone should have received with those that arrived.
///
/// An alert may be missing only if the rules cancelled it (the hero was revived, the adventure ended) or it expired
/// before the cadence allowed a push. That is computed from the times of the actual pushes and the phone's budget. An
/// alert that APNs accepted counts only if the phone showed it.
struct AlertAudit {
    /// The time after a registration in which an event may still precede it in the log, on an idle machine.
    ///
    /// If the first push contains such an event, its alert is not expected. Only the log has the order of registration
    /// and event, and players do not see the log.
    private static let registrationRace = Duration.seconds(1)

    /// An alert that an event requires.
    private struct ExpectedAlert {
        let event: StoryEvent
        let alert: PushAlert
        var push: LoggedPush?

        var kind: AlertKind { alert.kind }
        var content: LiveActivityPayload.Alert { alert.content }
    }

    /// The number of alerts that the phone showed, sent at priority 10.
    private(set) var shown = 0
    /// The number of missing alerts that later events cancelled.
    private(set) var cancelled = 0
    /// The faults found.
    private(set) var faults: [String] = []

    private let activity: TrackedActivity
    private let seat: Seat
    private let events: [StoryEvent]
    private let pushes: [LoggedPush]
    /// The pushes to the phone's other activities, which spend the same budget.
    private let otherPushes: [LoggedPush]
    /// The budgets of all phones before ``pushes`` and ``otherPushes``.
    private let budgets: PhoneBudgets
    /// The tolerated delay of a push.
    private let slack: Duration
    private let registrationRace: Duration
    /// An adventure that provides the heroes' names to the rules; the rest of its state is not used.
    private let nameSource: Adventure
    /// The names of the players, which alerts have where two heroes are the same.
    private let playerNames: [PlayerID: String]

    init?(
        of activity: TrackedActivity,
        in evidence: AdventureEvidence,
        besides otherPushes: [LoggedPush],
        after budgets: PhoneBudgets
    ) {
        guard let seat = evidence.adventure.hero(of: activity.playerID)?.seat else { return nil }
        self.activity = activity
        self.seat = seat
        events = evidence.events
        pushes = evidence.pushes(to: activity)
        self.otherPushes = otherPushes
        self.budgets = budgets
        slack = evidence.toleratedDelay
        registrationRace = Self.registrationRace + evidence.maxLag
        let heroes = evidence.adventure.heroes.map { hero in
            Hero(playerID: hero.playerID, id: hero.hero.id, level: hero.hero.level, potions: hero.potions)
        }
        playerNames = Dictionary(evidence.activities.map { ($0.playerID, $0.role.displayName) }) { $1 }
        nameSource = .journey(in: RegionCatalogue.all[0].id, heroes: heroes, seed: 0)
        auditAll()
    }

    private mutating func auditAll() {
        var expected = events.compactMap { event in
            rule(for: event).alert.map { ExpectedAlert(event: event, alert: $0) }
        }
        for push in pushes {
            guard let alert = push.alert else { continue }
            // A hero can go down twice; a push reports the latest fall before its state.
            let candidates = expected.indices.filter {
                expected[$0].push == nil && expected[$0].event.sequence <= push.sequence ?? 0
            }
            if let match = candidates.last(where: { expected[$0].content == alert }) {
                expected[match].push = push
            } else if let matches = combined(candidates, of: expected, saying: alert) {
                for match in matches { expected[match].push = push }
            } else {
                faults.append("got the alert \"\(alert.title.english)\" without an event")
            }
        }
        for (index, alert) in expected.enumerated() {
            let before =
                expected.prefix(index) + expected.suffix(from: index).filter { $0.kind.weight > alert.kind.weight }
            audit(alert, after: Set(before.compactMap(\.push?.number)))
        }
    }

    /// Returns the indices of the falls that one alert reports together, the latest fall of each of several companions;
    /// nil if the alert reports no such falls.
    private func combined(
        _ candidates: [Int],
        of expected: [ExpectedAlert],
        saying content: LiveActivityPayload.Alert
    ) -> [Int]? {
        var last: [AlertKind: Int] = [:]
        for index in candidates where expected[index].kind.weight == .companion { last[expected[index].kind] = index }
        let fallen = last.values.sorted()
        // Two to seven companions: at most 128 subsets.
        return (0..<(1 << fallen.count)).lazy
            .map { choice in fallen.indices.filter { choice & (1 << $0) != 0 }.map { fallen[$0] } }
            .first { $0.count > 1 && PushAlert(combining: $0.map { expected[$0].alert }).content == content }
    }

    /// Audits an alert; `olderAlerts` are the numbers of pushes with earlier or more important alerts.
    private mutating func audit(_ alert: ExpectedAlert, after olderAlerts: Set<Int>) {
        if let push = alert.push {
            if push.priority != 10 {
                faults.append("\(description(of: alert)) arrived at priority \(push.priority ?? 0)")
            } else if !push.isShown {
                faults.append("\(description(of: alert)) was not shown: \(push.reaction ?? "no reaction")")
            } else {
                shown += 1
            }
        } else if isExpected(alert.event) {
            if couldNotBeSent(alert, after: olderAlerts) {
                cancelled += 1
            } else {
                faults.append("\(description(of: alert)) never arrived")
            }
        }
    }

    private func description(of alert: ExpectedAlert) -> String {
        "the alert \"\(alert.content.title.english)\" (event \(alert.event.sequence))"
    }

    private func rule(for event: StoryEvent) -> PushRule {
        PushRules.rule(for: event.event, after: nameSource, receiver: seat, playerNames: playerNames)
    }

    private func isExpected(_ event: StoryEvent) -> Bool {
        event.sequence > pushes.first?.sequence ?? 0 || event.at > activity.registeredAt + registrationRace
    }

    /// Whether the cadence could not send the alert before it expired or the rules cancelled it; false for an alert
    /// that the rules never cancelled.
    ///
    /// Replays the pushes until then. An alert yields to older alerts, to pushes that were decided before it was known,
    /// and to a spent budget. Any other push at a time when the alert could have been sent proves that it was
    /// forgotten.
    private func couldNotBeSent(_ alert: ExpectedAlert, after olderAlerts: Set<Int>) -> Bool {
        guard let cancelledAt = cancellationTime(of: alert) else { return false }
        // Routine alerts and warnings leave the reserve to others, so a cancelled one proves nothing.
        if alert.kind.weight < .companion { return true }
        let deadline = min(cancelledAt, alert.event.at + budgets.policy.alertExpiry)
        let timeline = (pushes + otherPushes).filter { $0.time < deadline }.sorted { $0.time < $1.time }
        var budget = budgets.budget(of: activity, for: alert.kind.weight)
        var earliestSend = alert.event.at
        for push in timeline {
            let isOwn = push.activityID == activity.id
            let wasDecidedBefore = isOwn && push.sequence ?? 0 < alert.event.sequence
            if olderAlerts.contains(push.number) || wasDecidedBefore
                || push.time <= max(alert.event.at + slack, budget.availableAt)
            {
                if isOwn { earliestSend = max(earliestSend, push.time + CadencePolicy.minimumSpacing) }
            } else if isOwn, max(earliestSend, budget.availableAt) + slack < push.time {
                return false
            }
            if push.priority == 10 { budget.spend(at: push.time) }
        }
        return max(earliestSend, budget.availableAt) + slack >= deadline
    }

    /// Returns the time at which the rules cancelled the alert; nil if they did not.
    private func cancellationTime(of alert: ExpectedAlert) -> Timestamp? {
        events.first { event in
            guard event.sequence > alert.event.sequence else { return false }
            let rule = rule(for: event)
            return rule.cancels.contains(alert.kind) || (rule.endsActivity && !alert.kind.announcesOutcome)
        }?.at
    }
}
