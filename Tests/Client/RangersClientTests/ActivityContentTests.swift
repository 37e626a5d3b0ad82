import GameCore
import GameLog
import GameStore
import LiveActivityContent
import PushRules
import RangersClient
import Testing

@Suite struct ActivityContentTests {
    @Test func `the initial content equals the content of the first push`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            let party = try await ada.createParty(named: "The Rangers")
            let journey = try await ada.startJourney(of: party.partyID, in: "meadow")
            let attributes = try #require(AdventureAttributes(of: journey, party: party, for: id))
            #expect(attributes.adventureID == "\(journey.adventureID)")
            #expect(attributes.partyName == "The Rangers")
            #expect(attributes.heroName == "Spouty" && attributes.heroAvatar == "🐳")

            let stored = try #require(try await world.store.adventure(journey.adventureID))
            #expect(
                attributes
                    == AdventureAttributes(of: stored.id, partyName: "The Rangers", hero: stored.adventure.heroes[0])
            )
            #expect(attributes.hero?.level == 1 && attributes.hero?.power == 14)
            let first = AdventureAttributes.ContentState(
                of: stored.adventure,
                lastEvent: .adventureStarted(kind: .journey),
                turnEnds: nil
            )
            #expect(AdventureAttributes.ContentState(of: journey, for: id) == first)
        }
    }

    @Test func `the initial text of a fight is that of the first push`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            let party = try await ada.createParty(named: "The Rangers")
            let fight = try await ada.adventure(try await world.bossFight(of: party.partyID))
            let stored = try #require(try await world.store.adventure(fight.adventureID)).adventure
            let boss = try #require(stored.boss).id
            let first = AdventureAttributes.ContentState(
                of: stored,
                lastEvent: .bossAppeared(boss: boss),
                turnEnds: nil
            )
            let shown = AdventureAttributes.ContentState(of: fight, for: id)
            #expect(shown.event == first.event && shown.eventDescription == "Old Tangle appeared!")
        }
    }

    @Test func `the attributes name the players if two of them have the same hero`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player("Ada")
            let (_, ben) = try await world.player("Ben")
            let founded = try await ada.createParty(named: "Twins")
            let party = try await ben.join(founded.inviteCode)
            let journey = try await ada.startJourney(of: party.partyID, in: "meadow")
            let attributes = try #require(AdventureAttributes(of: journey, party: party, for: id))
            #expect(attributes.playerNames == ["Ada", "Ben"])
            #expect(attributes.playerName(ofHeroAt: 1) == "Ben" && attributes.playerName(ofHeroAt: 2) == nil)
        }
    }

    @Test func `a player without a hero in an adventure gets no attributes`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player("Ada")
            let (ben, _) = try await world.player("Ben")
            let party = try await ada.createParty(named: "Alone")
            let journey = try await ada.startJourney(of: party.partyID, in: "meadow")
            #expect(AdventureAttributes(of: journey, party: party, for: ben) == nil)
        }
    }
}
