import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import LiveActivityContent
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
            #expect(try await source.contents([]).isEmpty)
            _ = try await world.commands.openToSpectators(party.id, by: players[0]) { salt in
                SpectatorLink(in: party.id.shard, hash: salt)
            }
            let engine = world.engine()
            var shown = try #require(try await source.contents([]).first)
            var versions: [Int64] = []
            while !shown.broadcast.isFinal {
                versions.append(shown.broadcast.version)
                if versions.count == 3 {
                    _ = try await world.commands.removeMember(players[1], of: party.id, by: players[1], request: nil)
                }
                world.clock.advance(by: .seconds(10))
                _ = try await engine.runPollCycle()
                shown = try #require(try await source.contents(owner).first)
                // Played on with the log, it is as if it was read anew.
                let fresh = try #require(try await ChannelSource.spectators(in: world.store).contents(owner).first)
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
            let next = try #require(try await source.contents(owner).first)
            #expect(next.broadcast.version > shown.broadcast.version && !next.broadcast.isFinal)
            try await world.commands.closeToSpectators(party.id, by: players[0])
            #expect(try await source.contents(owner).first?.broadcast.isFinal == true)
            #expect(try await source.contents([]).isEmpty)
        }
    }
}
