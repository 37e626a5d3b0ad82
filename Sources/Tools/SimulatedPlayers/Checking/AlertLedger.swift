import Encodings
import GameCore
import LiveActivityContent
import PushCadence
import PushRules
import RangersClient

/// Holds the alerts that one phone was owed against those that it got.
///
/// An alert may be missing for one reason only: the rules cancelled it (the hero was up again, the adventure over), or
/// it grew too old, before the cadence allowed a push. Whether it did is worked out from the times of the
/// pushes that were sent and the default budget; where a server's refills sooner, more is forgiven than need be.
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
        let alert: PushAlert
        var push: PushAnswer?

        var kind: AlertKind { alert.kind }
        var content: LiveActivityPayload.Alert { alert.content }
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
    /// What the phone got for its other activities: it comes out of the same budget.
    private let otherPushes: [PushAnswer]
    private let policy = CadencePolicy()
    private let pace: CadencePolicy.Pace
    /// Lends its heroes' names to the rules, which is all that they need of it.
    private let stage: Adventure

    init?(of activity: FollowedActivity, in evidence: AdventureEvidence, besides otherPushes: [PushAnswer]) {
        guard let seat = evidence.adventure.hero(of: activity.playerID)?.seat else { return nil }
        self.activity = activity
        self.seat = seat
        events = evidence.events
        pushes = evidence.pushes(to: activity)
        self.otherPushes = otherPushes
        pace = policy.pace(frequentPushesEnabled: activity.role.frequentPushesEnabled)
        let heroes = evidence.adventure.heroes.map { hero in
            Hero(playerID: hero.playerID, id: hero.hero, level: hero.level, potions: hero.potions)
        }
        stage = .journey(in: RegionCatalogue.all[0].id, heroes: heroes, seed: 0)
        settle()
    }

    private mutating func settle() {
        var owed = events.compactMap { event in
            rule(for: event).alert.map { Owed(event: event, alert: $0) }
        }
        for push in pushes {
            guard let alert = push.alert else { continue }
            // A hero can go down twice; a push tells of the last time before the state that it brings.
            let told = owed.indices.filter { owed[$0].push == nil && owed[$0].event.sequence <= push.sequence ?? 0 }
            if let match = told.last(where: { owed[$0].content == alert }) {
                owed[match].push = push
            } else if let matches = together(told, of: owed, saying: alert) {
                for match in matches { owed[match].push = push }
            } else {
                faults.append("was alerted \"\(alert.title.english)\" for no event")
            }
        }
        for (index, alert) in owed.enumerated() {
            let before = owed.prefix(index) + owed.suffix(from: index).filter { $0.kind.weight > alert.kind.weight }
            judge(alert, after: Set(before.compactMap(\.push?.number)))
        }
    }

    /// The last falls of some companions, of which one alert tells.
    private func together(
        _ candidates: [Int],
        of owed: [Owed],
        saying content: LiveActivityPayload.Alert
    ) -> [Int]? {
        var last: [AlertKind: Int] = [:]
        for index in candidates where owed[index].kind.weight == .companion { last[owed[index].kind] = index }
        let fallen = last.values.sorted()
        // Two to seven companions: at most 128 ways to choose some.
        return (0..<(1 << fallen.count)).lazy
            .map { choice in fallen.indices.filter { choice & (1 << $0) != 0 }.map { fallen[$0] } }
            .first { $0.count > 1 && PushAlert(telling: $0.map { owed[$0].alert }).content == content }
    }

    // What was owed before, or is weightier, went out with the pushes that have the numbers of `olderAlerts`.
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
        if owed.kind.weight == .routine { return true }
        let deadline = min(pointless, owed.event.at + policy.alertExpiry)
        let timeline = (pushes + otherPushes).sorted { $0.time < $1.time }.prefix { $0.time < deadline }
        var budget = AlertBudget(
            of: pace,
            keeping: pace.reserve(for: owed.kind.weight),
            fullAt: min(activity.registeredAt, timeline.first?.time ?? activity.registeredAt)
        )
        var spaced = owed.event.at
        for push in timeline {
            let isOwn = push.activityID == activity.id
            if olderAlerts.contains(push.number) || push.time <= max(owed.event.at + Self.slack, budget.opens) {
                if isOwn { spaced = max(spaced, push.time + CadencePolicy.minimumSpacing) }
            } else if isOwn, max(spaced, budget.opens) + Self.slack < push.time {
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
        case .ownHeroDown, .companionDown: true
        case .ownTurn, .bossAppeared, .bossDefeated, .partyWiped, .adventureOver: false
        }
    }
}
