import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import LiveActivityContent
import PostgresClient
import PushDispatch
import Testing

@testable import PushDispatcher

/// What the channels of parties show to spectators.
@Suite struct SpectatorChannelTests {
    @Test func `spectators are shown each state of an open party, and the last one when it is over or closed`()
        async throws
    {
        try await World.with { world in
            let players = [try await world.player("Ada"), try await world.player("Ben", hero: "ember")]
            let party = try await world.party(of: players)
            let owner: Set = [party.id.rawValue]
            let source = ChannelSource.spectators(in: world.store)
            let journey = try await world.startJourney(party)
            #expect(source.kind == .party && source.storagePolicy == .mostRecentMessage)
            try await world.open(party, by: players[0])
            // Without a channel, the source does not follow the adventure.
            #expect(try await source.contents([]).contents.isEmpty)
            let engine = world.engine()
            var shown = try #require(try await source.contents(owner).contents.first)
            var versions: [Int64] = []
            while !shown.broadcast.isFinal {
                versions.append(shown.broadcast.version)
                if versions.count == 3 {
                    _ = try await world.commands.removeMember(players[1], of: party.id, by: players[1], request: nil)
                }
                world.clock.advance(by: .seconds(10))
                _ = try await engine.runPollCycle()
                shown = try #require(try await source.contents(owner).contents.first)
                // Played on with the log, it is as if it was read anew.
                let anew = ChannelSource.spectators(in: world.store)
                let fresh = try #require(try await anew.contents(owner).contents.first)
                #expect(shown.broadcast == fresh.broadcast && shown.contentState == fresh.contentState)
            }
            // Nothing may happen within ten seconds.
            #expect(versions == versions.sorted() && Set(versions).count > 3, "\(versions)")
            #expect(shown.broadcast.version > versions[0])
            let ended = try #require(try await world.store.adventure(journey.id))
            let state = try JSONDecoder()
                .decode(AdventureAttributes.ContentState.self, from: Data(shown.contentState))
            #expect(state.outcome == ended.adventure.outcome?.rawValue && state.outcome != nil)
            #expect(state.sequence == ended.adventure.sequence && state.heroes.map(\.name) == ["Spouty", "Ember"])
            #expect(shown.alert == nil)

            // The next adventure is newer than the last one.
            _ = try await world.startJourney(party)
            let next = try #require(try await source.contents(owner).contents.first)
            #expect(next.broadcast.version > shown.broadcast.version && !next.broadcast.isFinal)
            try await world.commands.closeToSpectators(party.id, by: players[0])
            #expect(try await source.contents(owner).contents.first?.broadcast.isFinal == true)
        }
    }

    @Test func `a shard that needs a newer version keeps its channels, and holds up no others`() async throws {
        try await World.with { world in
            var parties: [Party] = []
            while Set(parties.map(\.id.shard)).count < 2 {
                let player = try await world.player("Ada")
                let party = try await world.party(of: [player])
                _ = try await world.startJourney(party)
                try await world.open(party, by: player)
                parties.append(party)
            }
            let owners = Set(parties.map(\.id.rawValue))
            let source = ChannelSource.spectators(in: world.store)
            let all = try await source.contents(owners)
            #expect(Set(all.contents.map(\.ownerID)) == owners && all.unreadable.isEmpty)

            let newer = try #require(parties.last)
            let require = Statement("test.require", "UPDATE shards SET requires = 1000 WHERE shard = $1")
            _ = try await world.pool.query(PostgresQuery(require, Int16(newer.id.shard.rawValue)))
            for source in [source, .spectators(in: world.store)] {
                let rest = try await source.contents(owners)
                #expect(Set(rest.contents.map(\.ownerID)) == owners.subtracting([newer.id.rawValue]))
                #expect(rest.unreadable == [newer.id.rawValue])
            }
        }
    }
}

extension World {
    /// Opens a party to spectators.
    fileprivate func open(_ party: Party, by leader: PlayerID) async throws {
        _ = try await commands.openToSpectators(party.id, by: leader) { salt in
            SpectatorLink(in: party.id.shard, hash: salt)
        }
    }
}
