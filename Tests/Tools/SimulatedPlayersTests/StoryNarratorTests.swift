import Foundation
import GameCore
import LiveActivityContent
import Testing

@testable import SimulatedPlayers

@Suite struct StoryNarratorTests {
    private let narrator = StoryNarrator(heroes: ["spouty", "ember"], boss: "glitch")
    private let spouty = Seat(rawValue: 0)
    private let ember = Seat(rawValue: 1)

    @Test func `loot has its finder and rarity`() {
        let line = narrator.line(for: .lootFound(hero: spouty, item: "compass", rarity: .rare))
        #expect(line == "🐳 Spouty finds a golden compass (rare)")
    }

    @Test func `a revival has the helper`() {
        #expect(narrator.line(for: .heroRevived(hero: ember, helper: spouty)) == "💖 🐳 Spouty helps 🦊 Ember up")
        #expect(narrator.line(for: .heroRevived(hero: ember, helper: nil)) == "💖 🦊 Ember is up again")
    }

    @Test func `the boss's events have its name`() {
        #expect(narrator.line(for: .bossActed(move: .windUp)) == "👾 Glitch gathers its strength")
        #expect(narrator.line(for: .bossActed(move: .takeAim, target: ember)) == "👾 Glitch takes aim at 🦊 Ember")
        #expect(narrator.line(for: .bossHealed(boss: "glitch", amount: 8)) == "👾 Glitch gains 8 health")
        #expect(narrator.line(for: .bossEnraged(boss: "glitch", phase: 2)) == "😡 👾 Glitch is enraged!")
        #expect(narrator.line(for: .bossDefeated(boss: "glitch")) == "🏆 👾 Glitch is defeated!")
    }

    @Test func `hazards, rests and story beats have their region's text`() {
        #expect(narrator.line(for: .hazardStruck(hazard: "hail")) == "⚠️ Hail came down on the meadow.")
        #expect(narrator.line(for: .restTaken(rest: "haystack")) == "⛺ The party slept in a haystack.")
        #expect(narrator.line(for: .storyTold(beat: "peaks-song")) == "📖 The ice sings at night.")
    }

    @Test func `an encounter has a line for each event`() {
        #expect(narrator.line(for: .encounterMet(foe: "ram")) == "🐏 a stubborn ram stands in the way")
        #expect(narrator.line(for: .foeStruck(foe: "ram", damage: 9)) == "The party strikes 🐏 a stubborn ram for 9")
        #expect(narrator.line(for: .encounterWon(foe: "ram")) == "🐏 a stubborn ram gives way")
    }

    @Test(arguments: [
        (HeroAction.critical, 20, "🐳 Spouty hits hard for 20"), (.miss, 0, "🐳 Spouty misses"),
        (.special, 0, "🐳 Spouty uses Tidal Song"), (.special, 7, "🐳 Spouty uses Tidal Song for 7"),
        (.revive, 0, "🐳 Spouty reaches out to a companion"),
        (.fleeRefused, 0, "🐳 Spouty tries to run, but the boss stands in the way"),
    ])
    func `a hero's action has its effect`(action: HeroAction, damage: Int, line: String) {
        #expect(narrator.line(for: .actionTaken(hero: spouty, action: action, damage: damage)) == line)
    }

    @Test func `a chosen turn policy has a line`() {
        #expect(narrator.line(for: .policyChosen(hero: ember, policy: .guard)) == "🦊 Ember guards when left alone")
    }

    @Test func `a turn has a line for its action only`() {
        #expect(narrator.line(for: .turnStarted(turn: 3, hero: spouty)) == nil)
        #expect(narrator.line(for: .actionTaken(hero: spouty, action: .attack, damage: 9)) == "🐳 Spouty attacks for 9")
    }

    @Test func `a logged push is decoded with its payload`() throws {
        let payload = """
            {"aps":{"timestamp":1,"content-state":{"sequence":12},"alert":{"sound":"hero-down.wav",
            "title":{"loc-key":"Ember is down!"},
            "body":{"loc-key":"Give Ember a potion."}}}}
            """
        let text = String(decoding: try JSONEncoder().encode(payload), as: UTF8.self)
        let json = """
            {"number":3,"time":"2027-01-15T08:00:00.000Z","activityID":"01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11",
            "priority":10,"event":"update","apnsID":"one","status":200,"payload":\(text)}
            """
        let push = try JSONDecoder().decode(LoggedPush.self, from: Data(json.utf8))
        #expect(push.isAccepted)
        #expect(push.kind == .update)
        #expect(push.sequence == 12)
        #expect(push.alert == SampleAdventure.down(seenBy: SampleAdventure.roles[0]))
    }
}
