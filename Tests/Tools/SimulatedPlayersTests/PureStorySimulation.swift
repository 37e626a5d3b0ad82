import Encodings
import Foundation
import GameCore
import LiveActivityContent
import PushCadence
import PushRules
import TestSupport

@testable import RangersClient
@testable import SimulatedPlayers

/// The phones of the cast and the server's cadence at the demo's pace: their budgets and the time go on from one
/// adventure to the next.
struct SimulatedCast {
    /// The probability that the machine stalls, for each poll interval.
    private static let stallProbability = 0.02

    let policy: CadencePolicy
    let phoneIDs = PlayerRole.cast.map { _ in UUID() }
    fileprivate(set) var budgets: [DeviceBudget]
    fileprivate var now = Timestamp(epochSeconds: 1_800_000_000)
    fileprivate var pushCount = 0
    /// The maximum time for which a busy machine delays the dispatcher.
    private let maxStall: Duration
    private var stalledUntil = Timestamp(epochSeconds: 0)
    private var generator: SeededGenerator

    /// Creates phones with full budgets.
    init(
        standardRefill: Duration = CadencePolicy.Pace.standard.highRefill,
        maxStall: Duration = .zero,
        seed: UInt64 = 0
    ) {
        var policy = CadencePolicy()
        policy.frequent.lowSpacing = .seconds(3)
        policy.standard.lowSpacing = .seconds(8)
        policy.standard.turnSpacing = .seconds(8)
        policy.standard.highRefill = standardRefill
        self.policy = policy
        self.maxStall = maxStall
        budgets = PlayerRole.cast.map { role in
            DeviceBudget(policy.pace(frequentPushesEnabled: role.frequentPushesEnabled))
        }
        generator = SeededGenerator(seed: seed)
    }

    /// Whether the busy machine delays the dispatcher now.
    fileprivate mutating func isStalled() -> Bool {
        if maxStall > .zero, now >= stalledUntil, Double.random(in: 0..<1, using: &generator) < Self.stallProbability {
            stalledUntil =
                now + .milliseconds(Int64.random(in: 0...Int64(maxStall / .milliseconds(1)), using: &generator))
        }
        return now < stalledUntil
    }

    /// The longest time that a player needs to read the adventure's state.
    fileprivate var maxLag: Duration { maxStall }
}

/// A simulated adventure of the whole cast, without server, APNs or clock: with the real game, rules, cadence and
/// player strategies, and a network without latency.
struct PureStorySimulation {
    private struct Phone {
        let activity: TrackedActivity
        var cadence: ActivityCadence
        var budget: DeviceBudget
        var pushes: [LoggedPush] = []
        var shown: AdventureAttributes.ContentState?

        mutating func next(at now: Timestamp) -> CadenceDecision {
            cadence.next(at: now, showing: now, spending: &budget)
        }

        mutating func accepted(at now: Timestamp) {
            cadence.completed(.accepted, at: now, refunding: &budget)
        }

        var isEnded: Bool { pushes.last?.kind == .end }
    }

    private static let tick = Duration.milliseconds(500)
    /// The interval of the players' and the cadence's decisions.
    private static let pollInterval = Duration.milliseconds(100)

    private let id = AdventureID(rawValue: UUID())
    private var adventure: Adventure
    private var phones: [Phone] = []
    private var events: [StoryEvent] = []
    private var headline: AdventureEvent
    private var cast: SimulatedCast
    private var nextTick: Timestamp

    /// Plays a journey and returns its evidence.
    static func play(in region: RegionID, seed: UInt64, on cast: inout SimulatedCast) throws -> AdventureEvidence {
        try play(.journey(in: region, heroes: heroes, seed: seed), on: &cast)
    }

    static func play(against boss: BossID, seed: UInt64, on cast: inout SimulatedCast) throws -> AdventureEvidence {
        try play(.bossFight(against: boss, heroes: heroes, seed: seed), on: &cast)
    }

    private static var heroes: [Hero] {
        PlayerRole.cast.map { role in
            Hero(playerID: PlayerID(rawValue: UUID()), id: role.hero, level: 1, potions: Hero.openingPotions)
        }
    }

    private static func play(_ opening: Adventure, on cast: inout SimulatedCast) throws -> AdventureEvidence {
        var simulation = Self(opening, on: cast)
        try simulation.play()
        cast = simulation.cast
        cast.budgets = simulation.phones.map(\.budget)
        return simulation.evidence
    }

    private init(_ opening: Adventure, on cast: SimulatedCast) {
        self.cast = cast
        nextTick = cast.now
        adventure = opening
        headline = .adventureStarted(kind: opening.kind)
        phones = PlayerRole.cast.indices.map { index in
            let role = PlayerRole.cast[index]
            return Phone(
                activity: TrackedActivity(
                    id: ActivityID(rawValue: UUID()),
                    playerID: opening.heroes[index].playerID,
                    phoneID: cast.phoneIDs[index],
                    role: role,
                    registeredAt: cast.now,
                    lastPushBefore: 0
                ),
                cadence: ActivityCadence(
                    policy: cast.policy,
                    frequentPushesEnabled: role.frequentPushesEnabled,
                    startedAt: cast.now,
                    resuming: nil,
                    acknowledgedAt: Timestamp(epochSeconds: 0)
                ),
                budget: cast.budgets[index]
            )
        }
    }

    private mutating func play() throws {
        try advance(.start)
        for index in phones.indices { phones[index].cadence.currentStateRequired(moment: now, at: now) }
        while adventure.outcome == nil || !phones.allSatisfy(\.isEnded) {
            push()
            cast.now = cast.now + Self.pollInterval
            if adventure.outcome == nil { try playOn() }
        }
    }

    private var now: Timestamp { cast.now }

    private mutating func playOn() throws {
        if now >= nextTick { return try advance(.tick) }
        let state = AdventureResponse(of: adventure, id: id)
        for (phone, hero) in zip(phones, state.heroes) {
            guard let command = command(of: phone, for: hero, in: state) else { continue }
            do throws(AdventureRefusal) {
                try advance(.command(command, by: hero.playerID))
            } catch {
                // Another player acted first.
                guard error == .targetUnhurt || error == .adventureOver else { throw error }
            }
        }
    }

    private func command(of phone: Phone, for hero: AdventureResponse.Hero, in state: AdventureResponse) -> Command? {
        switch adventure.kind {
        case .journey:
            return phone.shown.flatMap { PlayerStrategy.aid(from: hero, in: state, seeing: $0) }
        case .bossFight, .raid:
            guard phone.activity.role.takesTurns, state.turn?.seat == hero.seat else { return nil }
            return PlayerStrategy.turn(of: hero, in: state)
        }
    }

    private mutating func advance(_ input: AdventureInput) throws(AdventureRefusal) {
        let turn = adventure.turn
        for event in try adventure.advance(input) {
            events.append(StoryEvent(sequence: events.count + 1, at: now, event: event))
            if event.isHeadline { headline = event }
            for index in phones.indices {
                let rule = PushRules.rule(for: event, after: adventure, receiver: Seat(rawValue: index))
                phones[index].cadence.observe(rule, moment: now, at: now)
            }
        }
        if input == .start || input == .tick || adventure.turn != turn { nextTick = now + Self.tick }
    }

    private mutating func push() {
        guard !cast.isStalled() else { return }
        for index in phones.indices {
            guard case .send(let planned) = phones[index].next(at: now) else { continue }
            cast.pushCount += 1
            var state = AdventureAttributes.ContentState(of: adventure, lastEvent: headline, turnEnds: nil)
            state.currentHealthLevel = adventure.heroes[index].shownHealthLevel
            phones[index].shown = state
            let kind: LoggedPush.Kind =
                switch planned.event {
                case .update: .update
                case .end: .end
                }
            phones[index].pushes.append(
                LoggedPush(
                    number: cast.pushCount,
                    time: now,
                    activityID: phones[index].activity.id,
                    priority: planned.priority.rawValue,
                    kind: kind,
                    apnsID: "\(cast.pushCount)",
                    isAccepted: true,
                    reaction: "shown",
                    sequence: state.sequence,
                    alert: planned.alert?.content
                )
            )
            phones[index].accepted(at: now)
        }
    }

    private var evidence: AdventureEvidence {
        AdventureEvidence(
            activities: phones.map(\.activity),
            adventure: AdventureResponse(of: adventure, id: id),
            events: events,
            phones: phones.map { phone in
                let activity = PhoneResponse.Activity(
                    activityID: phone.activity.id,
                    isEndedByPush: phone.isEnded,
                    contentState: phone.shown
                )
                return PhoneResponse(phoneID: phone.activity.phoneID, activities: [activity])
            },
            pushes: phones.flatMap(\.pushes).sorted { $0.number < $1.number },
            violations: [],
            serverWasKilled: false,
            maxLag: cast.maxLag
        )
    }
}
