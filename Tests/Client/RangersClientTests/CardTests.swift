import GameCore
import GameStore
import LiveActivityContent
import PushRules
import RangersClient
import Testing

@Suite struct CardTests {
    @Test func `a card begins as the first push will show it`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            let party = try await ada.createParty(named: "The Rangers")
            let answer = try await ada.startJourney(of: party.partyID, in: "meadow")
            let attributes = try #require(AdventureAttributes(of: answer, party: party, for: id))
            #expect(attributes.adventureID == "\(answer.adventureID)")
            #expect(attributes.partyName == "The Rangers")
            #expect(attributes.heroName == "Spouty" && attributes.heroAvatar == "🐳")

            let stored = try #require(try await world.store.adventure(answer.adventureID))
            let first = AdventureAttributes.ContentState(
                of: stored.adventure,
                lastEvent: .adventureStarted(kind: .journey),
                turnEnds: nil
            )
            #expect(AdventureAttributes.ContentState(of: answer, for: id) == first)
        }
    }

    @Test func `who has no hero in an adventure has no card of it`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player("Ada")
            let (ben, _) = try await world.player("Ben")
            let party = try await ada.createParty(named: "Alone")
            let answer = try await ada.startJourney(of: party.partyID, in: "meadow")
            #expect(AdventureAttributes(of: answer, party: party, for: ben) == nil)
        }
    }
}
