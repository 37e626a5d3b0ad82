import Foundation
import TestSupport
import Testing

@testable import GameCore

/// `docs/game.md` agrees with the catalogues and the rules.
struct DocumentationTests {
    private let text: String

    init() throws {
        let file = ProjectFiles.root.appending(path: "docs/game.md")
        text = try String(contentsOf: file, encoding: .utf8)
    }

    @Test(arguments: HeroCatalogue.all) func `every hero has a row`(hero: HeroCatalogue.Entry) {
        let move = hero.signatureMove
        let row =
            "| \(hero.avatar) \(hero.name) | \(hero.heroClass) | \(hero.element) | \(hero.maximumHealth) | \(hero.attack) "
            + "| \(hero.defence) | \(hero.speed) | **\(move.name)**: \(move.summary) | \(move.cooldown) |\n"
        #expect(text.contains(row))
    }

    @Test(arguments: BossCatalogue.all) func `every boss has a row`(boss: BossCatalogue.Entry) {
        let enraged = boss.phases.dropFirst().map { "\($0.healthPercent) %" }.joined(separator: ", ")
        let row =
            "| \(boss.avatar) \(boss.name) | \(boss.healthPerHero) | \(boss.attack) | \(boss.speed) | \(boss.resists) "
            + "| \(boss.fears) | \(enraged) |\n"
        #expect(text.contains(row))
    }

    @Test(arguments: RegionCatalogue.all) func `every region has a row`(region: RegionCatalogue.Entry) throws {
        let goal = try #require(region.locations.last).name
        let row =
            "| \(region.avatar) \(region.name) | \(region.steps.lowerBound)–\(region.steps.upperBound) "
            + "| \(region.foes.map(\.name).joined(separator: ", ")) | \(goal) |\n"
        #expect(text.contains(row))
    }

    @Test(arguments: AdventureRefusal.allCases) func `every refusal of a command is documented`(
        refusal: AdventureRefusal
    ) {
        switch refusal {
        case .notYourTurn, .heroDown, .noPotionsLeft, .unknownTarget, .targetUnhurt, .targetNotDown, .onCooldown,
            .noBoss, .adventureOver, .notAMember:
            #expect(text.contains("`\(refusal.slug)`"))
        case .notStarted, .alreadyAMember, .partyFull:
            break
        }
    }

    @Test func `the stored form has one example, in the documentation and the source, and it can be played on`() throws
    {
        let file = ProjectFiles.root.appending(path: "Sources/Game/GameCore/Adventure+Encoding.swift")
        let source = try String(contentsOf: file, encoding: .utf8)
        let comment = source.split(separator: "\n").prefix { $0.hasPrefix("//") }
        let example = comment.filter { $0.hasPrefix("//     ") }.map { $0.dropFirst(7) }.joined(separator: "\n")
        #expect(text.contains("```\n\(example)\n```\n"))
        var fight = try Adventure(encoded: example)
        #expect(fight.encoded == example)
        #expect(fight.brokenInvariants == [])
        _ = try fight.playOut()
        #expect(fight.outcome != nil && fight.brokenInvariants == [])
    }

    @Test func `the maximum number of turns, all commands and all boss moves are documented`() {
        #expect(text.contains("ends after \(Adventure.maxTurns) turns"))
        #expect(text.contains("{\"type\": \"policy\", \"policy\": \"guard\"}"))
        for command in Command.Kind.allCases { #expect(text.contains("{\"type\": \"\(command.rawValue)\"")) }
        for move in BossMove.allCases { #expect(text.contains("`\(move.rawValue)`")) }
    }
}
