import Encodings
import Foundation
import GameCore
import LiveActivityContent
import PushRules

@testable import RangersClient
@testable import SimulatedPlayers

/// A correct record of a boss fight or journey of two players, for a test to change.
struct SampleAdventure {
    static let mina = player(1)
    static let sora = player(2)
    static let start = Timestamp(epochSeconds: 1_800_000_000)

    /// The events and their times in seconds after ``start``.
    var events: [(after: Double, event: AdventureEvent)]
    /// The accepted pushes by role.
    var pushes: [PlayerRole: [SamplePush]] = [:]
    /// Changes to the states on the phones.
    var stateChanges: [PlayerRole: (inout AdventureAttributes.ContentState) -> Void] = [:]
    var violations: [ViolationResponse] = []
    /// The owners of phones whose activity a visitor of the page has swiped away.
    var swiped: Set<PlayerRole> = []
    var serverWasKilled = false
    var maxLag = Duration.zero
    var kind = AdventureKind.bossFight
    /// Sora's hero.
    var hero: HeroID = "ember"

    /// The players' roles: Mina's phone has frequent pushes, Sora's does not.
    static let roles = [PlayerRole.cast[0], PlayerRole.cast[2]]

    /// A push to a phone.
    struct SamplePush {
        var after: Double
        var priority = 5
        var kind = LoggedPush.Kind.update
        var sequence: Int
        var alert: LiveActivityPayload.Alert?
        var id: String?
        var reaction = "shown"
    }

    var adventure: AdventureResponse {
        AdventureResponse(
            kind: kind,
            tick: 7,
            heroes: [
                .init(
                    seat: 0,
                    playerID: Self.mina,
                    hero: "spouty",
                    heroClass: .healer,
                    health: 55,
                    maximumHealth: 110,
                    potions: 1,
                    readyIn: 0
                ),
                .init(
                    seat: 1,
                    playerID: Self.sora,
                    hero: hero,
                    heroClass: .striker,
                    health: 0,
                    maximumHealth: 90,
                    potions: 0,
                    readyIn: 2
                ),
            ],
            boss: kind == .bossFight ? .init(id: "glitch", health: 0, maximumHealth: 210, phase: 2) : nil,
            sequence: events.count,
            outcome: .bossDefeated
        )
    }

    func evidence() -> AdventureEvidence {
        let activities = zip(Self.roles, [Self.mina, Self.sora]).map { role, player in
            TrackedActivity(
                id: ActivityID(rawValue: UUID()),
                playerID: player,
                phoneID: player.rawValue,
                role: role,
                registeredAt: Self.start,
                lastPushBefore: 0
            )
        }
        return AdventureEvidence(
            activities: activities,
            adventure: adventure,
            events: events.enumerated().map { index, event in
                StoryEvent(sequence: index + 1, at: Self.moment(event.after), event: event.event)
            },
            phones: activities.map { activity in
                PhoneResponse(
                    phoneID: activity.phoneID,
                    activities: [
                        PhoneResponse.Activity(
                            activityID: activity.id,
                            isEndedByPush: pushes[activity.role]?.contains { $0.kind == .end } == true,
                            endedBy: swiped.contains(activity.role) ? "person" : nil,
                            contentState: state(of: activity)
                        )
                    ]
                )
            },
            pushes: activities.flatMap { activity in
                (pushes[activity.role] ?? []).enumerated().map { index, push in
                    LoggedPush(
                        number: index + 1,
                        time: Self.moment(push.after),
                        activityID: activity.id,
                        priority: push.priority,
                        kind: push.kind,
                        apnsID: push.id ?? "\(activity.id) \(index)",
                        isAccepted: true,
                        reaction: push.reaction,
                        sequence: push.sequence,
                        alert: push.alert
                    )
                }
            },
            violations: violations,
            serverWasKilled: serverWasKilled,
            maxLag: maxLag
        )
    }

    private func state(of activity: TrackedActivity) -> AdventureAttributes.ContentState {
        let adventure = adventure
        var state = AdventureAttributes.ContentState(
            heroes: [
                .init(avatar: "🐳", name: "Spouty", healthLevel: 0.5, isDown: false),
                .init(avatar: "🦊", name: "Ember", healthLevel: 0, isDown: true),
            ],
            boss: kind == .bossFight ? .init(avatar: "👾", name: "Glitch", healthLevel: 0, phase: "enraged") : nil,
            turn: nil,
            event: LocalizableText(key: "The fight is won!"),
            tick: 7,
            sequence: adventure.sequence,
            outcome: "bossDefeated",
            currentHealthLevel: activity.role == Self.roles[0] ? 0.5 : 0
        )
        stateChanges[activity.role]?(&state)
        return state
    }

    private static func moment(_ seconds: Double) -> Timestamp {
        start + .milliseconds(Int64(seconds * 1_000))
    }

    private static func player(_ number: UInt8) -> PlayerID {
        PlayerID(rawValue: UUID(bytes: Array(repeating: number, count: 16)))
    }
}

extension SampleAdventure {
    /// A fight in which Ember (seat 1) goes down after ten seconds and the boss is defeated after twenty.
    static var fight: SampleAdventure {
        var fight = SampleAdventure(
            events: [
                (0, .adventureStarted(kind: .bossFight)),
                (0, .bossAppeared(boss: "glitch")),
                (10, .heroDown(hero: Seat(rawValue: 1))),
                (20, .bossDefeated(boss: "glitch")),
                (20, .adventureEnded(outcome: .bossDefeated)),
            ]
        )
        for role in roles {
            fight.pushes[role] = [
                SamplePush(after: 0.2, sequence: 2),
                SamplePush(after: 10.2, priority: 10, sequence: 3, alert: down(seenBy: role)),
                SamplePush(after: 20.2, priority: 10, sequence: 5, alert: defeated),
                SamplePush(after: 21.2, priority: 10, kind: .end, sequence: 5),
            ]
        }
        fight.pushes[roles[0]]?.insert(SamplePush(after: 5, priority: 10, sequence: 2), at: 1)
        return fight
    }

    /// A journey in which Ember finds loot after five seconds and which ends after twenty.
    static var journey: SampleAdventure {
        var journey = SampleAdventure(
            events: [
                (0, .adventureStarted(kind: .journey)),
                (5, .lootFound(hero: Seat(rawValue: 1), item: .potion, rarity: .common)),
                (20, .adventureEnded(outcome: .bossDefeated)),
            ],
            kind: .journey
        )
        for role in roles {
            journey.pushes[role] = [
                SamplePush(after: 0.2, sequence: 1),
                SamplePush(after: 6, sequence: 2),
                SamplePush(after: 20.2, priority: 10, kind: .end, sequence: 3),
            ]
        }
        return journey
    }

    static func down(seenBy role: PlayerRole) -> LiveActivityPayload.Alert {
        role == roles[1]
            ? LiveActivityPayload.Alert(
                title: LocalizableText(key: "You are down!"),
                body: LocalizableText(key: "Ember cannot fight on. Ask your party for a potion."),
                sound: "hero-down.wav"
            )
            : LiveActivityPayload.Alert(
                title: LocalizableText(key: "Ember is down!"),
                body: LocalizableText(key: "Give Ember a potion."),
                sound: "hero-down.wav"
            )
    }

    static let defeated = LiveActivityPayload.Alert(
        title: LocalizableText(key: "Glitch is defeated!"),
        body: LocalizableText(key: "Your party has won the fight."),
        sound: "boss-defeated.wav"
    )
}
