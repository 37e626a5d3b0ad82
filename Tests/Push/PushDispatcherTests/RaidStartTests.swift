import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import LiveActivityContent
import Logging
import PushCadence
import PushDispatch
import TestSupport
import Testing

@testable import PushDispatcher

/// Activities of raids that are started by push.
@Suite struct RaidStartTests {
    private static let channel = "dHN0LXNyY2gtY2hubA=="

    /// The reasons for which starts were denied, without those that are tried again.
    private func denials(in world: DispatchWorld) -> [String?] {
        world.logs.lines("no activity was started").filter { $0.level == .info }.map { $0.metadata["reason"] }
    }

    @Test func `a device that asks for raids gets one start on the raid's channel, and another device none`()
        async throws
    {
        try await DispatchWorld.with { world in
            let raid = try await world.raid()
            let (stored, player) = try await world.join(raid)
            let (start, other) = (newToken(), newToken())
            let id = try await world.commands.device(of: player, followsRaids: true, pushToStartToken: start)
            try await world.commands.device(DeviceID(rawValue: UUID()), of: player, pushToStartToken: other)
            var policy = CadencePolicy.withoutGracePeriod
            policy.pushToStart.raidDelay = .milliseconds(20)
            try await world.dispatching(policy: policy) {
                try await eventually("the start of the fight") { world.apns.pushes(to: start).count == 1 }
                try await world.register(newToken(), as: newActivity(), of: player, for: stored)
                try await world.showOnChannel(raid, Self.channel)
                try await eventually("the start of the raid") { world.apns.pushes(to: start).count == 2 }
            }
            let push = try #require(world.apns.pushes(to: start).last)
            #expect(push.event == "start" && push.channelID == Self.channel && push.attributes == nil)
            #expect(push.raid == RaidAttributes(raidID: "\(raid.id)", bossName: "Glitch", bossAvatar: raid.boss.avatar))
            #expect(push.alertKey == "Glitch appeared!" && push.sound == nil && push.priority == "10")
            // Nothing is dealt yet; a broadcast with the same state does not count as older.
            #expect(push.sequence == 1 && push.eventKey == "%@ appeared!" && push.outcome == nil)
            #expect(world.apns.pushes(to: other).map(\.attributes?.adventureID) == ["\(stored.id)"])
            let device = try #require(try await world.store.device(id, of: player))
            #expect(device.starts.map(\.subject) == [.adventure(stored.id, stored.partyID), .raid(raid.id)])
            #expect(world.apns.unreadable == 0)
        }
    }

    @Test func `a start waits until the channel is live and the party's own activity has registered, and is sent once`()
        async throws
    {
        try await DispatchWorld.with { world in
            let raid = try await world.raid()
            let (stored, player) = try await world.join(raid)
            let start = newToken()
            try await world.commands.device(of: player, followsRaids: true, pushToStartToken: start)
            let fight = StartRequest(
                adventureID: stored.id,
                occasion: .adventureStarted,
                requestedAt: stored.startedAt
            )
            #expect(await world.starter.process(fight.ofRaid))
            try await world.showOnChannel(raid, Self.channel, as: .created)
            #expect(await world.starter.process(fight.ofRaid))
            #expect(world.apns.pushes(to: start).isEmpty)

            #expect(await !world.starter.process(fight))
            try await world.showOnChannel(raid, Self.channel)
            // The start of the fight is outstanding.
            #expect(await world.starter.process(fight.ofRaid))
            #expect(world.apns.pushes(to: start).map(\.channelID) == [nil])
            try await world.register(newToken(), as: newActivity(), of: player, for: stored)
            for _ in 0..<2 { #expect(await !world.starter.process(fight.ofRaid)) }
            #expect(world.apns.pushes(to: start).map(\.channelID) == [nil, Self.channel])
            #expect(denials(in: world) == ["\(StartDenial.alreadyStarted)"])
        }
    }

    @Test func `the starts of several parties are sent one after another`() async throws {
        try await DispatchWorld.with { world in
            let raid = try await world.raid()
            try await world.showOnChannel(raid, Self.channel)
            let starts = (0..<3).map { _ in newToken() }
            for start in starts {
                let (stored, player) = try await world.join(raid)
                try await world.commands.device(of: player, followsRaids: true, pushToStartToken: start)
                try await world.register(newToken(), as: newActivity(), of: player, for: stored)
            }
            var policy = CadencePolicy.withoutGracePeriod
            policy.pushToStart.raidDelay = .zero
            policy.pushToStart.raidSpacing = .milliseconds(300)
            let began = ContinuousClock.now
            try await world.dispatching(policy: policy) {
                try await eventually("all starts") { starts.allSatisfy { !world.apns.pushes(to: $0).isEmpty } }
                #expect(ContinuousClock.now - began >= .milliseconds(900))
            }
            for start in starts { #expect(world.apns.pushes(to: start).map(\.channelID) == [Self.channel]) }
        }
    }

    @Test func `a start waits for a quarter of an hour at most, and not for a raid that is over`() async throws {
        try await DispatchWorld.with { world in
            let raid = try await world.raid()
            let (stored, player) = try await world.join(raid)
            try await world.commands.device(of: player, followsRaids: true, pushToStartToken: newToken())
            func process(secondsAfterStart seconds: Int) async -> Bool {
                await world.starter.process(
                    StartRequest(
                        adventureID: stored.id,
                        occasion: .raidJoined,
                        requestedAt: stored.startedAt - .seconds(seconds)
                    )
                )
            }
            #expect(await process(secondsAfterStart: 14 * 60))
            #expect(await !process(secondsAfterStart: 15 * 60))
            #expect(denials(in: world) == ["\(StartDenial.tooLate)"])
            _ = try await world.commands.stopRaid(raid.id, by: .test)
            #expect(await !process(secondsAfterStart: 0))
        }
    }

    @Test func `a running raid whose activity was started counts as one of a device's five`() async throws {
        try await DispatchWorld.with { world in
            let raid = try await world.raid()
            let player = try await world.game.player()
            let start = newToken()
            let id = try await world.commands.device(of: player, pushToStartToken: start)
            let device = try #require(try await world.store.device(id, of: player))
            let claimed = PushToStart(.raid(raid.id), at: raid.startsAt)
            #expect(try await world.store.claimStart([claimed], for: device))
            for _ in 1..<Activity.maxLivePerDevice {
                let other = try await world.anotherFight(of: player)
                try await world.register(newToken(), as: newActivity(), of: player, for: other)
            }
            let stored = try await world.anotherFight(of: player)
            let request = StartRequest(
                adventureID: stored.id,
                occasion: .adventureStarted,
                requestedAt: stored.startedAt
            )
            await world.starter.process(request)
            #expect(world.apns.pushes(to: start).isEmpty && denials(in: world) == ["\(StartDenial.deviceFull)"])
            _ = try await world.commands.stopRaid(raid.id, by: .test)
            await world.starter.process(request)
            #expect(world.apns.pushes(to: start).map(\.attributes?.adventureID) == ["\(stored.id)"])
        }
    }
}

extension DispatchWorld {
    /// Starts a raid.
    fileprivate func raid() async throws -> Raid {
        let plan = RaidPlan(
            boss: BossCatalogue.all[0].id,
            health: 5_000,
            startsAt: nil,
            duration: .seconds(3_600),
            regions: []
        )
        return try await commands.startRaid(plan, by: .test, dryRun: false)
    }

    /// Lets a new party of one join a raid.
    fileprivate func join(_ raid: Raid) async throws -> (stored: StoredAdventure, player: PlayerID) {
        let player = try await game.player()
        let party = try await game.party(of: [player])
        _ = try await commands.joinRaid(raid.id, with: party.id, by: player, request: nil) { _ in
            EncodedResponse(status: 201, body: "")
        }
        return (try await game.adventure(of: party.id), player)
    }

    /// Gives a raid a channel, as far as its keeper would be.
    fileprivate func showOnChannel(
        _ raid: Raid,
        _ channelID: String,
        as state: BroadcastChannel.State = .live
    ) async throws {
        let key = BroadcastChannel.Key(BroadcastChannel.Owner(.raid, raid.id.rawValue), in: .simulator)
        try await store.wantChannels([key], storing: .noMessage)
        let isChanged: Bool? = try await store.changeChannel(key) { channel, now in
            channel.state = state
            channel.channelID = channelID
            channel.createdAt = now
            return true
        }
        #expect(isChanged == true)
    }
}
