import GameCore
import LiveActivityContent
import PushCadence
import PushRules

/// Holds the alerts that one phone was owed against those that it got.
///
/// An alert may be missing for one reason only: the rules cancelled it (the hero was up again, the adventure over), or
/// it grew too old, before the cadence, whose budget is taken to be the standard one, allowed a push. Whether it did is
/// worked out from the times of the pushes that were sent.
struct AlertLedger {
    /// How much later than possible a push may be before that is a fault: polls, transactions and a busy machine.
    private static let slack = Duration.seconds(2)
    /// How long after the registration an event may count as told by the first push.
    ///
    /// Which of the two came first is decided by the log, which players do not see.
    private static let registrationRace = Duration.seconds(1)

    /// An alert that an event calls for.
    private struct Owed {
        let event: StoryEvent
        let kind: AlertKind
        let content: LiveActivityPayload.Alert
        var push: PushAnswer?
    }

    /// How many alerts came, at priority 10.
    private(set) var delivered = 0
    /// How many the rules cancelled before they could be sent.
    private(set) var cancelled = 0
    /// How many of ``delivered`` told of a hero who is down.
    private(set) var deliveredHeroDowns = 0
    /// How many heroes stayed down for longer than an alert with nothing in its way takes, and were to be told of.
    private(set) var lastingHeroDowns = 0
    /// What is wrong.
    private(set) var faults: [String] = []

    private let activity: FollowedActivity
    private let seat: Seat
    private let events: [StoryEvent]
    private let pushes: [PushAnswer]
    private let policy = CadencePolicy()
    private let pace: CadencePolicy.Pace
    /// Lends its heroes' names to the rules, which is all that they need of it.
    private let stage: Adventure

    init?(of activity: FollowedActivity, in evidence: AdventureEvidence) {
        guard let seat = evidence.adventure.hero(of: activity.playerID)?.seat else { return nil }
        self.activity = activity
        self.seat = seat
        events = evidence.events
        pushes = evidence.pushes(to: activity)
        pace = policy.pace(frequentPushesEnabled: activity.role.frequentPushesEnabled)
        let heroes = evidence.adventure.heroes.map { hero in
            Hero(playerID: hero.playerID, id: hero.hero, level: hero.level, potions: hero.potions)
        }
        stage = .journey(in: RegionCatalogue.all[0].id, heroes: heroes, seed: 0)
        settle()
    }

    private mutating func settle() {
        var owed = events.compactMap { event in
            rule(for: event).alert.map { Owed(event: event, kind: $0.kind, content: $0.content) }
        }
        for push in pushes {
            guard let alert = push.alert else { continue }
            // A hero can go down twice; a push tells of the last time before the state that it brings.
            let match = owed.lastIndex { owed in
                owed.push == nil && owed.content == alert && owed.event.sequence <= push.sequence ?? 0
            }
            if let match {
                owed[match].push = push
            } else {
                faults.append("was alerted \"\(alert.title.english)\" for no event")
            }
        }
        var olderAlerts: Set<Int> = []
        for alert in owed {
            judge(alert, after: olderAlerts)
            if let push = alert.push { olderAlerts.insert(push.number) }
        }
    }

    // What was owed before went out with the pushes that have the numbers of `olderAlerts`.
    private mutating func judge(_ owed: Owed, after olderAlerts: Set<Int>) {
        let isHeroDown = owed.kind.isHeroDown
        if isHeroDown, isOwed(owed.event), isLasting(owed) { lastingHeroDowns += 1 }
        if let push = owed.push {
            if push.priority == 10 {
                delivered += 1
                if isHeroDown { deliveredHeroDowns += 1 }
            } else {
                faults.append("\(words(for: owed)) came at priority \(push.priority ?? 0)")
            }
        } else if isOwed(owed.event) {
            if couldNotBeSent(owed, after: olderAlerts) {
                cancelled += 1
            } else {
                faults.append("\(words(for: owed)) never came")
            }
        }
    }

    private func words(for owed: Owed) -> String {
        "the alert \"\(owed.content.title.english)\" (event \(owed.event.sequence))"
    }

    private func rule(for event: StoryEvent) -> PushRule {
        PushRules.rule(for: event.event, after: stage, receiver: seat)
    }

    private func isOwed(_ event: StoryEvent) -> Bool {
        event.sequence > pushes.first?.sequence ?? 0 || event.at > activity.registeredAt + Self.registrationRace
    }

    /// Whether the alert became pointless, or too old, before the cadence had a moment for it.
    ///
    /// Goes through what was sent meanwhile: an alert gives way to older alerts, to what was decided on before it was
    /// known, and while there is no budget for it; any other push that went out although it could have gone itself is
    /// proof that it was forgotten.
    private func couldNotBeSent(_ owed: Owed, after olderAlerts: Set<Int>) -> Bool {
        guard let pointless = whenPointless(owed) else { return false }
        // What is routine gives way to everything, and leaves the others their reserve.
        if owed.kind.isRoutine { return true }
        let deadline = min(pointless, owed.event.at + policy.alertExpiry)
        var budget = AlertBudget(of: pace, fullAt: activity.registeredAt)
        var spaced = owed.event.at
        for push in pushes where push.time < deadline {
            if olderAlerts.contains(push.number) || push.time <= max(owed.event.at + Self.slack, budget.opens) {
                spaced = max(spaced, push.time + CadencePolicy.minimumSpacing)
            } else if max(spaced, budget.opens) + Self.slack < push.time {
                return false
            }
            if push.priority == 10 { budget.spend(at: push.time) }
        }
        return max(spaced, budget.opens) + Self.slack >= deadline
    }

    /// Whether there was time for the alert, had nothing but the spacing of pushes been in its way.
    private func isLasting(_ owed: Owed) -> Bool {
        guard let pointless = whenPointless(owed) else { return true }
        return owed.event.at + CadencePolicy.minimumSpacing + Self.slack < pointless
    }

    /// When the rules cancelled the alert; nil when they did not.
    private func whenPointless(_ owed: Owed) -> Timestamp? {
        events.first { event in
            guard event.sequence > owed.event.sequence else { return false }
            let rule = rule(for: event)
            return rule.cancels.contains(owed.kind) || (rule.endsActivity && !owed.kind.tellsTheEnd)
        }?.at
    }
}

extension AlertKind {
    fileprivate var isHeroDown: Bool {
        switch self {
        case .heroDown: true
        case .ownTurn, .bossAppeared, .bossDefeated, .partyWiped, .adventureOver: false
        }
    }
}
