import Encodings
import GameCore
import GameLog
import LiveActivityContent
import PushCadence
import PushRules
import Simulation
import Testing

@testable import PushDispatch

/// The names of players in alerts about equal heroes.
struct FollowerNameTests {
    private static let start = FollowedShard.start - .seconds(1)

    /// Plays turns of a fight without commands until an alert says that a companion is down.
    private func firstFall(in adventure: Adventure) throws -> LiveActivityPayload.Alert {
        var generator = SeededIDs()
        let id = generator.adventure()
        var database = ShardDatabase(at: Self.start)
        database.start(id, adventure, interval: .seconds(15), at: FollowedShard.start)
        let shard = FollowedShard(of: database)
        for player in 0..<2 {
            _ = shard.database.give(.command(.policy(.skip), by: .player(player)), to: id, at: shard.now)
            shard.database.register(
                Activity(
                    id: generator.activity(),
                    adventureID: id,
                    playerID: .player(player),
                    deviceID: .device(player),
                    pushToken: generator.token(),
                    environment: FollowedShard.environment,
                    frequentPushesEnabled: true,
                    locale: nil,
                    registeredAt: shard.now
                ),
                at: shard.now
            )
        }
        var falls: [PushAlert] = []
        for _ in 0..<3_000 where falls.isEmpty {
            shard.pass(to: shard.now + .seconds(1))
            shard.database.moveClock(to: shard.now)
            shard.follow()
            shard.react()
            while let index = shard.unanswered.first { shard.answer(index, .accepted) }
            falls = shard.pushes.compactMap(\.planned.alert).filter { $0.kind.weight == .companion }
        }
        #expect(shard.violations == [])
        return try #require(falls.first).content
    }

    @Test func `an alert names the player of a companion if the heroes are equal, otherwise only the hero`() throws {
        let named = try firstFall(in: .twins)
        #expect(named.title.key == "%@’s Spouty is down!" && named.body.key == "Give %@’s Spouty a potion.")
        #expect(named.title.args == named.body.args)
        #expect(named.title.args == ["Player 0"] || named.title.args == ["Player 1"])
        let plain = try firstFall(in: .fight)
        #expect(["Spouty is down!", "Bamboo is down!"].contains(plain.title.key) && plain.title.args == [])
    }

    @Test func `names come with a member who joins, and a player who leaves takes the name along`() throws {
        var generator = SeededIDs()
        let id = generator.adventure()
        var database = ShardDatabase(at: Self.start)
        database.start(id, .twins, interval: .seconds(15), at: FollowedShard.start)
        let (ada, ben, cleo) = (PlayerID.player(0), PlayerID.player(1), PlayerID.player(2))
        let stored = try #require(database.play(id)).get()
        let adventure = FollowedAdventure(stored, after: AdventureHistory(), naming: [ada: "Ada", ben: "Ben"])
        _ = database.give(.leave(ben), to: id, at: FollowedShard.start)
        _ = try adventure.apply(try #require(database.log.last))
        #expect(adventure.playerNames == [ada: "Ada"])
        let hero = Hero(playerID: cleo, id: "spouty", level: 5, potions: 1)
        _ = database.give(.join(hero), to: id, at: FollowedShard.start)
        _ = try adventure.apply(try #require(database.log.last), naming: [ada: "Ada", cleo: "Cleo"])
        #expect(adventure.playerNames == [ada: "Ada", cleo: "Cleo"])
    }
}
