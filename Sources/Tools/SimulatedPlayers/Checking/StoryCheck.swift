import Foundation
import GameCore
import LiveActivityContent

/// Conditions that must hold after adventures, as pure functions of their evidence.
public enum StoryCheck {
    /// Checks all conditions of a journey and a boss fight.
    /// - Parameters:
    ///   - journey: the evidence of the journey.
    ///   - bossFight: the evidence of the fight that followed.
    ///   - budgets: the budgets of the phones before the journey; after the call, those after the fight.
    /// - Returns: the report.
    public static func report(
        journey: AdventureEvidence,
        bossFight: AdventureEvidence,
        spending budgets: inout PhoneBudgets
    ) -> StoryReport {
        let both = [journey, bossFight]
        defer { budgets.spend(for: both) }
        return StoryReport(
            phones: PhoneSummary.all(journey: journey, bossFight: bossFight) { lastStateFaults($0, in: $1).isEmpty },
            changedByVisitors: both.flatMap { evidence in
                let judged = Set(evidence.judgedActivities.map(\.id))
                return evidence.activities.filter { !judged.contains($0.id) }.map(evidence.name(of:))
            },
            conditions: [
                lastStates(of: both),
                alerts(of: both, after: budgets),
                lowPriorityEvents(of: journey),
                frequency(of: bossFight),
                ends(of: both),
                violations(of: both),
            ]
        )
    }

    /// Checks that each phone's last state is the adventure's final state.
    public static func lastStates(of all: [AdventureEvidence]) -> StoryCondition {
        StoryCondition(
            condition: "each phone shows the adventure's final state",
            note: nil,
            faults: faults(in: all) { lastStateFaults($0, in: $1) }
        )
    }

    /// Checks that each alert that no later event cancelled was shown, with priority 10, its keys and its sound.
    ///
    /// A cancelled alert may be missing only if the cadence could not send it before. That check does not apply to
    /// routine alerts: any push may delay them. The note has the tolerated delay, which grows on a busy machine.
    public static func alerts(of all: [AdventureEvidence], after budgets: PhoneBudgets) -> StoryCondition {
        var shown = 0
        var cancelled = 0
        let phones = Dictionary(
            grouping: all.flatMap { evidence in
                evidence.activities.map { ($0.phoneID, $0.id, evidence.pushes(to: $0)) }
            },
            by: \.0
        )
        let faults = faults(in: all) { activity, evidence in
            let others = phones[activity.phoneID, default: []].filter { $0.1 != activity.id }.flatMap(\.2)
            guard let audit = AlertAudit(of: activity, in: evidence, besides: others, after: budgets) else {
                return ["its owner has no hero in the adventure"]
            }
            shown += audit.shown
            cancelled += audit.cancelled
            return audit.faults
        }
        let delay = String(format: "%.1f", (all.map(\.toleratedDelay).max() ?? .zero) / .seconds(1))
        return StoryCondition(
            condition: "each alert that no later event cancelled was shown, with priority 10, its loc-key and sound",
            note: "\(shown) shown, \(cancelled) cancelled by later events, \(delay) s of delay tolerated",
            faults: faults
        )
    }

    /// Checks that loot and heals were sent at priority 5.
    ///
    /// On a journey, only two kinds of pushes may have priority 10: alerts and the end.
    public static func lowPriorityEvents(of journey: AdventureEvidence) -> StoryCondition {
        let lowPriorityCount = journey.events.count { event in
            switch event.event {
            case .lootFound, .heroHealed: true
            case .adventureStarted, .storyTold, .travelled, .hazardStruck, .restTaken, .encounterMet, .foeStruck,
                .encounterWon, .heroHurt, .heroDown, .heroRevived, .heroLevelledUp, .bossAppeared, .turnStarted,
                .actionTaken, .bossActed, .bossHealed, .bossHindered, .bossEnraged, .raidProgressed, .bossDefeated,
                .partyWiped, .memberJoined, .memberLeft, .policyChosen, .adventureEnded:
                false
            }
        }
        let lowPriorityPushes = journey.activities.flatMap(journey.pushes(to:)).count { $0.priority == 5 }
        var faults = faults(in: [journey]) { activity, evidence in
            evidence.pushes(to: activity).filter { push in
                push.priority != 5 && push.alert == nil && push.kind != .end
            }.map { push in
                "push \(push.number) had priority \(push.priority ?? 0), but no alert"
            }
        }
        if lowPriorityCount > 0, lowPriorityPushes == 0 { faults.append("no push had priority 5") }
        return StoryCondition(
            condition: "loot and heals are sent at priority 5",
            note: "\(lowPriorityCount) events on the journey, \(lowPriorityPushes) pushes at priority 5",
            faults: faults
        )
    }

    /// Checks that phones with frequent pushes received more pushes than the others.
    public static func frequency(of bossFight: AdventureEvidence) -> StoryCondition {
        func counts(frequentPushesEnabled: Bool) -> [Int] {
            bossFight.judgedActivities.filter { $0.role.frequentPushesEnabled == frequentPushesEnabled }
                .map { bossFight.pushes(to: $0).count }
        }
        let frequent = counts(frequentPushesEnabled: true)
        let standard = counts(frequentPushesEnabled: false)
        let isMore = frequent.min() ?? .max > standard.max() ?? 0
        let note = "with: \(frequent), without: \(standard)"
        return StoryCondition(
            condition: "phones with frequent pushes got more pushes in the boss fight than the others",
            note: note,
            faults: isMore ? [] : [note]
        )
    }

    /// Checks that each activity received `end` exactly once, as its last push.
    public static func ends(of all: [AdventureEvidence]) -> StoryCondition {
        StoryCondition(
            condition: "each activity got end exactly once, as its last push",
            note: nil,
            faults: faults(in: all) { activity, evidence in
                let pushes = evidence.pushes(to: activity)
                let ends = pushes.count { $0.kind == .end }
                if ends != 1 { return ["got end \(ends) times"] }
                if pushes.last?.kind != .end { return ["got a push after its end"] }
                return evidence.shown[activity.id]?.isEndedByPush == true ? [] : ["does not show the end"]
            }
        )
    }

    /// Checks that the simulator found no violations.
    public static func violations(of all: [AdventureEvidence]) -> StoryCondition {
        StoryCondition(
            condition: "the simulator found no violations",
            note: nil,
            faults: all.flatMap(\.violations).map { "\($0.kind): \($0.detail)" }
        )
    }

    private static func faults(
        in all: [AdventureEvidence],
        of check: (TrackedActivity, AdventureEvidence) -> [String]
    ) -> [String] {
        all.flatMap { evidence in
            evidence.judgedActivities.flatMap { activity in
                check(activity, evidence).map { "\(evidence.name(of: activity)): \($0)" }
            }
        }
    }

    static func lastStateFaults(_ activity: TrackedActivity, in evidence: AdventureEvidence) -> [String] {
        guard let shown = evidence.shown[activity.id]?.contentState else { return ["shows nothing"] }
        return StateComparison(shown: shown, adventure: evidence.adventure, owner: activity.playerID).faults
    }
}
