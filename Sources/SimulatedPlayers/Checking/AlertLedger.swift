import GameCore
import LiveActivityContent
import PushCadence
import PushRules

/// Holds the alerts that one phone was owed against those that it got.
///
/// An alert may be missing for one reason only: the rules cancelled it (the hero was up again, the adventure over)
/// before the cadence, whose budget is taken to be the standard one, allowed a push. Whether it did is worked out from
/// the times of the pushes that were sent.
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
    /// What is wrong.
    private(set) var faults: [String] = []

    private let activity: FollowedActivity
    private let seat: Seat
    private let events: [StoryEvent]
    private let pushes: [PushAnswer]
    private let alertCapacity: Int
    /// Lends its heroes' names to the rules, which is all that they need of it.
    private let stage: Adventure

    init?(of activity: FollowedActivity, in evidence: AdventureEvidence) {
        guard let seat = evidence.adventure.hero(of: activity.playerID)?.seat else { return nil }
        self.activity = activity
        self.seat = seat
        events = evidence.events
        pushes = evidence.pushes(to: activity)
        let pace = CadencePolicy().pace(frequentPushesEnabled: activity.role.frequentPushesEnabled)
        alertCapacity = pace.highCapacity - CadencePolicy.endReserve
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
        for alert in owed { judge(alert) }
    }

    private mutating func judge(_ owed: Owed) {
        if let push = owed.push {
            if push.priority == 10 {
                delivered += 1
            } else {
                faults.append("\(words(for: owed)) came at priority \(push.priority ?? 0)")
            }
        } else if isOwed(owed.event) {
            if couldNotBeSent(owed) {
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

    /// Whether the alert became pointless before the cadence had a moment for it.
    private func couldNotBeSent(_ owed: Owed) -> Bool {
        guard let end = whenPointless(owed) else { return false }
        var free = owed.event.at
        var highs = 0
        for push in pushes where push.time < end {
            if push.priority == 10 { highs += 1 }
            // A push that goes out while the alert waits is another alert's, or was decided on before it was known.
            if push.time <= owed.event.at + Self.slack || push.alert != nil {
                free = max(free, push.time + CadencePolicy.minimumSpacing)
            }
        }
        return free + Self.slack >= end || highs >= alertCapacity
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
