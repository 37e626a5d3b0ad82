import Foundation
import GameCore
import LiveActivityContent
import TestSupport
import Testing

@testable import PushRules

/// Checks the String Catalog and the sounds of the app against the rules.
struct LocalizationTests {
    private struct Catalog: Decodable {
        struct Entry: Decodable { let localizations: [String: Localization] }
        struct Localization: Decodable { let stringUnit: Unit }
        struct Unit: Decodable {
            let state: String
            let value: String
        }

        let sourceLanguage: String
        let strings: [String: Entry]
    }

    private static let languages: Set = ["en", "ko", "vi", "zh-Hans", "ja", "ru", "ar", "es", "de", "fr"]
    private static let folder = ProjectFiles.root.appending(path: "Localization")

    private let catalog: Catalog

    init() throws {
        let data = try Data(contentsOf: Self.folder.appending(path: "Localizable.xcstrings"))
        catalog = try JSONDecoder().decode(Catalog.self, from: data)
    }

    /// The texts that the rules can send: the sentence of each event, each alert for its own player and for the others,
    /// the combined alert, the notices, and the alerts of activities that the server starts.
    static let emitted: [LocalizableText] =
        sentences + together + ActivityNotice.allCases.map(\.text) + started + naming
        + LocalizationKeys.names.map { LocalizableText(key: $0) }

    /// The alerts with the name of a hero or a boss, of the catalogues and of a newer server's.
    private static let naming: [LocalizableText] = (alertsOfHeroes + alertsOfBosses).flatMap { alert in
        [alert.content.title, alert.content.body]
    }

    private static let alertsOfHeroes: [PushAlert] = (heroes + ["Hero"]).flatMap { name in
        [
            PushAlert.heroDown(spouty, named: name, receiver: spouty),
            PushAlert.heroDown(ember, named: name, receiver: spouty),
            PushAlert.heroDown(ember, named: name, of: "Ada", receiver: spouty),
            PushAlert.heroInDanger(named: name),
            PushAlert.ownTurn(ofHeroNamed: name),
        ]
    }

    private static let alertsOfBosses: [PushAlert] = (bosses + ["boss"]).flatMap { boss in
        [PushAlert.bossAppeared(boss), PushAlert.bossDefeated(boss)]
    }

    private static let heroes = HeroCatalogue.all.map(\.name)
    private static let bosses = BossCatalogue.all.map(\.id)

    private static let together = (2...7).flatMap { count in
        let alerts = (1...count).map { PushAlert.heroDown(Seat(rawValue: $0), named: "Hero", receiver: spouty) }
        let content = PushAlert(combining: alerts).content
        return [content.title, content.body]
    }

    private static let started = [
        PushAlert.activityStarted(for: .sampleJourney), PushAlert.activityStarted(for: .sampleFight),
        PushAlert.activityRenewed,
    ].flatMap { [$0.title, $0.body] }

    private static let sentences: [LocalizableText] = AdventureEvent.everyVariant.flatMap { event in
        [LocalizableText(describing: event, in: .sampleFight)]
            + [spouty, ember].flatMap { receiver in
                let alert = PushRules.rule(for: event, after: .sampleFight, receiver: receiver).alert?.content
                return alert.map { [$0.title, $0.body] } ?? []
            }
    }

    /// The sentences of the regions.
    private static let narrations = RegionCatalogue.all.flatMap { region in
        region.hazards.map(\.narration) + region.rests.map(\.narration) + region.beats.map(\.narration)
    }

    @Test func `the catalog has exactly the keys that the rules can send`() {
        let emitted = Set(Self.emitted.map(\.key))
        #expect(Set(catalog.strings.keys) == emitted)
        #expect(Set(LocalizationKeys.all) == emitted)
    }

    @Test func `the names of a combined alert are arguments of their own, which each language separates in its way`() {
        let names = (1...9).map { "Hero \($0)" }
        for count in 2...9 {
            let title = Phrase.heroesAreDown(Array(names.prefix(count)))
            #expect(title.args == names.prefix(count).suffix(7))
            #expect(title.english == "Heroes down: \(names.prefix(count).suffix(7).joined(separator: ", "))!")
        }
        #expect(Phrase.heroesAreDown(["Spouty"]).english == "Spouty is down!")
    }

    @Test func `the sentences of regions have no arguments and are distinct`() {
        #expect(Set(Self.narrations).count == Self.narrations.count)
        #expect(Self.narrations.allSatisfy { !$0.contains("%") })
    }

    @Test(arguments: ["W", "\"", "한", "👨‍👩‍👧‍👦"])
    func `every sentence fits into a payload with the largest party and the longest names`(character: Character) throws
    {
        let name = String(repeating: character, count: min(30, 120 / String(character).utf8.count))
        let hero = AdventureAttributes.HeroState(avatar: "👨‍👩‍👧‍👦", name: name, healthLevel: 0.999, isDown: false)
        let falls = (1..<8).map { seat in
            PushAlert.heroDown(Seat(rawValue: seat), named: "Boulder", of: name, receiver: spouty)
        }
        let longestAlert = PushAlert(combining: falls).content
        // Alerts of several companions are in no state.
        let together = Set(Self.together.map(\.key))
        for text in Self.emitted where !together.contains(text.key) {
            let state = AdventureAttributes.ContentState(
                heroes: Array(repeating: hero, count: 8),
                boss: .init(avatar: "👨‍👩‍👧‍👦", name: name, healthLevel: 0.999, phase: "windingUp"),
                turn: .init(number: 10_000, heroIndex: 7, endsEpochSeconds: 4_000_000_000),
                event: LocalizableText(key: text.key, args: text.args.map { _ in name }),
                tick: 100_000,
                sequence: 1_000_000,
                outcome: AdventureOutcome.endedByOperator.rawValue,
                currentHealthLevel: 0.999
            )
            let payload = LiveActivityPayload(
                timestamp: 4_000_000_000,
                event: .update(staleDate: 4_000_000_300, relevanceScore: 100, alert: longestAlert),
                contentState: EncodedContentState(state).bytes(currentHealthLevel: 0.999)
            )
            #expect(throws: Never.self, "\(text.key)") { try payload.encoded() }
        }
    }

    @Test func `every language has every key`() {
        #expect(catalog.sourceLanguage == "en")
        for (key, entry) in catalog.strings {
            #expect(Set(entry.localizations.keys) == Self.languages, "\(key)")
            #expect(entry.localizations["en"]?.stringUnit.value == key)
            for localization in entry.localizations.values {
                #expect(localization.stringUnit.state == "translated", "\(key)")
                #expect(!localization.stringUnit.value.isEmpty, "\(key)")
            }
        }
    }

    @Test func `every translation uses exactly the arguments of its key`() throws {
        for text in Self.emitted {
            let marked = LocalizableText(key: text.key, args: text.args.indices.map { "«\($0)»" })
            let entry = try #require(catalog.strings[text.key], "\(text.key)")
            for localization in entry.localizations.values {
                let filled = marked.filled(into: localization.stringUnit.value)
                #expect(!filled.contains("%"), "\(filled)")
                for argument in marked.args {
                    #expect(filled.split(separator: argument, omittingEmptySubsequences: false).count == 2, "\(filled)")
                }
            }
        }
    }

    @Test(arguments: languages)
    func `a key with a name is the sentence with the name in each language`(language: String) throws {
        func translation(of key: String) throws -> String {
            try #require(catalog.strings[key]?.localizations[language]?.stringUnit.value, "\(key)")
        }
        for (phrases, names, players) in [
            (Phrase.alertsOfHeroes, Self.heroes, []), (Phrase.alertsOfBosses, Self.bosses.map(\.name), []),
            (Phrase.alertsOfPlayers, Self.heroes, ["%@"]),
        ] as [([Phrase], [String], [String])] {
            for phrase in phrases {
                for name in names {
                    let text = LocalizableText(key: phrase.rawValue, args: players + [name])
                    #expect(text.withNameInKey == LocalizableText(key: text.english, args: players))
                    let sentence = text.localized {
                        catalog.strings[$0]?.localizations[language]?.stringUnit.value ?? $0
                    }
                    // In Korean, the particle depends on the last sound of the name; a sentence for all names has both.
                    let choices = [
                        sentence.replacing(/(.)\((.)\)/) { $0.output.1 },
                        sentence.replacing(/(.)\((.)\)/) { $0.output.2 },
                    ]
                    let actual = try translation(of: text.english)
                    #expect(choices.contains(actual), "\(text.english)")
                }
            }
        }
    }

    @Test func `a name that the catalogues do not have is an argument`() {
        #expect(Phrase.heroIsDown("Hero").withNameInKey == LocalizableText(key: "%@ is down!", args: ["Hero"]))
        let unknown = Phrase.heroOfPlayerIsDown("Ada", "Hero")
        #expect(unknown.withNameInKey == LocalizableText(key: "%1$@’s %2$@ is down!", args: ["Ada", "Hero"]))
    }

    @Test(arguments: ["Ada", "%@", "%2$@", "Spouty"])
    func `the name of a player is an argument, whatever it is`(player: String) {
        let text = Phrase.heroOfPlayerIsDown(player, "Spouty").withNameInKey
        #expect(text == LocalizableText(key: "%@’s Spouty is down!", args: [player]))
    }

    @Test func `keys with several arguments number them`() {
        for text in Self.emitted where text.args.count > 1 {
            #expect(text.key.contains("%1$@"), "\(text.key)")
        }
    }

    @Test func `every sound is linear PCM, short and small, and there is no other file`() throws {
        let sounds = Self.folder.appending(path: "Sounds")
        let files = try FileManager.default.contentsOfDirectory(atPath: sounds.path(percentEncoded: false))
        #expect(Set(files) == Set(AlertSound.allCases.map(\.rawValue)))
        for file in files {
            let data = try Data(contentsOf: sounds.appending(path: file))
            let header = try #require(WAVHeader(of: data), "\(file)")
            #expect(header.format == WAVHeader.linearPCM, "\(file)")
            #expect((0.2..<30).contains(header.seconds), "\(file)")
            #expect(data.count < 60_000, "\(file)")
        }
    }

    @Test func `every kind of alert has a sound of its own`() {
        let kinds: [AlertKind] = [
            .companionDown(spouty), .heroInDanger, .ownTurn, .bossAppeared, .bossDefeated, .partyWiped, .adventureOver,
        ]
        #expect(Set(kinds.map(\.sound)).count == kinds.count)
        #expect(Set(kinds.map(\.sound) + [.partySetsOut]) == Set(AlertSound.allCases))
    }
}

/// The 44-byte header of a WAV file as sox writes it.
private struct WAVHeader {
    static let linearPCM = 1

    let format: Int
    let seconds: Double

    init?(of data: Data) {
        let bytes = [UInt8](data)
        func number(at offset: Int, bytes count: Int) -> Int {
            (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
        }
        func text(at offset: Int) -> String { String(decoding: bytes[offset..<offset + 4], as: UTF8.self) }
        guard bytes.count > 44, text(at: 0) == "RIFF", text(at: 8) == "WAVE", text(at: 12) == "fmt ",
            text(at: 36) == "data"
        else {
            return nil
        }
        format = number(at: 20, bytes: 2)
        let bytesPerSecond = number(at: 28, bytes: 4)
        let length = number(at: 40, bytes: 4)
        guard bytesPerSecond > 0, length == bytes.count - 44 else { return nil }
        seconds = Double(length) / Double(bytesPerSecond)
    }
}
