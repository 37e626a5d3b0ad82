import APNsClient
import GameCore
import GameEngine
import GameStore
import GameTestSupport
import TestSupport
import Testing

@testable import PushCadence

/// What a dispatcher writes down of its decisions, over a real peer and a real database.
@Suite struct DecisionTests {
    /// Each shard's turn comes after an hour or later.
    private static let notInThisTest = Duration.seconds(256 * 3_600)
    private static let phone = "The phone registered the card"

    @Test func `a log needs no more than a byte for any reason that APNs documents`() {
        for reason in APNsReason.documented {
            #expect(NameCodes.reasons.code(of: reason.text).flatMap { NameCodes.reasons.name(of: $0) } == reason.text)
        }
    }

    @Test func `what is sent, delayed and merged is told with its reason, up to the end`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (id, token) = (newActivity(), newToken())
            try await world.register(token, as: id, of: players[0], for: stored)
            try await world.dispatching {
                try await eventually("the first push") { try await isAccepted(id, stored, world) }
                try await world.run(.policy(.guard), by: players[0], in: stored)
                try await world.run(.policy(.automatic), by: players[0], in: stored)
                try await eventually("two wait together") {
                    try await world.decisions(for: id, of: stored).last?.events == 2
                }
                _ = try await world.commands.end(stored.id, by: .test)
                try await eventually("the end") { try await world.activity(id, of: stored).state == .ended }
            }
            let decisions = try await world.decisions(for: id, of: stored)
            #expect(decisions.first?.happened == Self.phone)
            #expect(decisions.first?.decided == "Sent at priority 10, accepted")
            #expect(decisions.first?.why == "the token is new: current state")
            let delayed = try #require(decisions.first { $0.name == "delayed" && $0.events == 2 })
            #expect(delayed.happened == "Policy chosen" && delayed.decided == "2 events delayed together")
            #expect(delayed.why == "small changes are put together for a while")
            #expect(delayed.until.map { $0 > delayed.at } == true)
            let alert = try #require(
                decisions.first { $0.decided.hasPrefix("Alert \"adventure over\" sent at priority 10") }
            )
            #expect(alert.why == "alerts are never demoted")
            #expect(decisions.contains { $0.happened == "Adventure ended" })
            #expect(decisions.last?.decided == "End sent at priority 10, accepted")
            #expect(zip(decisions, decisions.dropFirst()).allSatisfy { $0.at <= $1.at })
        }
    }

    @Test func `a turn without budget is demoted, and an alert whose turn has passed is cancelled`() async throws {
        var policy = CadencePolicy()
        policy.frequent.turnSpacing = .seconds(1)
        policy.frequent.highCapacity = 9
        policy.frequent.highRefill = .seconds(1_000)
        let usedUp = "the budget for priority 10 is used up"
        try await DispatchWorld.with { [policy] world in
            let (stored, _, players) = try await world.fight()
            let first = try #require(stored.adventure.turn?.hero)
            let (now, next) = (players[first.rawValue], players[1 - first.rawValue])
            let id = newActivity()
            try await world.register(newToken(), as: id, of: next, for: stored)
            try await world.dispatching(policy: policy) {
                try await eventually("the first push") { try await isAccepted(id, stored, world) }
                try await world.run(.attack, by: now, in: stored)
                try await eventually("the turn") { try await names(of: id, stored, world).contains("demoted") }
                // Until it waits, the alert has nothing to be cancelled from.
                try await eventually("the alert's wait") {
                    try await world.decisions(for: id, of: stored).contains { $0.why == usedUp }
                }
                try await world.run(.attack, by: next, in: stored)
                try await eventually("the alert") { try await names(of: id, stored, world).contains("cancelled") }
            }
            let decisions = try await world.decisions(for: id, of: stored)
            let demoted = try #require(decisions.first { $0.name == "demoted" })
            #expect(demoted.decided.hasPrefix("Demoted to priority 5 and sent"))
            #expect(demoted.why == "a turn, at priority 5 since what is left of the budget is kept for alerts")
            #expect(decisions.contains { $0.name == "delayed" && $0.why == usedUp })
            let cancelled = try #require(decisions.first { $0.name == "cancelled" })
            #expect(cancelled.decided == "Cancelled the alert \"own turn\"")
            #expect(cancelled.why == "there was no budget for it until what has happened since made it pointless")
        }
    }

    @Test func `what APNs refuses, and a token that is dead, are told with APNs's reason`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (refused, refusedToken) = (newActivity(), newToken())
            let (dead, deadToken) = (newActivity(), newToken())
            world.apns.answer(refusedToken, with: .refuse(status: 413, body: #"{"reason":"PayloadTooLarge"}"#))
            world.apns.answer(deadToken, with: .refuse(status: 410, body: #"{"reason":"ExpiredToken"}"#))
            try await world.register(refusedToken, as: refused, of: players[0], for: stored)
            try await world.register(deadToken, as: dead, of: players[1], for: stored)
            try await world.dispatching {
                try await eventually("both answers") {
                    let first = try await world.decisions(for: refused, of: stored).last?.answer
                    let second = try await world.decisions(for: dead, of: stored).last?.answer
                    return first != nil && second != nil
                }
            }
            let refusal = try await world.decisions(for: refused, of: stored).last
            #expect(refusal?.answer == .refused(.apns(reason: "PayloadTooLarge")))
            #expect(refusal?.decided == "Sent at priority 10, refused for good (APNs answered PayloadTooLarge)")
            let death = try await world.decisions(for: dead, of: stored).last
            #expect(death?.decided == "Sent at priority 10, refused, as the token is dead (APNs answered ExpiredToken)")
            #expect(death?.waitsFor == "It waits for a new token from the phone: the old one is dead")
        }
    }

    @Test func `silence of APNs is one entry however often it is asked, and tells when it is asked again`() async throws
    {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (id, token) = (newActivity(), newToken())
            world.apns.answer(token, with: .never)
            try await world.register(token, as: id, of: players[0], for: stored)
            try await world.dispatching {
                try await eventually("a second try") { world.apns.pushes(to: token).count >= 2 }
            }
            let decisions = try await world.decisions(for: id, of: stored)
            #expect(decisions.count == 1)
            #expect(decisions[0].decided.hasPrefix("Sent at priority 10, tried "))
            #expect(decisions[0].decided.hasSuffix(", not taken (APNs gave no answer), waiting"))
            #expect(decisions[0].until != nil)
        }
    }

    @Test func `a restart keeps what was decided, also when the token has changed meanwhile`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (id, dead) = (newActivity(), newToken())
            let (other, otherToken) = (newActivity(), newToken())
            world.apns.answer(dead, with: .refuse(status: 410, body: #"{"reason":"ExpiredToken"}"#))
            try await world.register(dead, as: id, of: players[0], for: stored)
            try await world.register(otherToken, as: other, of: players[1], for: stored)
            try await world.dispatching {
                try await eventually("one is dead") { try await world.activity(id, of: stored).state == .dead }
                try await eventually("one has its state") { try await isAccepted(other, stored, world) }
            }
            let before = try await world.decisions(for: id, of: stored)
            let othersBefore = try await world.decisions(for: other, of: stored)
            // Nobody dispatches while the phone sends a new token and the adventure ends.
            try await world.register(newToken(), as: id, of: players[0], for: stored)
            _ = try await world.commands.end(stored.id, by: .test)
            try await world.dispatching {
                try await eventually("both ends") {
                    let states = [
                        try await world.activity(id, of: stored).state,
                        try await world.activity(other, of: stored).state,
                    ]
                    return states == [.ended, .ended]
                }
            }
            for (activity, before) in [(id, before), (other, othersBefore)] {
                let after = try await world.decisions(for: activity, of: stored)
                #expect(!before.isEmpty && after.count > before.count)
                #expect(Array(after.prefix(before.count)) == before)
                #expect(after.last?.decided == "End sent at priority 5, accepted")
            }
        }
    }

    @Test func `a new token for a card whose old one was dead goes on with the same log`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (id, dead) = (newActivity(), newToken())
            world.apns.answer(dead, with: .refuse(status: 410, body: #"{"reason":"ExpiredToken"}"#))
            try await world.register(dead, as: id, of: players[0], for: stored)
            try await world.dispatching {
                try await eventually("it is dead") { try await world.activity(id, of: stored).state == .dead }
                try await world.register(newToken(), as: id, of: players[0], for: stored)
                try await eventually("it lives") {
                    try await world.decisions(for: id, of: stored).last?.answer == .accepted
                }
            }
            let decisions = try await world.decisions(for: id, of: stored)
            #expect(decisions.first?.happened == Self.phone)
            #expect(decisions.contains { $0.happened == "The phone sent a new token" })
        }
    }

    @Test func `a card that the phone lets go of, and one for an environment of others, say so`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (released, foreign) = (newActivity(), newActivity())
            try await world.register(newToken(), as: released, of: players[0], for: stored)
            try await world.register(newToken(), as: foreign, of: players[1], for: stored, in: .production)
            try await world.dispatching {
                try await eventually("a state") { try await isAccepted(released, stored, world) }
                _ = try await world.commands.release(released, of: stored.id, by: players[0], request: nil)
                try await eventually("the parting") {
                    try await names(of: released, stored, world) == ["sent", "letGo"]
                }
                try await eventually("the other") { try await names(of: foreign, stored, world) == ["notServed"] }
            }
        }
    }

    @Test func `decisions are written seldom, but at once for a card that is followed no more`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (released, ended) = (newActivity(), newActivity())
            try await world.register(newToken(), as: released, of: players[0], for: stored)
            try await world.register(newToken(), as: ended, of: players[1], for: stored)
            try await world.dispatching(documentInterval: Self.notInThisTest) {
                for id in [released, ended] {
                    try await eventually("the first mark") { try await isMarked(id, stored, world) }
                    #expect(try await world.decisions(for: id, of: stored).isEmpty)
                }
                _ = try await world.commands.release(released, of: stored.id, by: players[0], request: nil)
                try await eventually("the parting") {
                    try await names(of: released, stored, world) == ["sent", "letGo"]
                }
                #expect(try await world.decisions(for: ended, of: stored).isEmpty)
                _ = try await world.commands.end(stored.id, by: .test)
                try await eventually("the end") { try await world.activity(ended, of: stored).state == .ended }
                #expect(try await isAccepted(ended, stored, world))
            }
        }
    }

    @Test func `a stop writes what was decided`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let id = newActivity()
            try await world.register(newToken(), as: id, of: players[0], for: stored)
            try await world.dispatching(documentInterval: Self.notInThisTest) {
                try await eventually("the first mark") { try await isMarked(id, stored, world) }
            }
            #expect(try await isAccepted(id, stored, world))
        }
    }

    /// Whether it is written that a push was sent.
    private func isMarked(_ id: ActivityID, _ stored: StoredAdventure, _ world: DispatchWorld) async throws -> Bool {
        try await world.activity(id, of: stored).lastTimestamp > 0
    }

    private func names(of id: ActivityID, _ stored: StoredAdventure, _ world: DispatchWorld) async throws -> [String] {
        try await world.decisions(for: id, of: stored).map(\.name)
    }

    /// Whether what was decided last is a push that APNs has taken.
    private func isAccepted(_ id: ActivityID, _ stored: StoredAdventure, _ world: DispatchWorld) async throws -> Bool {
        try await world.decisions(for: id, of: stored).last?.answer == .accepted
    }
}
