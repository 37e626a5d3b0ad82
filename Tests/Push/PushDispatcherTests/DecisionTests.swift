import APNsClient
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import PushCadence
import TestSupport
import Testing

@testable import PushDispatch

/// The decisions that a dispatcher flushes, with a real peer and a real database.
@Suite struct DecisionTests {
    /// A flush interval so long that each shard's part of it is at least an hour.
    private static let longInterval = Duration.seconds(256 * 3_600)
    private static let registered = "The app registered the activity"

    @Test func `every documented reason of APNs has a code of one byte`() {
        for reason in APNsReason.documented {
            #expect(CodedNames.reasons.code(of: reason.text).flatMap { CodedNames.reasons.name(of: $0) } == reason.text)
        }
    }

    @Test func `sent, delayed and merged pushes have their reasons, up to the end`() async throws {
        try await DispatchWorld.with { world in
            let (stored, players, id, _) = try await world.shownFight()
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
            #expect(decisions.first?.triggerText == Self.registered)
            #expect(decisions.first?.actionText == "Sent at priority 5, accepted")
            #expect(decisions.first?.reasonText == "the token is new: current state")
            let delayed = try #require(decisions.first { $0.name == "delayed" && $0.events == 2 })
            #expect(delayed.triggerText == "Policy chosen" && delayed.actionText == "2 events delayed")
            #expect(delayed.reasonText == "small changes are coalesced")
            #expect(delayed.until.map { $0 > delayed.at } == true)
            let alert = try #require(
                decisions.first { $0.actionText.hasPrefix("Alert \"adventure over\" sent at priority 10") }
            )
            #expect(alert.reasonText == "alerts are never demoted")
            #expect(decisions.contains { $0.triggerText == "Adventure ended" })
            #expect(decisions.last?.actionText == "End sent at priority 10, accepted")
            #expect(zip(decisions, decisions.dropFirst()).allSatisfy { $0.at <= $1.at })
        }
    }

    @Test func `a turn without budget is demoted, and an alert is cancelled after its turn`() async throws {
        var policy = CadencePolicy()
        policy.frequent.turnSpacing = .seconds(1)
        policy.frequent.highCapacity = 9
        policy.frequent.highRefill = .seconds(1_000)
        let lacksBudget = "the budget of priority 10 is spent"
        try await DispatchWorld.with { [policy] world in
            let (stored, _, players) = try await world.fight()
            let first = try #require(stored.adventure.turn?.hero)
            let (now, next) = (players[first.rawValue], players[1 - first.rawValue])
            let id = newActivity()
            try await world.register(newToken(), as: id, of: next, for: stored)
            try await world.dispatching(policy: policy) {
                try await eventually("the first push") { try await isAccepted(id, stored, world) }
                // It spends all but the reserve of alerts.
                _ = try await world.commands.push(.update, to: id, by: .test)
                try await eventually("the requested push") {
                    try await world.store.requestedPush(for: id, of: stored.id)?.report.contains("accepted") == true
                }
                try await world.run(.attack, by: now, in: stored)
                try await eventually("the turn") { try await names(of: id, stored, world).contains("demoted") }
                // The alert can be cancelled once it waits.
                try await eventually("the alert's wait") {
                    try await world.decisions(for: id, of: stored).contains { $0.reasonText == lacksBudget }
                }
                try await world.run(.attack, by: next, in: stored)
                try await eventually("the alert") { try await names(of: id, stored, world).contains("cancelled") }
            }
            let decisions = try await world.decisions(for: id, of: stored)
            let demoted = try #require(decisions.first { $0.name == "demoted" })
            #expect(demoted.actionText.hasPrefix("Demoted to priority 5 and sent"))
            #expect(demoted.reasonText == "a turn, at priority 5 since the rest of the budget is reserved for alerts")
            #expect(decisions.contains { $0.name == "delayed" && $0.reasonText == lacksBudget })
            let cancelled = try #require(decisions.first { $0.name == "cancelled" })
            #expect(cancelled.actionText == "Cancelled the alert \"own turn\"")
            #expect(cancelled.reasonText == "it waited for budget until a later event made it obsolete")
        }
    }

    @Test func `a rejection and a dead token have the reason of APNs`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (rejected, rejectedToken) = (newActivity(), newToken())
            let (dead, deadToken) = (newActivity(), newToken())
            world.apns.respond(to: rejectedToken, with: .reject(status: 413, body: #"{"reason":"PayloadTooLarge"}"#))
            world.apns.respond(to: deadToken, with: .reject(status: 410, body: #"{"reason":"ExpiredToken"}"#))
            try await world.register(rejectedToken, as: rejected, of: players[0], for: stored)
            try await world.register(deadToken, as: dead, of: players[1], for: stored)
            try await world.dispatching {
                try await eventually("both results") {
                    let first = try await world.decisions(for: rejected, of: stored).last?.result
                    let second = try await world.decisions(for: dead, of: stored).last?.result
                    return first != nil && second != nil
                }
            }
            let rejection = try await world.decisions(for: rejected, of: stored).last
            #expect(rejection?.result == .rejected(.apns(reason: "PayloadTooLarge")))
            #expect(rejection?.actionText == "Sent at priority 5, rejected for good (APNs responded PayloadTooLarge)")
            let death = try await world.decisions(for: dead, of: stored).last
            #expect(
                death?.actionText
                    == "Sent at priority 5, rejected, since the token is dead (APNs responded ExpiredToken)"
            )
            #expect(death?.waitText == "Waiting for a new token from the app: the old one is dead")
        }
    }

    @Test func `pushes without a response are one entry, which says when the next try is`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (id, token) = (newActivity(), newToken())
            world.apns.respond(to: token, with: .never)
            try await world.register(token, as: id, of: players[0], for: stored)
            try await world.dispatching {
                try await eventually("a second try") { world.apns.pushes(to: token).count >= 2 }
            }
            let decisions = try await world.decisions(for: id, of: stored)
            #expect(decisions.count == 1)
            #expect(decisions[0].actionText.hasPrefix("Sent at priority 5, tried "))
            #expect(decisions[0].actionText.hasSuffix(", failed (no response from APNs), waiting"))
            #expect(decisions[0].until != nil)
        }
    }

    @Test func `a restart keeps the decisions, also if the token has changed in between`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (id, dead) = (newActivity(), newToken())
            let (other, otherToken) = (newActivity(), newToken())
            world.apns.respond(to: dead, with: .reject(status: 410, body: #"{"reason":"ExpiredToken"}"#))
            try await world.register(dead, as: id, of: players[0], for: stored)
            try await world.register(otherToken, as: other, of: players[1], for: stored)
            try await world.dispatching {
                try await eventually("one is dead") { try await world.activity(id, of: stored).state == .dead }
                try await eventually("one has its state") { try await isAccepted(other, stored, world) }
            }
            let before = try await world.decisions(for: id, of: stored)
            let othersBefore = try await world.decisions(for: other, of: stored)
            // No dispatcher runs while the app registers a new token and the adventure ends.
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
                // The priority depends on what the budget has got back in the meantime.
                let end = try #require(after.last?.actionText)
                #expect(end.hasPrefix("End sent at priority ") && end.hasSuffix(", accepted"), "\(end)")
            }
        }
    }

    @Test func `a new token after a dead one continues the decision log`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (id, dead) = (newActivity(), newToken())
            world.apns.respond(to: dead, with: .reject(status: 410, body: #"{"reason":"ExpiredToken"}"#))
            try await world.register(dead, as: id, of: players[0], for: stored)
            try await world.dispatching {
                try await eventually("it is dead") { try await world.activity(id, of: stored).state == .dead }
                try await world.register(newToken(), as: id, of: players[0], for: stored)
                try await eventually("an accepted push") {
                    try await world.decisions(for: id, of: stored).last?.result == .accepted
                }
            }
            let decisions = try await world.decisions(for: id, of: stored)
            #expect(decisions.first?.triggerText == Self.registered)
            #expect(decisions.contains { $0.triggerText == "The app registered a new token" })
        }
    }

    @Test func `a released activity and one of another environment say so`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (released, foreign) = (newActivity(), newActivity())
            try await world.register(newToken(), as: released, of: players[0], for: stored)
            try await world.register(newToken(), as: foreign, of: players[1], for: stored, in: .production)
            try await world.dispatching {
                try await eventually("a state") { try await isAccepted(released, stored, world) }
                _ = try await world.commands.release(released, of: stored.id, by: players[0], request: nil)
                try await eventually("the release") {
                    try await names(of: released, stored, world) == ["sent", "departed"]
                }
                try await eventually("the other") { try await names(of: foreign, stored, world) == ["notServed"] }
            }
        }
    }

    @Test func `decisions are flushed at once with a first push, a release and an end`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let (released, ended) = (newActivity(), newActivity())
            try await world.register(newToken(), as: released, of: players[0], for: stored)
            try await world.register(newToken(), as: ended, of: players[1], for: stored)
            try await world.dispatching(lazyFlushInterval: Self.longInterval) {
                for id in [released, ended] {
                    try await eventually("the first flush") { try await isAccepted(id, stored, world) }
                }
                _ = try await world.commands.release(released, of: stored.id, by: players[0], request: nil)
                try await eventually("the release") {
                    try await names(of: released, stored, world) == ["sent", "departed"]
                }
                _ = try await world.commands.end(stored.id, by: .test)
                try await eventually("the end") { try await world.activity(ended, of: stored).state == .ended }
                #expect(try await isAccepted(ended, stored, world))
            }
        }
    }

    @Test func `a stop flushes the decisions`() async throws {
        try await DispatchWorld.with { world in
            let (stored, _, players) = try await world.fight()
            let id = newActivity()
            try await world.register(newToken(), as: id, of: players[0], for: stored)
            try await world.dispatching(lazyFlushInterval: Self.longInterval) {
                try await eventually("the first flush") { try await isFlushed(id, stored, world) }
            }
            #expect(try await isAccepted(id, stored, world))
        }
    }

    /// Returns whether a push to the activity is flushed.
    private func isFlushed(_ id: ActivityID, _ stored: StoredAdventure, _ world: DispatchWorld) async throws -> Bool {
        try await world.activity(id, of: stored).lastTimestamp > 0
    }

    private func names(of id: ActivityID, _ stored: StoredAdventure, _ world: DispatchWorld) async throws -> [String] {
        try await world.decisions(for: id, of: stored).map(\.name)
    }

    /// Returns whether the last decision is a push that APNs accepted.
    private func isAccepted(_ id: ActivityID, _ stored: StoredAdventure, _ world: DispatchWorld) async throws -> Bool {
        try await world.decisions(for: id, of: stored).last?.result == .accepted
    }
}
