import Encodings
import GameCore
import PushCadence
import Testing

@testable import PushDispatch
@testable import PushRules

/// The codes of stored decision logs, which other releases read.
struct DecisionCodeTests {
    private let down = (0..<Adventure.maxHeroes).map { AlertKind.companionDown(Seat(rawValue: $0)) }
    private let otherAlerts: [AlertKind] = [
        .ownHeroDown, .ownTurn, .bossAppeared, .bossDefeated, .partyWiped, .adventureOver, .heroInDanger,
    ]

    /// Checks that each of the given values has its code, and that no other value has a code.
    private func check<Value: ByteCoded>(_ codes: [UInt8: Value]) {
        for (code, value) in codes { #expect(value.code == code, "\(value)") }
        for code in UInt8.min ... .max { #expect(Value(code: code) == codes[code], "\(code)") }
        #expect(Value.codedValues.count == codes.count)
    }

    private func numbered<Value>(from first: UInt8, _ values: [Value]) -> [UInt8: Value] {
        Dictionary(uniqueKeysWithValues: zip(first..., values))
    }

    @Test func `codes never change`() {
        check([0: PushPriority.low, 1: .high])
        let waits: [WaitReason] = [
            .minimumSpacing, .backingOff, .turnSpacing, .lowSpacing, .budget, .breakerOpen, .concurrencyLimit,
            .scheduled,
        ]
        check(numbered(from: 0, waits))
        check(numbered(from: 0, [IdleReason.nothingPending, .inFlight, .ended, .tokenDead]))
        let drops: [Drop.Reason] = [
            .cancelledByEvent, .cancelledByEnd, .starved, .expired, .queueFull, .replaced, .rejected, .muted,
        ]
        check(numbered(from: 0, drops))
        let alerts = numbered(from: 64, down + otherAlerts)
        check(alerts)
        let sends: [SendReason] = [
            .end(.adventureOver), .end(.tooOld), .end(.replaced), .end(.requested), .newToken, .requested, .turn,
            .turnWithoutFrequentPushes, .turnDemoted, .low, .activityEndsSoon,
        ]
        check(numbered(from: 0, sends).merging(alerts.mapValues { .alert($0) }) { $1 })
        check([0: Drop.Subject.state, 1: .end].merging(alerts.mapValues { .alert($0) }) { $1 })
    }

    @Test func `accepted alerts are stored by code and moment`() {
        let alerts = [
            AcceptedAlert(kind: .companionDown(Seat(rawValue: 2)), moment: Timestamp(microseconds: 0x0102_0304_0506)),
            AcceptedAlert(kind: .ownTurn, moment: Timestamp(microseconds: -1)),
        ]
        let bytes: [UInt8] = [66, 6, 5, 4, 3, 2, 1, 0, 0, 73, 255, 255, 255, 255, 255, 255, 255, 255]
        #expect(alerts.encoded == bytes)
        #expect([AcceptedAlert](encoded: bytes) == alerts)
        // Another release has another kind, and a value that is cut off has no moment.
        #expect([AcceptedAlert](encoded: [99] + bytes.dropFirst()) == [alerts[1]])
        #expect([AcceptedAlert](encoded: bytes.dropLast()) == [alerts[0]])
    }

    @Test func `every alert of a rule has a code`() {
        let known = Set(down + otherAlerts)
        let alerts = PushRules.examples.compactMap {
            PushRules.rule(for: $0, receiver: Seat(rawValue: 0), heroName: { _ in "" }).alert?.kind
        }
        #expect(!alerts.isEmpty && known.isSuperset(of: alerts))
    }

    @Test func `the codes of triggers never change, and every event has one`() {
        let others: [DecisionRecord.Trigger] = [
            .outage, .registered, .tokenReplaced, .released, .pushRequested, .endRequested, .pushCompleted,
            .time,
        ]
        let events = [
            "adventureStarted", "storyTold", "travelled", "lootFound", "hazardStruck", "restTaken", "encounterMet",
            "foeStruck", "encounterWon", "heroHurt", "heroHealed", "heroDown", "heroRevived", "heroLevelledUp",
            "bossAppeared", "turnStarted", "actionTaken", "bossActed", "bossHealed", "bossHindered", "bossEnraged",
            "bossDefeated", "partyWiped", "memberJoined", "memberLeft", "policyChosen", "adventureEnded",
            "raidProgressed",
        ]
        let codes = numbered(from: 0, others).merging(
            numbered(from: 32, events.map { DecisionRecord.Trigger.event(kind: $0) })
        ) { $1 }
        for (code, change) in codes { #expect(change.code == code) }
        for code in UInt8.min ... .max { #expect(DecisionRecord.Trigger(code: code) == codes[code]) }
        #expect(Set(events).isSuperset(of: AdventureEvent.allKinds))
    }
}
