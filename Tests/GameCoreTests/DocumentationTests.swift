import Foundation
import Testing

@testable import GameCore

/// `docs/game.md` says what the catalogues say.
struct DocumentationTests {
    private let text: String

    init() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../docs/game.md").standardized
        text = try String(contentsOf: file, encoding: .utf8)
    }

    @Test(arguments: HeroCatalogue.all) func `every hero has its row`(hero: HeroCatalogue.Entry) {
        let move = hero.signatureMove
        let row =
            "| \(hero.avatar) \(hero.name) | \(hero.heroClass) | \(hero.element) | \(hero.maximumHealth) | \(hero.attack) "
            + "| \(hero.defence) | \(hero.speed) | **\(move.name)**: \(move.summary) | \(move.cooldown) |\n"
        #expect(text.contains(row))
    }

    @Test(arguments: BossCatalogue.all) func `every boss has its row`(boss: BossCatalogue.Entry) {
        let enraged = boss.phases.dropFirst().map { "\($0.healthPercent) %" }.joined(separator: ", ")
        let row =
            "| \(boss.avatar) \(boss.name) | \(boss.healthPerHero) | \(boss.attack) | \(boss.speed) | \(boss.resists) "
            + "| \(boss.fears) | \(enraged) |\n"
        #expect(text.contains(row))
    }

    @Test(arguments: RegionCatalogue.all) func `every region has its row`(region: RegionCatalogue.Entry) throws {
        let goal = try #require(region.places.last).name
        let row =
            "| \(region.avatar) \(region.name) | \(region.steps.lowerBound)–\(region.steps.upperBound) "
            + "| \(region.foes.map(\.name).joined(separator: ", ")) | \(goal) |\n"
        #expect(text.contains(row))
    }

    @Test(arguments: Refusal.allCases) func `every refusal of a command in a fight is named`(refusal: Refusal) {
        switch refusal {
        case .notYourTurn, .heroDown, .noPotionsLeft, .unknownTarget, .targetUnhurt, .targetNotDown, .onCooldown:
            #expect(text.contains("`\(refusal.slug)`"))
        case .notStarted, .adventureOver, .notAMember, .alreadyAMember, .partyFull, .noBoss:
            break
        }
    }

    @Test func `the numbers of the rules are those of the game`() {
        #expect(text.contains("has had \(Adventure.mostTurns) turns is over"))
        #expect(text.contains("{\"type\": \"policy\", \"policy\": \"guard\"}"))
        for command in Command.Kind.allCases { #expect(text.contains("{\"type\": \"\(command.rawValue)\"")) }
        for move in BossMove.allCases { #expect(text.contains("`\(move.rawValue)`")) }
    }
}
