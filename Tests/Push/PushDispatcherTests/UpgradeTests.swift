import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import ServiceRuntime
import TestSupport
import Testing

@testable import PushDispatcher

/// A rolling upgrade of three dispatchers and an API to a version with new rules.
@Suite struct UpgradeTests {
    enum Order: CaseIterable { case dispatchersFirst, apiFirst }

    /// A phone that shows a fight.
    private struct Phone {
        let id = newActivity()
        let token = newToken()
    }

    /// A fight of one player, with the phones that show it.
    private struct Fight {
        let stored: StoredAdventure
        let player: PlayerID
        var phones: [Phone] = []

        /// Starts a fight, which an API of a version decides, in another shard than some others.
        init(by version: RulesVersion, besides others: [Fight] = [], in world: DispatchWorld) async throws {
            player = try await world.game.player()
            var party = try await world.game.party(of: [player])
            while others.contains(where: { $0.stored.id.shard == party.id.shard }) {
                party = try await world.game.party(of: [player])
            }
            stored = try await world.commands(knowing: version)
                .startBossFight(of: party.id, against: "old-tangle", by: .test)
        }

        /// Registers another phone.
        mutating func addPhone(in world: DispatchWorld) async throws {
            let phone = Phone()
            try await world.register(phone.token, as: phone.id, of: player, for: stored)
            phones.append(phone)
        }

        func expectShown(in world: DispatchWorld) async throws {
            for phone in phones {
                try await eventually("a push to each phone") { !world.apns.pushes(to: phone.token).isEmpty }
            }
        }
    }

    @Test(arguments: Order.allCases)
    func `each phone shows its game to the end while dispatchers and API are upgraded one by one`(order: Order)
        async throws
    {
        try await DispatchWorld.with { world in
            func start(_ version: RulesVersion) -> Task<Void, Never> {
                let dispatcher = world.dispatcher(knowing: version)
                return Task { await dispatcher.run() }
            }
            var dispatchers = (0..<3).map { _ in start(.v2) }
            defer { for dispatcher in dispatchers { dispatcher.cancel() } }
            var fights = [try await Fight(by: .v2, in: world)]
            #expect(fights[0].stored.adventure.rules == .v2)
            try await fights[0].addPhone(in: world)
            try await fights[0].expectShown(in: world)

            if order == .apiFirst {
                var fight = try await Fight(by: .v3, besides: fights, in: world)
                #expect(fight.stored.adventure.rules == .v3)
                try await fight.addPhone(in: world)
                let shard = fight.stored.id.shard
                try await eventually("the old dispatchers leave the shard") {
                    try await world.store.unleasedShards()[shard] != nil
                }
                fights.append(fight)
            }
            for number in dispatchers.indices {
                dispatchers[number].cancel()
                await dispatchers[number].value
                dispatchers[number] = start(.v3)
                for index in fights.indices {
                    try await fights[index].addPhone(in: world)
                    try await fights[index].expectShown(in: world)
                }
            }
            if order == .dispatchersFirst {
                var fight = try await Fight(by: .v3, besides: fights, in: world)
                try await fight.addPhone(in: world)
                try await fight.expectShown(in: world)
                fights.append(fight)
            }

            for fight in fights {
                _ = try await world.commands.end(fight.stored.id, by: .test)
                for phone in fight.phones {
                    try await eventually("the end on each phone") {
                        world.apns.pushes(to: phone.token).last?.event == "end"
                    }
                }
            }
            for dispatcher in dispatchers {
                dispatcher.cancel()
                await dispatcher.value
            }
        }
    }
}
