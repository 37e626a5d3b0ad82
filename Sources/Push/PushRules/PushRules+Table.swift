import GameCore
import LiveActivityContent

extension PushRules {
    /// A row of the table of rules.
    public struct Row: Hashable, Sendable, Codable {
        /// The name of the event in the log, with its outcome or danger if the rule depends on that; or of an occasion without an
        /// event.
        public let event: String
        /// The phone: `own` for that of the hero concerned, `others` for the others, `all` if the rule is the same.
        public let phone: String
        /// `apns-priority` on phones with frequent pushes.
        public let frequentPriority: Int
        /// `apns-priority` on phones without frequent pushes.
        public let standardPriority: Int
        /// The title of the alert; nil without one.
        public let alert: String?
        /// The file name of the alert's sound; nil without an alert.
        public let sound: String?
        /// The events that cancel the alert while it waits; nil without an alert, or if there are none.
        public let cancelledBy: String?
        /// The time for which the state stays true; nil if the event does not change that.
        public let freshness: String?
        /// The reason for the rule.
        public let reason: String

        fileprivate init(_ event: AdventureEvent, _ phone: String, _ rule: PushRule) {
            self.event = label(of: event)
            self.phone = phone
            frequentPriority = rule.urgency.priority(frequentPushesEnabled: true).rawValue
            standardPriority = rule.urgency.priority(frequentPushesEnabled: false).rawValue
            alert = rule.alert?.content.title.key
            sound = rule.alert?.content.sound
            cancelledBy = rule.alert?.kind.cancellation
            freshness = rule.freshness?.rawValue
            reason = rule.reason
        }

        fileprivate init(_ occasion: String, _ urgency: Urgency, because reason: String) {
            event = occasion
            phone = "all"
            frequentPriority = urgency.priority(frequentPushesEnabled: true).rawValue
            standardPriority = urgency.priority(frequentPushesEnabled: false).rawValue
            (alert, sound, cancelledBy, freshness) = (nil, nil, nil, nil)
            self.reason = reason
        }
    }

    /// The rules of all events, as returned by ``rule(for:after:receiver:)``, and of all pushes without an event.
    ///
    /// No other push has priority 10.
    public static let table: [Row] = eventTable + occasionTable

    private static let eventTable: [Row] = examples.flatMap { event in
        let own = rule(for: event, receiver: concerned, heroName: { _ in "%@" })
        let others = rule(for: event, receiver: bystander, heroName: { _ in "%@" })
        let row = Row(event, "all", own)
        return row == Row(event, "all", others) ? [row] : [Row(event, "own", own), Row(event, "others", others)]
    }

    private static let occasionTable: [Row] = PushOccasion.allCases.flatMap { occasion in
        let row = Row(occasion.rawValue, occasion.urgency, because: occasion.reason)
        guard occasion == .newToken else { return [row] }
        return [row, Row("newToken (turn pending)", .turn, because: "the first push to the token shows the turn")]
    }

    private static let concerned = Seat(rawValue: 0)
    private static let bystander = Seat(rawValue: 1)

    /// An event of each kind, and the end of the adventure with each outcome.
    static let examples: [AdventureEvent] =
        [
            .adventureStarted(kind: .journey),
            .storyTold(beat: "anything"),
            .travelled(location: "anywhere"),
            .lootFound(hero: concerned, item: "anything", rarity: .common),
            .hazardStruck(hazard: "anything"),
            .restTaken(rest: "anything"),
            .encounterMet(foe: "anyone"),
            .foeStruck(foe: "anyone", damage: 1),
            .encounterWon(foe: "anyone"),
            .heroHurt(hero: concerned, amount: 1, cause: .hazard),
            .heroHurt(hero: concerned, amount: 1, cause: .hazard, inDanger: true),
            .heroHealed(hero: concerned, amount: 1, source: .rest),
            .heroDown(hero: concerned),
            .heroRevived(hero: concerned, helper: bystander),
            .heroLevelledUp(hero: concerned, level: 2),
            .bossAppeared(boss: "anyone"),
            .turnStarted(turn: 1, hero: concerned),
            .actionTaken(hero: concerned, action: .attack, damage: 1),
            .bossActed(move: .attack),
            .bossHealed(boss: "anyone", amount: 1),
            .bossHindered(boss: "anyone", by: .interrupted),
            .bossEnraged(boss: "anyone", phase: 2),
            .raidProgressed(health: 1, maximum: 2),
            .bossDefeated(boss: "anyone"),
            .partyWiped,
            .memberJoined(hero: concerned),
            .memberLeft(hero: concerned),
            .policyChosen(hero: concerned, policy: .automatic),
        ] + AdventureOutcome.allCases.map(AdventureEvent.adventureEnded(outcome:))

    private static func label(of event: AdventureEvent) -> String {
        switch event {
        case .adventureEnded(let outcome): "\(event.kind) (\(outcome.rawValue))"
        case .heroHurt(_, _, _, inDanger: true): "\(event.kind) (in danger)"
        default: event.kind
        }
    }
}
