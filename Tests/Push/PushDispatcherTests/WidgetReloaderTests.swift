import APNsClient
import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import GameTestSupport
import HTTP2Transport
import RangersMetrics
import Synchronization
import TestSupport
import Testing

@testable import PushDispatcher

/// Pushes to widgets, and what they report.
@Suite struct WidgetReloaderTests {
    private static let start = Timestamp(epochSeconds: 1_800_000_000)

    /// Gives a player what a boss fight brings.
    private func award(
        _ experience: Int,
        to player: PlayerID,
        at moment: Timestamp = start,
        in world: DispatchWorld
    ) async throws {
        var generator = SeededGenerator(seed: UInt64.random(in: .min ... .max))
        let party = PartyID(at: moment, using: &generator)
        let award = Award(
            adventureID: AdventureID(at: moment, in: party.shard, using: &generator),
            playerID: player,
            partyID: party,
            kind: .bossFight,
            scene: "glitch",
            outcome: .partyWiped,
            hero: "spouty",
            experience: experience,
            reachedExperience: experience,
            bosses: 0,
            startedAt: moment,
            endedAt: moment
        )
        _ = try await world.store.apply([award], in: player.shard, at: moment)
    }

    @Test func `five changes in a quarter of an hour are one push, and one more after it`() async throws {
        try await DispatchWorld.with { world in
            let (ada, token) = (try await world.game.player("Ada"), newToken())
            try await world.commands.device(of: ada, widgetToken: token)
            let reloader = world.widgetReloader
            @Sendable func pushes(at seconds: Int) async -> Int {
                await reloader.sendDue(at: Self.start + .seconds(seconds))
                return world.apns.reloads(to: token).count
            }
            #expect(await pushes(at: 0) == 0)
            for seconds in stride(from: 0, to: 900, by: 180) {
                try await award(10, to: ada, at: Self.start + .seconds(seconds), in: world)
                #expect(await pushes(at: seconds) == 1)
            }
            #expect(await pushes(at: 899) == 1)
            #expect(await pushes(at: 900) == 2)
            // A fight without experience changes nothing.
            try await award(0, to: ada, at: Self.start + .seconds(2_000), in: world)
            #expect(await pushes(at: 5_000) == 2)

            let push = try #require(world.apns.reloads(to: token).first)
            #expect(push.headers["apns-push-type"] == "widgets" && push.headers["apns-priority"] == "5")
            #expect(push.headers["apns-topic"] == "com.example.rangers.push-type.widgets")
            #expect(push.headers["apns-expiration"] == "1800000900")
            #expect(String(decoding: push.body, as: UTF8.self) == #"{"aps":{"content-changed":true}}"#)
            let text = await world.registry.text()
            let series = #"rangers_pushes_total{priority="5",kind="widgets",status="200",reason="accepted"} 2"#
            #expect(text.contains(series))
        }
    }

    @Test func `a device without a token for widgets, or in another environment, gets no push`() async throws {
        try await DispatchWorld.with { world in
            let (ada, ben) = (try await world.game.player("Ada"), try await world.game.player("Ben"))
            try await world.commands.device(of: ada, widgetToken: newToken())
            try await world.commands.device(of: ben, in: .production, widgetToken: newToken())
            for player in [ada, ben] { try await award(10, to: player, in: world) }
            // The app has no widgets any more.
            try await world.commands.device(of: ada)
            #expect(try await world.store.shardsWithDueWidgets(in: .simulator, at: Self.start).isEmpty)
            #expect(try await world.store.shardsWithDueWidgets(in: .production, at: Self.start) == [ben.shard])
            await world.widgetReloader.sendDue(at: Self.start)
            #expect(try await world.store.shardsWithDueWidgets(in: .production, at: Self.start) == [ben.shard])
            try await award(10, to: ada, in: world)
            #expect(try await world.store.shardsWithDueWidgets(in: .simulator, at: Self.start).isEmpty)
        }
    }

    @Test func `of two nodes, one sends each push`() async throws {
        try await DispatchWorld.with { world in
            var tokens: [[UInt8]] = []
            for number in 0..<30 {
                let player = try await world.game.player("Player \(number)")
                tokens.append(newToken())
                try await world.commands.device(of: player, widgetToken: tokens[number])
                try await award(10, to: player, in: world)
            }
            let nodes = [world.widgetReloader, world.widgetReloader]
            await withDiscardingTaskGroup { group in
                for node in nodes { group.addTask { await node.sendDue(at: Self.start) } }
            }
            #expect(tokens.map { world.apns.reloads(to: $0).count } == tokens.map { _ in 1 })
        }
    }

    @Test func `no shard waits for the end of another shard's long backlog`() async throws {
        try await DispatchWorld.with { world in
            var players: [Shard: PlayerID] = [:]
            while players.count < 5 {
                let player = try await world.game.player("Player")
                players[player.shard] = player
            }
            let tokens = players.values.sorted { $0.shard < $1.shard }.map { ($0, newToken()) }
            for (player, token) in tokens {
                try await world.commands.device(of: player, widgetToken: token)
                for _ in 1...4 where token != tokens.last?.1 {
                    try await world.commands.device(DeviceID(rawValue: UUID()), of: player, widgetToken: newToken())
                }
                try await award(10, to: player, in: world)
            }
            // The order of arrival at a server depends on how busy the machine is.
            let sender = AcceptingSender()
            var reloader = world.widgetReloader(to: [.simulator: sender])
            reloader.batch = 1
            await reloader.sendDue(at: Self.start)
            let order = sender.order
            #expect(order.count == 21)
            let last = try #require(tokens.last?.1.hexadecimal)
            #expect(try #require(order.firstIndex(of: last)) < 5)
        }
    }

    @Test func `a dead token is forgotten`() async throws {
        try await DispatchWorld.with { world in
            let (ada, token) = (try await world.game.player("Ada"), newToken())
            try await world.commands.device(of: ada, widgetToken: token)
            try await award(10, to: ada, in: world)
            world.apns.respond(to: token, with: .reject(status: 410, body: #"{"reason":"Unregistered","timestamp":1}"#))
            await world.widgetReloader.sendDue(at: Self.start)
            #expect(try await world.store.devices(of: ada).map(\.widgetToken) == [nil])
            try await award(10, to: ada, in: world)
            await world.widgetReloader.sendDue(at: Self.start + .seconds(3_600))
            #expect(world.apns.reloads(to: token).count == 1)
            #expect(await world.registry.text().contains(#"rangers_tokens_forgotten_total{kind="widgets"} 1"#))
        }
    }

    @Test(arguments: [
        RecordingAPNs.Response.reject(status: 503, body: #"{"reason":"ServiceUnavailable"}"#), .never,
    ])
    func `a push that fails is repeated with the next one`(response: RecordingAPNs.Response) async throws {
        try await DispatchWorld.with { world in
            let (ada, token) = (try await world.game.player("Ada"), newToken())
            try await world.commands.device(of: ada, widgetToken: token)
            try await award(10, to: ada, in: world)
            world.apns.respond(to: token, with: response)
            await world.widgetReloader.sendDue(at: Self.start)
            #expect(world.apns.reloads(to: token).count == 1)
            world.apns.respond(to: token, with: .accept)
            for (seconds, count) in [(899, 1), (900, 2), (5_000, 2)] {
                await world.widgetReloader.sendDue(at: Self.start + .seconds(seconds))
                #expect(world.apns.reloads(to: token).count == count)
            }
        }
    }

    @Test func `a dispatcher sends them beside its other pushes`() async throws {
        try await DispatchWorld.with { world in
            let (ada, token) = (try await world.game.player("Ada"), newToken())
            try await world.commands.device(of: ada, widgetToken: token)
            try await world.dispatching {
                try await award(10, to: ada, at: world.game.clock.now, in: world)
                try await eventually("the push") { !world.apns.reloads(to: token).isEmpty }
            }
            #expect(world.apns.reloads(to: token).count == 1)
        }
    }
}

extension DispatchWorld {
    /// A sender of pushes to widgets without a dispatcher, with the parts of ``starter``.
    fileprivate var widgetReloader: WidgetReloader { widgetReloader(to: starter.clients) }

    fileprivate func widgetReloader(to clients: [PushEnvironment: any PushSender]) -> WidgetReloader {
        let starter = starter
        return WidgetReloader(
            store: starter.store,
            clients: clients,
            breakers: starter.breakers,
            settings: starter.settings,
            runtime: starter.runtime,
            metrics: starter.metrics,
            logger: starter.logger
        )
    }
}

/// Notes the tokens of pushes in the order of sending, and has them accepted.
private final class AcceptingSender: PushSender {
    private let tokens = Mutex<[String]>([])

    var order: [String] { tokens.withLock { $0 } }
    var address: (host: String, port: Int) { ("nowhere", 0) }
    var keyChanges: Int { 0 }

    func send(_ push: APNsPush) async -> APNsOutcome {
        tokens.withLock { $0.append(push.deviceToken.hex) }
        return .accepted(apnsID: push.id, uniqueID: nil)
    }

    func submit(
        _ pushes: [APNsPush],
        _ receive: @escaping @Sendable ([(index: Int, outcome: APNsOutcome)]) -> Void
    ) async {
        for (index, push) in pushes.enumerated() { receive([(index, await send(push))]) }
    }
}
