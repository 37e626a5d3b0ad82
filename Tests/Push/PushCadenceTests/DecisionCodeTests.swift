import GameCore
import Testing

@testable import PushCadence
@testable import PushRules

/// Logs that other releases wrote are read by these numbers.
struct DecisionCodeTests {
    private let down = (0..<Adventure.mostHeroes).map { AlertKind.companionDown(Seat(rawValue: $0)) }
    private let otherAlerts: [AlertKind] = [
        .ownHeroDown, .ownTurn, .bossAppeared, .bossDefeated, .partyWiped, .adventureOver,
    ]

    /// Each value has its code, which leads back to it, and nothing else has one.
    private func hold<Value: Coded>(_ codes: [UInt8: Value]) {
        for (code, value) in codes { #expect(value.code == code, "\(value)") }
        for code in UInt8.min ... .max { #expect(Value(code: code) == codes[code], "\(code)") }
        #expect(Value.coded.count == codes.count)
    }

    private func numbered<Value>(from first: UInt8, _ values: [Value]) -> [UInt8: Value] {
        Dictionary(uniqueKeysWithValues: zip(first..., values))
    }

    @Test func `codes never change`() {
        hold([0: PushPriority.low, 1: .high])
        let waits: [WaitReason] = [
            .minimumSpacing, .backingOff, .turnSpacing, .lowSpacing, .budget, .routeStopped, .room,
        ]
        hold(numbered(from: 0, waits))
        hold(numbered(from: 0, [IdleReason.nothingOwed, .inFlight, .ended, .tokenDead]))
        let drops: [Drop.Reason] = [
            .cancelledByEvent, .cancelledByEnd, .outwaited, .expired, .queueFull, .replaced, .refused,
        ]
        hold(numbered(from: 0, drops))
        let alerts = numbered(from: 64, down + otherAlerts)
        hold(alerts)
        let sends: [SendReason] = [
            .end(.adventureOver), .end(.tooOld), .end(.replaced), .end(.asked), .newToken, .asked, .turn,
            .turnWithoutFrequentPushes, .turnDemoted, .low, .cardEndsSoon,
        ]
        hold(numbered(from: 0, sends).merging(alerts.mapValues { .alert($0) }) { $1 })
        hold([0: Drop.Subject.state, 1: .end].merging(alerts.mapValues { .alert($0) }) { $1 })
    }

    @Test func `every alert that a rule knows has a code`() {
        let known = Set(down + otherAlerts)
        let alerts = PushRules.examples.compactMap {
            PushRules.rule(for: $0, receiver: Seat(rawValue: 0), heroName: { _ in "" }).alert?.kind
        }
        #expect(!alerts.isEmpty && known.isSuperset(of: alerts))
    }

    @Test func `what happened has codes that never change, and every event has one`() {
        let others: [RecordedDecision.Change] = [
            .unreadableEvent, .registered, .tokenReplaced, .released, .pushAsked, .endAsked, .answer, .time,
        ]
        let events = [
            "adventureStarted", "storyTold", "travelled", "lootFound", "hazardStruck", "restTaken", "encounterMet",
            "foeStruck", "encounterWon", "heroHurt", "heroHealed", "heroDown", "heroRevived", "heroLevelledUp",
            "bossAppeared", "turnStarted", "actionTaken", "bossActed", "bossHealed", "bossHindered", "bossEnraged",
            "bossDefeated", "partyWiped", "memberJoined", "memberLeft", "policyChosen", "adventureEnded",
        ]
        let codes = numbered(from: 0, others).merging(
            numbered(from: 32, events.map { RecordedDecision.Change.event(kind: $0) })
        ) { $1 }
        for (code, change) in codes { #expect(change.code == code) }
        for code in UInt8.min ... .max { #expect(RecordedDecision.Change(code: code) == codes[code]) }
        #expect(Set(events).isSuperset(of: Event.allKinds))
    }
}
