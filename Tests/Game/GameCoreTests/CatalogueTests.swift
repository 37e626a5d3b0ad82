import Testing

@testable import GameCore

/// The content meets the requirements of the rules.
struct CatalogueTests {
    @Test func `every entry has a unique identifier, a unique name and one emoji`() {
        check(HeroCatalogue.self)
        check(BossCatalogue.self)
        check(RegionCatalogue.self)
        check(ItemCatalogue.self)
    }

    private func check<C: Catalogue>(_ catalogue: C.Type) {
        #expect(Set(C.all.map(\.id)).count == C.all.count)
        #expect(Set(C.all.map(\.name)).count == C.all.count)
        for (index, entry) in C.all.enumerated() {
            #expect(C[entry.id] == entry)
            #expect(C.index(of: entry.id) == index)
            #expect(!entry.name.isEmpty && entry.name.count <= 30)
            #expect(entry.avatar.count == 1, "\(entry.name)")
            #expect(isWord(entry.id.rawValue))
        }
    }

    private func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0 == "-" || ($0.isASCII && $0.isLowercase) }
    }

    @Test func `there are at least eight heroes, six bosses and five regions`() throws {
        #expect(HeroCatalogue.all.count >= 8)
        #expect(BossCatalogue.all.count >= 6)
        #expect(RegionCatalogue.all.count >= 5)
        let spouty = try #require(HeroCatalogue["spouty"])
        #expect(spouty.name == "Spouty")
        #expect(spouty.avatar == "🐳")
    }

    @Test func `heroes cover all classes and elements and have unique moves and speeds`() {
        #expect(Set(HeroCatalogue.all.map(\.heroClass)) == Set(HeroClass.allCases))
        #expect(Set(HeroCatalogue.all.map(\.element)) == Set(Element.allCases))
        #expect(Set(HeroCatalogue.all.map(\.signatureMove.name)).count == HeroCatalogue.all.count)
        #expect(Set(HeroCatalogue.all.map(\.signatureMove.effect)).count == HeroCatalogue.all.count)
        #expect(Set(HeroCatalogue.all.map(\.speed)).count == HeroCatalogue.all.count)
    }

    @Test(arguments: HeroCatalogue.all) func `a hero has positive strengths and a complete signature move`(
        hero: HeroCatalogue.Entry
    ) {
        #expect(hero.maximumHealth > 0 && hero.attack > 0 && hero.defence > 0 && hero.speed > 0)
        #expect(hero.signatureMove.cooldown >= 1)
        #expect(hero.signatureMove.summary.hasSuffix(".") && !hero.signatureMove.name.isEmpty)
    }

    @Test(arguments: BossCatalogue.all)
    func `a boss has descending phases that start at full health and list no announced moves`(
        boss: BossCatalogue.Entry
    ) {
        #expect(boss.healthPerHero > 0 && boss.attack > 0 && boss.speed > 0)
        #expect(boss.resists != boss.fears)
        #expect(boss.phases.count >= 2)
        #expect(boss.phases.first?.healthPercent == 100)
        let thresholds = boss.phases.map(\.healthPercent)
        #expect(zip(thresholds, thresholds.dropFirst()).allSatisfy { $0 > $1 && $1 > 0 })
        let strengths = boss.phases.map(\.attackPercent)
        #expect(zip(strengths, strengths.dropFirst()).allSatisfy { $0 < $1 }, "each phase hits harder")
        for phase in boss.phases {
            #expect(phase.moves.allSatisfy { $0.weight > 0 })
            #expect(Set(phase.moves.map(\.value)).count == phase.moves.count)
            #expect(
                phase.moves.allSatisfy { $0.value != .heavyAttack && $0.value != .crush },
                "announced moves are not listed"
            )
        }
        let moves = Set(boss.phases.flatMap(\.moves).map(\.value))
        #expect(moves.contains(.windUp) || moves.contains(.takeAim), "every boss has a heavy move")
    }

    @Test(arguments: RegionCatalogue.all) func `a region has enough locations, loot of every rarity and all happenings`(
        region: RegionCatalogue.Entry
    ) {
        // The goal, and two locations to travel between.
        #expect(region.locations.count >= 3)
        for rarity in Rarity.allCases {
            #expect(!region.loot[rarity].isEmpty)
            #expect(region.loot[rarity].allSatisfy { ItemCatalogue[$0] != nil })
        }
        #expect(region.happenings.allSatisfy { $0.weight > 0 })
        #expect(
            Set(region.happenings.map(\.value)) == [.travel, .loot, .hazard, .encounter, .rest]
        )
    }

    @Test(arguments: RegionCatalogue.all) func `a region has foes, hazards, rests and a story`(
        region: RegionCatalogue.Entry
    ) {
        #expect(region.foes.count >= 3)
        #expect(region.foes.allSatisfy { $0.healthPercent > 0 && $0.damage.lowerBound > 0 && $0.avatar.count == 1 })
        #expect(region.hazards.count >= 3)
        #expect(region.hazards.allSatisfy { $0.damage.lowerBound > 0 && $0.narration.hasSuffix(".") })
        #expect(region.rests.count >= 2)
        #expect(region.rests.allSatisfy { $0.healingPercent.lowerBound > 0 && $0.narration.hasSuffix(".") })
        #expect(region.beats.count >= 4)
        #expect(region.beats.allSatisfy { $0.narration.hasSuffix(".") })
        let progress = region.beats.map(\.progressPercent)
        #expect(zip(progress, progress.dropFirst()).allSatisfy { $0 < $1 } && (progress.last ?? 100) < 100)
        #expect(region.dangerPercent > 0)
    }

    @Test func `the content of regions has unique identifiers with names`() {
        check(\.locations, RegionCatalogue.location) { $0.id.name == $0.name }
        check(\.foes, RegionCatalogue.foe) { $0.id.name == $0.name }
        check(\.hazards, RegionCatalogue.hazard) { $0.id.narration == $0.narration }
        check(\.rests, RegionCatalogue.rest) { $0.id.narration == $0.narration }
        check(\.beats, RegionCatalogue.beat) { $0.id.narration == $0.narration }
    }

    private func check<Content: Identifiable & Equatable>(
        _ list: (RegionCatalogue.Entry) -> [Content],
        _ find: (Content.ID) -> Content?,
        isNamed: (Content) -> Bool
    ) where Content.ID: CatalogueID {
        let all = RegionCatalogue.all.flatMap(list)
        #expect(Set(all.map(\.id)).count == all.count)
        for content in all {
            #expect(find(content.id) == content)
            #expect(isNamed(content))
            #expect(isWord(content.id.rawValue))
        }
    }

    @Test func `identifiers without an entry have a name and an avatar`() {
        #expect(HeroID(rawValue: "spouty").name == "Spouty")
        #expect(HeroID(rawValue: "retired").name == "retired")
        #expect(HeroID(rawValue: "retired").avatar == "❔")
        #expect(BossID(rawValue: "cinderwing").name == "Cinderwing")
        #expect(BossID(rawValue: "cinderwing").avatar == "🐉")
        #expect(BossID(rawValue: "retired").name == "retired")
        #expect(RegionID(rawValue: "coast").name == "Tidewater Coast")
        #expect(RegionID(rawValue: "drowned").name == "drowned")
        #expect(LocationID(rawValue: "drowned").name == "drowned")
        #expect(FoeID(rawValue: "tamed").name == "tamed")
        #expect(HazardID(rawValue: "past").narration == "past")
        #expect(RestID(rawValue: "closed").narration == "closed")
        #expect(BeatID(rawValue: "forgotten").narration == "forgotten")
        #expect(ItemID.potion.name == "a potion")
        #expect(ItemID(rawValue: "lost").name == "lost")
    }

    @Test func `the scales cover parties of every size`() {
        #expect(Scale.boss.count == Adventure.maxHeroes)
        #expect(Scale.journeyPercent.count == Adventure.maxHeroes)
    }
}
