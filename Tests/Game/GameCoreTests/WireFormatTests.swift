import Foundation
import Testing

@testable import GameCore

/// The JSON of events, commands and inputs.
struct WireFormatTests {
    private static let player = "00000000-0000-7000-8000-000000000003"

    static let events: [(event: AdventureEvent, json: String)] = [
        (.adventureStarted(kind: .bossFight), #"{"adventure":"bossFight","kind":"adventureStarted"}"#),
        (.storyTold(beat: "meadow-mill"), #"{"beat":"meadow-mill","kind":"storyTold"}"#),
        (.travelled(location: "windmill"), #"{"kind":"travelled","location":"windmill"}"#),
        (
            .lootFound(hero: .first, item: "compass", rarity: .rare),
            #"{"hero":0,"item":"compass","kind":"lootFound","rarity":"rare"}"#
        ),
        (.hazardStruck(hazard: "thorns"), #"{"hazard":"thorns","kind":"hazardStruck"}"#),
        (.restTaken(rest: "picnic"), #"{"kind":"restTaken","rest":"picnic"}"#),
        (.encounterMet(foe: "ram"), #"{"foe":"ram","kind":"encounterMet"}"#),
        (.foeStruck(foe: "ram", damage: 12), #"{"damage":12,"foe":"ram","kind":"foeStruck"}"#),
        (.encounterWon(foe: "ram"), #"{"foe":"ram","kind":"encounterWon"}"#),
        (
            .heroHurt(hero: .third, amount: 7, cause: .hazard),
            #"{"amount":7,"cause":"hazard","hero":2,"kind":"heroHurt"}"#
        ),
        (
            .heroHealed(hero: .first, amount: 9, source: .potion),
            #"{"amount":9,"hero":0,"kind":"heroHealed","source":"potion"}"#
        ),
        (.heroDown(hero: .second), #"{"hero":1,"kind":"heroDown"}"#),
        (.heroRevived(hero: .first, helper: .second), #"{"helper":1,"hero":0,"kind":"heroRevived"}"#),
        (.heroRevived(hero: .first, helper: nil), #"{"hero":0,"kind":"heroRevived"}"#),
        (.heroLevelledUp(hero: .first, level: 2), #"{"hero":0,"kind":"heroLevelledUp","level":2}"#),
        (.bossAppeared(boss: "glitch"), #"{"boss":"glitch","kind":"bossAppeared"}"#),
        (.turnStarted(turn: 3, hero: .first), #"{"hero":0,"kind":"turnStarted","turn":3}"#),
        (.turnStarted(turn: 4, hero: nil), #"{"kind":"turnStarted","turn":4}"#),
        (
            .actionTaken(hero: .first, action: .guardUp, damage: 0),
            #"{"action":"guard","damage":0,"hero":0,"kind":"actionTaken"}"#
        ),
        (.bossActed(move: .heavyAttack), #"{"kind":"bossActed","move":"heavyAttack"}"#),
        (.bossActed(move: .takeAim, target: .second), #"{"kind":"bossActed","move":"takeAim","target":1}"#),
        (.bossHealed(boss: "glitch", amount: 6), #"{"amount":6,"boss":"glitch","kind":"bossHealed"}"#),
        (
            .bossHindered(boss: "glitch", by: .interrupted),
            #"{"boss":"glitch","hindrance":"interrupted","kind":"bossHindered"}"#
        ),
        (.bossEnraged(boss: "glitch", phase: 2), #"{"boss":"glitch","kind":"bossEnraged","phase":2}"#),
        (.raidProgressed(health: 7, maximum: 9), #"{"health":7,"kind":"raidProgressed","maximum":9}"#),
        (.bossDefeated(boss: "glitch"), #"{"boss":"glitch","kind":"bossDefeated"}"#),
        (.partyWiped, #"{"kind":"partyWiped"}"#),
        (.memberJoined(hero: .third), #"{"hero":2,"kind":"memberJoined"}"#),
        (.memberLeft(hero: .third), #"{"hero":2,"kind":"memberLeft"}"#),
        (.policyChosen(hero: .first, policy: .guard), #"{"hero":0,"kind":"policyChosen","policy":"guard"}"#),
        (
            .adventureEnded(outcome: .endedByOperator),
            #"{"kind":"adventureEnded","outcome":"endedByOperator"}"#
        ),
    ]

    @Test(arguments: events) func `an event is one flat object`(event: AdventureEvent, json: String) throws {
        #expect(try SortedJSON.text(of: event) == json)
        #expect(try SortedJSON.value(of: json) == event)
    }

    @Test(arguments: events) func `the event's own JSON equals that of JSONEncoder`(event: AdventureEvent, json: String)
        throws
    {
        let object = try JSONSerialization.jsonObject(with: Data(event.json)) as? NSDictionary
        #expect(object == (try JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary))
        #expect(try JSONDecoder().decode(AdventureEvent.self, from: Data(event.json)) == event)
    }

    @Test func `the event's own JSON escapes strings and writes negative numbers`() throws {
        let event = AdventureEvent.travelled(location: LocationID(rawValue: "a \"b\" \\ \n\u{1}\u{1F} ü 🌋"))
        #expect(try JSONDecoder().decode(AdventureEvent.self, from: Data(event.json)) == event)
        let hurt = AdventureEvent.heroHurt(hero: .first, amount: -120, cause: .hazard)
        #expect(try JSONDecoder().decode(AdventureEvent.self, from: Data(hurt.json)) == hurt)
    }

    @Test func `a blow that endangers a hero says so, and has the digest of another one`() throws {
        let hurt = AdventureEvent.heroHurt(hero: .third, amount: 7, cause: .hazard, inDanger: true)
        let json = #"{"amount":7,"cause":"hazard","hero":2,"inDanger":true,"kind":"heroHurt"}"#
        #expect(try SortedJSON.text(of: hurt) == json)
        #expect(try JSONDecoder().decode(AdventureEvent.self, from: Data(hurt.json)) == hurt)
        var (digest, other) = (EventDigest(), EventDigest())
        digest.add(hurt)
        other.add(.heroHurt(hero: .third, amount: 7, cause: .hazard))
        #expect(digest == other)
    }

    @Test func `the examples cover all events, in order`() {
        var kinds: [String] = []
        for (event, _) in Self.events where kinds.last != event.kind {
            kinds.append(event.kind)
        }
        #expect(kinds == AdventureEvent.allKinds)
    }

    @Test(arguments: [
        #"{"kind":"heroVanished","hero":1}"#, #"{"hero":1}"#, #"{"kind":"heroDown"}"#,
        #"{"kind":"heroHurt","hero":1,"amount":2,"cause":"boredom"}"#,
    ])
    func `invalid events are rejected`(json: String) {
        #expect(throws: DecodingError.self) { try SortedJSON.value(of: json) as AdventureEvent }
    }

    @Test(arguments: [
        (Command.potion(target: nil), #"{"type":"potion"}"#),
        (.potion(target: .second), #"{"target":1,"type":"potion"}"#),
        (.attack, #"{"type":"attack"}"#),
        (.guardUp, #"{"type":"guard"}"#),
        (.special, #"{"type":"special"}"#),
        (.revive(target: .third), #"{"target":2,"type":"revive"}"#),
        (.flee, #"{"type":"flee"}"#),
        (.pass, #"{"type":"pass"}"#),
        (.policy(.automatic), #"{"policy":"automatic","type":"policy"}"#),
        (.policy(.guard), #"{"policy":"guard","type":"policy"}"#),
        (.policy(.skip), #"{"policy":"skip","type":"policy"}"#),
    ])
    func `a command is an object with a type and its fields`(command: Command, json: String) throws {
        #expect(try SortedJSON.text(of: command) == json)
        #expect(try SortedJSON.value(of: json) == command)
        #expect(json.contains(#""type":"\#(command.kind.rawValue)""#))
    }

    @Test(arguments: [
        #"{"type":"dance"}"#, #"{}"#, #"{"type":"potion","target":"me"}"#, #"{"type":"revive"}"#,
        #"{"type":"policy"}"#, #"{"policy":"dance","type":"policy"}"#,
    ])
    func `invalid commands are rejected`(json: String) {
        #expect(throws: DecodingError.self) { try SortedJSON.value(of: json) as Command }
    }

    @Test(arguments: [
        (AdventureInput.start, #"{"type":"start"}"#),
        (.tick, #"{"type":"tick"}"#),
        (
            .command(.potion(target: .first), by: GameWorld.player(3)),
            #"{"command":{"target":0,"type":"potion"},"player":"\#(player)","type":"command"}"#
        ),
        (
            .join(GameWorld.hero(3, "inky", level: 4, potions: 1)),
            #"{"hero":{"experience":600,"id":"inky","playerID":"\#(player)","potions":1},"type":"join"}"#
        ),
        (.leave(GameWorld.player(3)), #"{"player":"\#(player)","type":"leave"}"#),
        (.end, #"{"type":"end"}"#),
    ])
    func `an input is an object with a type and its fields`(input: AdventureInput, json: String) throws {
        #expect(try SortedJSON.text(of: input) == json)
    }

    @Test func `every refusal has a unique slug and an explanation`() {
        #expect(Set(AdventureRefusal.allCases.map(\.slug)).count == AdventureRefusal.allCases.count)
        for refusal in AdventureRefusal.allCases {
            #expect(refusal.slug.allSatisfy { $0 == "-" || $0.isLowercase })
            #expect(refusal.explanation.hasSuffix("."))
        }
        #expect(AdventureRefusal.notYourTurn.slug == "not-your-turn")
        #expect(AdventureRefusal.noPotionsLeft.slug == "no-potions-left")
    }
}

/// JSON with sorted keys, as the server writes it.
enum SortedJSON {
    static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func value<Value: Decodable>(of text: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }
}
