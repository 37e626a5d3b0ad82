import GameCore
import LiveActivityContent

/// What must be true once adventures are over, as functions of what they left behind.
public enum StoryCheck {
    /// Every condition of a journey and a boss fight.
    public static func report(journey: AdventureEvidence, bossFight: AdventureEvidence) -> StoryReport {
        let both = [journey, bossFight]
        return StoryReport(
            phones: PhoneSummary.all(journey: journey, bossFight: bossFight) { lastStateFaults($0, in: $1).isEmpty },
            conditions: [
                lastStates(of: both),
                alerts(of: both),
                quietThings(of: journey),
                frequency(of: bossFight),
                ends(of: both),
                manners(of: both),
            ]
        )
    }

    /// Each phone's last shown state is the adventure's.
    public static func lastStates(of all: [AdventureEvidence]) -> StoryCondition {
        StoryCondition(
            condition: "each phone's last shown state is the adventure's state in PostgreSQL",
            note: nil,
            faults: faults(in: all) { lastStateFaults($0, in: $1) }
        )
    }

    /// Each alert that the rules did not cancel came at priority 10, with its keys and its sound.
    ///
    /// However good the reasons on each phone may be: when heroes stay down, somebody must have been told.
    public static func alerts(of all: [AdventureEvidence]) -> StoryCondition {
        var delivered = 0
        var cancelled = 0
        var faults: [String] = []
        let phones = Dictionary(
            grouping: all.flatMap { evidence in
                evidence.activities.map { ($0.phoneID, $0.id, evidence.pushes(to: $0)) }
            },
            by: \.0
        )
        for evidence in all {
            var heroDowns = (lasting: 0, delivered: 0)
            faults += Self.faults(in: [evidence]) { activity, evidence in
                let others = phones[activity.phoneID, default: []].filter { $0.1 != activity.id }.flatMap(\.2)
                guard let ledger = AlertLedger(of: activity, in: evidence, besides: others) else {
                    return ["its owner has no seat"]
                }
                delivered += ledger.delivered
                cancelled += ledger.cancelled
                heroDowns.lasting += ledger.lastingHeroDowns
                heroDowns.delivered += ledger.deliveredHeroDowns
                return ledger.faults
            }
            if heroDowns.lasting > 0, heroDowns.delivered == 0 {
                faults.append("heroes stayed down, and no phone was alerted of any")
            }
        }
        return StoryCondition(
            condition: "each alert came at priority 10, with its loc-key and sound",
            note: "\(delivered) came, \(cancelled) were cancelled before they could be sent",
            faults: faults
        )
    }

    /// Loot and heals went at priority 5: only an alert, a new token's first state and the end went at 10, and what the
    /// alert would have shown of a hero who was up again before it could be sent.
    public static func quietThings(of journey: AdventureEvidence) -> StoryCondition {
        let quiet = journey.events.count { event in
            switch event.event {
            case .lootFound, .heroHealed: true
            case .adventureStarted, .storyTold, .travelled, .hazardStruck, .restTaken, .encounterMet, .foeStruck,
                .encounterWon, .heroHurt, .heroDown, .heroRevived, .heroLevelledUp, .bossAppeared, .turnStarted,
                .actionTaken, .bossActed, .bossHealed, .bossHindered, .bossEnraged, .bossDefeated, .partyWiped,
                .memberJoined,
                .memberLeft, .policyChosen, .adventureEnded:
                false
            }
        }
        let lows = journey.activities.flatMap(journey.pushes(to:)).count { $0.priority == 5 }
        var faults = faults(in: [journey]) { activity, evidence in
            let pushes = evidence.pushes(to: activity)
            return zip(pushes, pushes.dropFirst()).filter { before, push in
                push.priority != 5 && push.alert == nil && push.kind != .end
                    && !evidence.tellsOfFall(after: before, through: push)
            }.map { _, push in
                "push \(push.number) went at priority \(push.priority ?? 0) without an alert"
            }
        }
        if quiet > 0, lows == 0 { faults.append("nothing at all went at priority 5") }
        return StoryCondition(
            condition: "loot and heals went at priority 5",
            note: "\(quiet) of them on the journey, \(lows) pushes at priority 5",
            faults: faults
        )
    }

    /// Phones with frequent pushes got more pushes than those without.
    public static func frequency(of bossFight: AdventureEvidence) -> StoryCondition {
        func counts(frequentPushesEnabled: Bool) -> [Int] {
            bossFight.activities.filter { $0.role.frequentPushesEnabled == frequentPushesEnabled }
                .map { bossFight.pushes(to: $0).count }
        }
        let frequent = counts(frequentPushesEnabled: true)
        let standard = counts(frequentPushesEnabled: false)
        let isMore = frequent.min() ?? 0 > standard.max() ?? 0
        let note = "with: \(frequent), without: \(standard)"
        return StoryCondition(
            condition: "phones with frequent pushes got more of them in the boss fight than those without",
            note: note,
            faults: isMore ? [] : [note]
        )
    }

    /// Every activity got `end`, once, and nothing after it.
    public static func ends(of all: [AdventureEvidence]) -> StoryCondition {
        StoryCondition(
            condition: "each activity got end, once, as its last push",
            note: nil,
            faults: faults(in: all) { activity, evidence in
                let pushes = evidence.pushes(to: activity)
                let ends = pushes.count { $0.kind == .end }
                if ends != 1 { return ["got \(ends) ends"] }
                if pushes.last?.kind != .end { return ["was pushed after its end"] }
                return evidence.shown[activity.id]?.isEndedByPush == true ? [] : ["does not show the end"]
            }
        )
    }

    /// Nothing was sent that Apple takes and phones suffer from.
    public static func manners(of all: [AdventureEvidence]) -> StoryCondition {
        StoryCondition(
            condition: "the simulator found nothing wrong with any push",
            note: nil,
            faults: all.flatMap(\.violations).map { "\($0.kind): \($0.detail)" }
        )
    }

    private static func faults(
        in all: [AdventureEvidence],
        of judge: (FollowedActivity, AdventureEvidence) -> [String]
    ) -> [String] {
        all.flatMap { evidence in
            evidence.activities.flatMap { activity in
                judge(activity, evidence).map { "\(evidence.name(of: activity)): \($0)" }
            }
        }
    }

    private static func lastStateFaults(_ activity: FollowedActivity, in evidence: AdventureEvidence) -> [String] {
        guard let shown = evidence.shown[activity.id]?.contentState else { return ["shows nothing"] }
        return StateComparison(shown: shown, adventure: evidence.adventure, owner: activity.playerID).faults
    }
}
