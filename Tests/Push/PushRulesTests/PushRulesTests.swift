import Foundation
import GameCore
import LiveActivityContent
import Testing

@testable import PushRules

struct PushRulesTests {
    private func rule(_ event: AdventureEvent, for receiver: Seat = ember) -> PushRule {
        PushRules.rule(for: event, after: .sampleFight, receiver: receiver)
    }

    @Test(arguments: [
        AdventureEvent.travelled(location: "meadow"), .lootFound(hero: spouty, item: .potion, rarity: .epic),
        .heroHurt(hero: spouty, amount: 5, cause: .hazard), .heroHealed(hero: spouty, amount: 5, source: .rest),
        .heroLevelledUp(hero: spouty, level: 2), .heroRevived(hero: spouty, helper: ember),
        .memberJoined(hero: spouty), .memberLeft(hero: spouty), .storyTold(beat: "meadow-grass"),
        .hazardStruck(hazard: "hail"), .restTaken(rest: "picnic"), .encounterMet(foe: "ram"),
        .foeStruck(foe: "ram", damage: 9), .encounterWon(foe: "ram"), .policyChosen(hero: spouty, policy: .guard),
    ])
    func `small changes such as loot, healing and travel have low urgency and no alert`(event: AdventureEvent) {
        #expect(rule(event).urgency == .low)
        #expect(rule(event).alert == nil)
        #expect(rule(event).urgency.priority(frequentPushesEnabled: true) == .low)
    }

    @Test(arguments: [
        AdventureEvent.turnStarted(turn: 1, hero: spouty), .actionTaken(hero: spouty, action: .attack, damage: 3),
        .bossActed(move: .windUp), .bossActed(move: .takeAim, target: ember), .bossHealed(boss: "glitch", amount: 9),
        .bossEnraged(boss: "glitch", phase: 2), .raidProgressed(health: 1, maximum: 2),
    ])
    func `turns have priority 10 on phones with frequent pushes only`(event: AdventureEvent) {
        #expect(rule(event).urgency.priority(frequentPushesEnabled: true) == .high)
        #expect(rule(event).urgency.priority(frequentPushesEnabled: false) == .low)
        #expect(rule(event).alert == nil)
    }

    @Test(arguments: [
        (AdventureEvent.heroDown(hero: spouty), AlertKind.companionDown(spouty)),
        (.bossAppeared(boss: "glitch"), .bossAppeared),
        (.bossDefeated(boss: "glitch"), .bossDefeated),
        (.partyWiped, .partyWiped),
        (.adventureEnded(outcome: .completed), .adventureOver),
        (.adventureEnded(outcome: .endedByOperator), .adventureOver),
        (.adventureEnded(outcome: .expired), .adventureOver),
        (.adventureEnded(outcome: .abandoned), .adventureOver),
    ])
    func `important events have an alert at priority 10 on every phone`(event: AdventureEvent, kind: AlertKind) {
        #expect(rule(event).alert?.kind == kind)
        #expect(rule(event).alert?.content.sound == kind.sound.rawValue)
        for frequent in [true, false] {
            #expect(rule(event).urgency.priority(frequentPushesEnabled: frequent) == .high)
        }
    }

    @Test func `the alert for a hero's own player differs from that for the others`() throws {
        let own = try #require(rule(.heroDown(hero: spouty), for: spouty).alert?.content)
        let others = try #require(rule(.heroDown(hero: spouty), for: ember).alert?.content)
        #expect(own.title.english == "You are down!")
        #expect(own.body.english == "Spouty cannot fight on. Ask your party for a potion.")
        #expect(others.title.english == "Spouty is down!")
        #expect(others.body.english == "Give Spouty a potion.")
    }

    @Test func `a hero in danger has an alert for its own player, which a gain of health or the fall cancels`() throws {
        let hurt = AdventureEvent.heroHurt(hero: spouty, amount: 9, cause: .hazard, inDanger: true)
        let alert = try #require(rule(hurt, for: spouty).alert)
        #expect(alert.kind == .heroInDanger && alert.content.sound == "hero-in-danger.wav")
        #expect(alert.content.title.english == "Spouty has taken a critical hit!")
        #expect(alert.content.body.english == "Open the app and use a potion to heal Spouty.")
        #expect(rule(hurt, for: spouty).stateUrgency == .low)
        #expect(rule(hurt, for: ember).alert == nil && rule(hurt, for: ember).urgency == .low)
        for end: AdventureEvent in [.heroHealed(hero: spouty, amount: 1, source: .rest), .heroDown(hero: spouty)] {
            #expect(rule(end, for: spouty).cancels == [.heroInDanger])
            #expect(rule(end, for: ember).cancels.isEmpty)
        }
    }

    @Test func `a combined alert names all companions who are down`() throws {
        let alerts = try [spouty, ember].map { hero in
            try #require(rule(.heroDown(hero: hero), for: Seat(rawValue: 2)).alert)
        }
        #expect(PushAlert(combining: [alerts[0]]) == alerts[0])
        let both = PushAlert(combining: alerts)
        #expect(both.kind == .companionDown(ember))
        #expect(both.content.title.english == "Heroes down: 🐳, 🦊!")
        #expect(both.content.body.english == "Give them potions.")
        #expect(both.content.sound == AlertSound.heroDown.rawValue)
    }

    @Test func `an alert about one of two equal heroes names the player, unless the player has left`() throws {
        let (ada, ben, cleo) = (player(), player(), player())
        let heroes = [(ada, "spouty" as HeroID), (ben, "spouty"), (cleo, "ember")].map { player, hero in
            Hero(playerID: player, id: hero, level: 1, potions: 1)
        }
        var journey = Adventure.journey(in: "meadow", heroes: heroes, seed: 1)
        _ = try journey.advance(.start)
        func alert(_ hero: Int, for receiver: Int) throws -> PushAlert {
            try #require(
                PushRules.rule(
                    for: .heroDown(hero: Seat(rawValue: hero)),
                    after: journey,
                    receiver: Seat(rawValue: receiver),
                    playerNames: [ada: "Ada", ben: "Ben", cleo: "Cleo"]
                ).alert
            )
        }
        let bens = try alert(1, for: 2)
        #expect(bens.content.title == LocalizableText(key: "%@’s Spouty is down!", args: ["Ben"]))
        #expect(bens.content.body == LocalizableText(key: "Give %@’s Spouty a potion.", args: ["Ben"]))
        // Only one Ember is there, and everyone knows whose hero the own one is.
        #expect(try alert(2, for: 0).content.title == LocalizableText(key: "Ember is down!"))
        #expect(try alert(1, for: 1).content.title == LocalizableText(key: "You are down!"))
        let both = PushAlert(combining: [try alert(0, for: 1), try alert(2, for: 1)])
        #expect(both.content.title.english == "Heroes down: 🐳 Ada, 🦊!")
        _ = try journey.advance(.leave(ben))
        #expect(try alert(1, for: 2).content.title == LocalizableText(key: "Spouty is down!"))
        #expect(try alert(0, for: 2).content.title.args == ["Ada"])
    }

    private func player() -> PlayerID { PlayerID(rawValue: UUID()) }

    @Test func `alerts use the display name of a boss`() {
        #expect(rule(.bossDefeated(boss: "glitch")).alert?.content.title.english == "Glitch is defeated!")
    }

    @Test(arguments: [AdventureOutcome.bossDefeated, .partyWiped])
    func `an end whose outcome another event announces has no alert`(outcome: AdventureOutcome) {
        #expect(rule(.adventureEnded(outcome: outcome)).alert == nil)
    }

    @Test func `a revival or a departure cancels the alert of that hero only`() {
        #expect(rule(.heroRevived(hero: spouty, helper: nil)).cancels == [.companionDown(spouty)])
        #expect(rule(.heroRevived(hero: spouty, helper: nil), for: spouty).cancels == [.ownHeroDown])
        #expect(rule(.memberLeft(hero: spouty)).cancels == [.companionDown(spouty)])
        let others = AdventureEvent.everyVariant.filter { event in
            if case .heroRevived = event { false } else if case .memberLeft = event { false } else { true }
        }
        #expect(others.allSatisfy { !rule($0).cancels.contains(.companionDown(spouty)) })
    }

    @Test func `only alerts that announce the outcome survive the end`() {
        let outliving = AdventureEvent.everyVariant.compactMap { rule($0).alert?.kind }.filter(\.announcesOutcome)
        #expect(Set(outliving) == [.bossDefeated, .partyWiped, .adventureOver])
    }

    @Test func `an activity ends with its adventure, or when its player leaves`() {
        for event in AdventureEvent.everyVariant {
            switch event {
            case .adventureEnded:
                #expect(rule(event).endsActivity)
            case .memberLeft:
                #expect(rule(event, for: spouty).endsActivity)
                #expect(!rule(event, for: ember).endsActivity)
            default:
                #expect(!rule(event).endsActivity)
            }
        }
    }

    @Test func `an own turn has an alert, which the end of the turn cancels`() throws {
        let own = rule(.turnStarted(turn: 3, hero: ember))
        #expect(own.alert?.kind == .ownTurn)
        #expect(own.alert?.content.title.english == "It is your turn!")
        #expect(own.alert?.content.body.english == "Ember waits for your command.")
        #expect(own.urgency == .high)
        #expect(rule(.turnStarted(turn: 3, hero: spouty)).alert == nil)
        #expect(rule(.turnStarted(turn: 3, hero: nil)).alert == nil)
        for action in HeroAction.allCases {
            #expect(rule(.actionTaken(hero: ember, action: action, damage: 0)).cancels == [.ownTurn])
            #expect(rule(.actionTaken(hero: spouty, action: action, damage: 0)).cancels.isEmpty)
        }
    }

    @Test func `the state of a fight is stale sooner than that of a journey`() {
        for event in AdventureEvent.everyVariant {
            switch event {
            case .travelled, .storyTold, .lootFound, .hazardStruck, .restTaken, .encounterMet, .foeStruck,
                .encounterWon, .adventureStarted(.journey):
                #expect(rule(event).freshness == .lasting, "\(event)")
            case .adventureStarted(.bossFight), .adventureStarted(.raid), .bossAppeared, .turnStarted, .actionTaken,
                .bossActed, .bossHealed, .bossHindered, .bossEnraged, .raidProgressed, .heroDown:
                #expect(rule(event).freshness == .brief, "\(event)")
            case .heroHurt, .heroHealed, .heroRevived, .heroLevelledUp, .memberJoined, .memberLeft, .policyChosen,
                .bossDefeated, .partyWiped, .adventureEnded:
                #expect(rule(event).freshness == nil, "\(event)")
            }
        }
    }

    @Test func `the table has every event, with its rule`() throws {
        let table = PushRules.table
        let occasions = PushOccasion.allCases.map(\.rawValue)
        #expect(Set(table.map { String($0.event.prefix { $0 != " " }) }) == Set(AdventureEvent.allKinds + occasions))
        #expect(Set(table.map { "\($0.event) \($0.phone)" }).count == table.count)
        #expect(table.allSatisfy { !$0.reason.isEmpty })
        #expect(
            table.filter { $0.phone != "all" }.map(\.event) == [
                "heroHurt (in danger)", "heroHurt (in danger)", "heroDown", "heroDown", "turnStarted", "turnStarted",
                "actionTaken", "actionTaken", "memberLeft",
                "memberLeft",
            ]
        )
        let down = table.filter { $0.event == "heroDown" }
        #expect(down.map(\.phone) == ["own", "others"])
        #expect(down.map(\.alert) == ["You are down!", "%@ is down!"])
        #expect(
            down.allSatisfy { $0.frequentPriority == 10 && $0.standardPriority == 10 && $0.sound == "hero-down.wav" }
        )
        #expect(down[0].cancelledBy == "the hero is up again, or the adventure is over")
        let turn = table.filter { $0.event == "turnStarted" }
        #expect(turn.map { [$0.frequentPriority, $0.standardPriority] } == [[10, 10], [10, 5]])
        #expect(turn.map(\.alert) == ["It is your turn!", nil])
        let token = table.filter { $0.event.hasPrefix("newToken") }
        #expect(token.map { [$0.frequentPriority, $0.standardPriority] } == [[5, 5], [10, 5]])
    }

    @Test func `without its alert, a state is urgent only in a fight`() {
        for event in AdventureEvent.everyVariant where rule(event).urgency == .high {
            switch event {
            case .bossAppeared, .turnStarted, .bossDefeated, .partyWiped: #expect(rule(event).stateUrgency == .turn)
            default: #expect(rule(event).stateUrgency == .low, "\(event)")
            }
        }
        #expect(rule(.memberLeft(hero: spouty), for: spouty).stateUrgency == .low)
    }

    @Test func `the last headline determines the freshness of a state, otherwise the kind of the adventure does`() {
        func freshness(_ adventure: Adventure, after headline: AdventureEvent) -> Freshness {
            PushRules.freshness(of: adventure, after: headline, receiver: ember)
        }
        let potion = AdventureEvent.heroHealed(hero: ember, amount: 3, source: .potion)
        #expect(freshness(.sampleJourney, after: potion) == .lasting)
        #expect(freshness(.sampleFight, after: potion) == .brief)
        #expect(freshness(.sampleJourney, after: .heroDown(hero: spouty)) == .brief)
        #expect(freshness(.sampleJourney, after: .travelled(location: "meadow")) == .lasting)
    }
}
