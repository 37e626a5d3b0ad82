import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import TestSupport
import Testing

@testable import PushDispatcher

/// The freshness of the state of a journey before its first event.
@Suite struct JourneyFreshnessTests {
    @Test func `the state of a journey is fresh for four minutes after a registration and after a restart`()
        async throws
    {
        try await DispatchWorld.with { world in
            let (stored, player) = try await world.journey()
            let (id, token) = (newActivity(), newToken())
            try await world.register(token, as: id, of: player, for: stored)
            try await world.dispatching {
                try await eventually("the first state") { !world.apns.pushes(to: token).isEmpty }
            }
            let before = world.apns.pushes(to: token)
            _ = try await world.commands.push(.update, to: id, by: .test)
            try await world.dispatching {
                try await eventually("the requested push") { world.apns.pushes(to: token).count > before.count }
            }
            let lives = world.apns.pushes(to: token).map { $0.expiration - $0.timestamp }
            // APNs keeps a state until it is out of date. The first timestamp of a lease is two seconds ahead of the clock.
            #expect(lives.count > before.count && lives.allSatisfy { (238...240).contains($0) }, "\(lives)")
        }
    }
}

extension DispatchWorld {
    /// Starts the journey of a party of one, without an engine, so that nothing happens on it.
    fileprivate func journey() async throws -> (stored: StoredAdventure, player: PlayerID) {
        let hash = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        let player = try await commands.register(displayName: Name("Ada"), hero: "spouty", tokenHash: hash).id
        let party = try await commands.createParty(named: Name("Test"), capacity: 1, founder: player, request: nil) {
            EncodedResponse(status: 201, body: "\($0.id)")
        }
        let response = try await commands.startJourney(
            of: try #require(PartyID(party.body)),
            in: RegionCatalogue.all[0].id,
            by: player,
            request: nil
        ) { EncodedResponse(status: 201, body: "\($0.id)") }
        let id = try #require(AdventureID(response.body))
        return (try #require(try await store.adventures([id], of: id.shard).first).get(), player)
    }
}
