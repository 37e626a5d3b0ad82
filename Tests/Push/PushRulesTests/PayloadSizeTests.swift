import Foundation
import GameCore
import LiveActivityContent
import TestSupport
import Testing

@testable import PushRules

/// The sizes of the largest payloads of the catalogues' heroes and bosses.
struct PayloadSizeTests {
    /// The longest name of a player or party: 30 characters with 120 bytes.
    private static let longestName = String(repeating: "😀", count: Name.maxCharacters)

    /// The content states with each sentence about the heroes and bosses with the longest names.
    private static let states: [AdventureAttributes.ContentState] = {
        func longest(_ names: [String]) -> String { names.max { $0.utf8.count < $1.utf8.count } ?? "" }
        let hero = AdventureAttributes.HeroState(
            avatar: "🐳",
            name: longest(HeroCatalogue.all.map(\.name)),
            healthLevel: 0.999,
            isDown: false
        )
        let boss = longest(BossCatalogue.all.map(\.name))
        let argument = longest(LocalizationKeys.names)
        // Sentences with more arguments are those of combined alerts.
        return Set(LocalizationTests.emitted).filter { $0.args.count <= 3 }.map { text in
            AdventureAttributes.ContentState(
                heroes: Array(repeating: hero, count: Party.maxCapacity),
                boss: .init(avatar: "👾", name: boss, healthLevel: 0.999, phase: "windingUp"),
                turn: .init(number: 10_000, heroIndex: 7, endsEpochSeconds: 4_000_000_000),
                event: LocalizableText(key: text.key, args: text.args.map { _ in argument }),
                tick: 100_000,
                sequence: 1_000_000,
                outcome: AdventureOutcome.endedByOperator.rawValue,
                currentHealthLevel: 0.999
            )
        }
    }()

    private func largest(_ event: LiveActivityPayload.Event) throws -> Int {
        try Self.states.map { state in
            try LiveActivityPayload(
                timestamp: 4_000_000_000,
                event: event,
                contentState: EncodedContentState(state).bytes(currentHealthLevel: 0.999)
            ).encoded().count
        }.max() ?? 0
    }

    @Test func `the largest payloads have the sizes of the documentation`() throws {
        let bosses = BossCatalogue.all.map { PushAlert.bossAppeared($0.id).content }
        let starts = try HeroCatalogue.all.flatMap { entry -> [Int] in
            let attributes = AdventureAttributes(
                adventureID: "0198a1b2-c3d4-7000-8000-00000000abcd",
                partyName: Self.longestName,
                heroName: entry.name,
                heroAvatar: entry.avatar,
                hero: AdventureAttributes.Hero(entry.id, level: 20, experience: Hero.maxCount, healthLevel: 0.999),
                playerNames: Array(repeating: Self.longestName, count: Party.maxCapacity)
            )
            return try bosses.map { alert in
                try largest(
                    .start(
                        attributes: .adventure(attributes),
                        staleDate: 4_000_000_300,
                        relevanceScore: 100,
                        alert: alert
                    )
                )
            }
        }
        let falls = (1..<8).map { seat in
            PushAlert.heroDown(Seat(rawValue: seat), named: "Boulder", of: Self.longestName, receiver: spouty)
        }
        let alerts =
            [PushAlert(combining: falls)]
            + HeroCatalogue.all.flatMap { entry in
                [
                    PushAlert.heroDown(spouty, named: entry.name, receiver: spouty), .heroInDanger(named: entry.name),
                    .heroDown(ember, named: entry.name, of: Self.longestName, receiver: spouty),
                ]
            }
        let updates = try alerts.map { alert in
            try largest(.update(staleDate: 4_000_000_300, relevanceScore: 100, alert: alert.content))
        }
        let file = try String(contentsOf: ProjectFiles.root.appending(path: "docs/pushes.md"), encoding: .utf8)
        let page = file.replacing(",", with: "")
        let start = "| start | \(try #require(starts.max())) |"
        let update = "| update with the longest alert | \(try #require(updates.max())) |"
        #expect(page.contains(start), "\(start)")
        #expect(page.contains(update), "\(update)")
    }
}
