import Testing

@testable import GameCore

struct CatalogueTests {
    @Test func `every entry has an identifier of its own, a name and one emoji`() {
        check(HeroCatalogue.self)
        check(BossCatalogue.self)
        check(RegionCatalogue.self)
        check(ItemCatalogue.self)
    }

    private func check<C: Catalogue>(_ catalogue: C.Type) {
        #expect(Set(C.all.map(\.id)).count == C.all.count)
        for entry in C.all {
            #expect(C[entry.id] == entry)
            #expect(!entry.name.isEmpty && entry.name.count <= 30)
            #expect(entry.avatar.count == 1, "\(entry.name)")
            #expect(isWord(entry.id.rawValue))
        }
    }

    private func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0 == "-" || ($0.isASCII && $0.isLowercase) }
    }

    @Test func `there are at least eight heroes, and Spouty is one`() throws {
        #expect(HeroCatalogue.all.count >= 8)
        let spouty = try #require(HeroCatalogue["spouty"])
        #expect(spouty.name == "Spouty")
        #expect(spouty.avatar == "🐳")
    }

    @Test(arguments: HeroCatalogue.all) func `a hero survives any single blow on the way`(hero: HeroCatalogue.Entry) {
        #expect(hero.attack > 0 && hero.defence > 0 && hero.speed > 0)
        for region in RegionCatalogue.all {
            #expect(region.hazardDamage.upperBound - hero.defence < hero.maximumHealth)
            #expect(region.encounterDamage.upperBound - hero.defence < hero.maximumHealth)
        }
    }

    @Test(arguments: RegionCatalogue.all) func `a region has ways to go and something to find`(
        region: RegionCatalogue.Entry
    ) {
        // A goal, and two places to go to and fro between before it.
        #expect(region.places.count >= 3)
        #expect(region.steps.lowerBound >= 20 && region.steps.upperBound <= 40)
        for rarity in Rarity.allCases {
            #expect(!region.loot[rarity].isEmpty)
            #expect(region.loot[rarity].allSatisfy { ItemCatalogue[$0] != nil })
        }
        #expect(region.happenings.allSatisfy { $0.weight > 0 })
    }

    @Test func `a place belongs to one region`() {
        let places = RegionCatalogue.all.flatMap(\.places)
        #expect(Set(places.map(\.id)).count == places.count)
        for place in places {
            #expect(RegionCatalogue.place(place.id) == place)
            #expect(place.id.name == place.name)
            #expect(isWord(place.id.rawValue))
        }
    }

    @Test func `whoever has left the catalogue can still be named`() {
        #expect(HeroID(rawValue: "spouty").name == "Spouty")
        #expect(HeroID(rawValue: "retired").name == "retired")
        #expect(HeroID(rawValue: "retired").avatar == "❔")
        #expect(BossID(rawValue: "cinderwing").name == "Cinderwing")
        #expect(BossID(rawValue: "cinderwing").avatar == "🐉")
        #expect(BossID(rawValue: "retired").name == "retired")
        #expect(RegionID(rawValue: "coast").name == "Tidewater Coast")
        #expect(RegionID(rawValue: "drowned").name == "drowned")
        #expect(PlaceID(rawValue: "drowned").name == "drowned")
        #expect(ItemID.potion.name == "a potion")
        #expect(ItemID(rawValue: "lost").name == "lost")
    }
}
