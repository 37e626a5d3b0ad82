import ArgumentParser
import GameCore
import Testing

@testable import Benchmarks

@Suite struct CommandLineTests {
    private func error(of arguments: [String]) -> String? {
        do {
            _ = try RangersBenchCommand.parseAsRoot(arguments)
            return nil
        } catch {
            return RangersBenchCommand.message(for: error)
        }
    }

    @Test(arguments: [
        (["balance", "--adventures", "0"], "--adventures must be 1 to 1000000, not 0"),
        (["balance", "--adventures", "1000001"], "--adventures must be 1 to 1000000, not 1000001"),
        (["balance", "--level", "21"], "--level must be 1 to 20, not 21"),
        (["cadence", "--activities", "0"], "--activities must be 1 to 100000, not 0"),
        (["cadence", "--activities", "100001"], "--activities must be 1 to 100000, not 100001"),
        (["cadence", "--hours", "0"], "--hours must be 1 to 100, not 0"),
        (["cadence", "--hours", "101"], "--hours must be 1 to 100, not 101"),
        (["advance", "--seconds", "0"], "--seconds must be 1 to 600, not 0"),
        (["advance", "--seconds", "601"], "--seconds must be 1 to 600, not 601"),
        (["push", "--pushes", "999"], "--pushes must be 1000 to 10000000, not 999"),
        (["push", "--pushes", "10000001"], "--pushes must be 1000 to 10000000, not 10000001"),
        (["api", "--requests", "9"], "--requests must be 10 to 20000, not 9"),
        (["api", "--requests", "20001"], "--requests must be 10 to 20000, not 20001"),
        (["ticks", "--parties", "99"], "--parties must be 100 to 1000000, not 99"),
        (["ticks", "--idle", "4"], "--idle must be 5 to 3600, not 4"),
        (["ticks", "--idle", "5", "--pinned-snapshot", "3"], "--pinned-snapshot and --idle exclude each other"),
        (["ticks", "--pinned-snapshot", "2"], "--pinned-snapshot must be 3 to 3600, not 2"),
        (["ticks", "--connections", "17"], "--connections must be 1 to 16, not 17"),
        (["pipeline", "--parties", "10001"], "--parties must be 1 to 10000, not 10001"),
        (["pipeline", "--activities", "5"], "--activities must be 1 to 4, not 5"),
        (["pipeline", "--interval", "0"], "--interval must be 1 to 3600, not 0"),
        (["pipeline", "--seconds", "3601"], "--seconds must be 1 to 3600, not 3601"),
        (["crowd", "--parties", "9"], "--parties must be 10 to 1000000, not 9"),
        (["crowd", "--seconds", "4"], "--seconds must be 5 to 3600, not 4"),
        (["crowd", "--warm-up", "3601"], "--warm-up must be 0 to 3600, not 3601"),
        (["memory", "--activities", "399"], "--activities must be 400 to 1000000, not 399"),
        (["chaos", "--seconds", "9"], "--seconds must be 10 to 86400, not 9"),
        (["soak", "--minutes", "0.1"], "--minutes must be at least 8 times --every, and at most 10080"),
        (["chaos", "--parties", "2"], "--parties must be 3 to 500, not 2"),
        (["broadcast", "--subscribers", "0"], "--subscribers must be 1 to 10000000, not 0"),
        (["broadcast", "--subscribers", "50"], "--phones must be 0 to 50, not 100"),
        (["broadcast", "--tokens", "99"], "--tokens must be 100 to 100000, not 99"),
        (["memory", "--seconds", "0"], "--seconds must be 1 to 86400, not 0"),
        (["push", "--ca-file", "ca.pem"], "--ca-file needs --server"),
    ])
    func `a value outside its range is an error with the range`(arguments: [String], reason: String) {
        #expect(error(of: arguments) == reason)
    }

    @Test func `unknown content is an error with all known content`() throws {
        let reason = try #require(error(of: ["balance", "--content", "nowhere"]))
        #expect(reason.contains("'nowhere'"))
        for content in AdventureContent.all {
            #expect(reason.contains(content.id))
        }
    }

    @Test(arguments: AdventureContent.all)
    func `every boss and every region is content`(content: AdventureContent) throws {
        #expect(try BalanceBenchmark.parse(["--content", content.id]).content == content)
    }

    @Test func `defaults are those of a full measurement`() throws {
        let balance = try BalanceBenchmark.parse([])
        #expect(balance.adventures == 10_000 && balance.level == 1 && balance.content == nil)
        #expect(!balance.check && !balance.options.json)
        #expect(try AdvanceBenchmark.parse([]).seconds == 10)
        let cadence = try CadenceBenchmark.parse([])
        #expect(cadence.activities == 1_000 && cadence.hours == 10 && !cadence.busy && !cadence.check)
    }

    @Test func `only a debug build warns about speeds`() {
        #if DEBUG
        #expect(AdvanceBenchmark.warning?.contains("build with -c release") == true)
        #else
        #expect(AdvanceBenchmark.warning == nil)
        #endif
        #expect(BalanceBenchmark.warning == nil)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `heroes are drawn by seed, and larger parties begin with the smaller ones`(seed: UInt64) {
        let eight = RandomParty.heroes(8, level: 5, seed: seed)
        #expect(Set(eight.map(\.playerID)).count == 8)
        #expect(eight.allSatisfy { $0.level == 5 && $0.potions == Hero.openingPotions })
        for size in 1...8 {
            #expect(RandomParty.heroes(size, level: 5, seed: seed) == Array(eight.prefix(size)))
        }
    }

    @Test func `every hero is drawn about equally often`() {
        var counts: [HeroID: Int] = [:]
        for seed in 0..<1_000 as Range<UInt64> {
            for hero in RandomParty.heroes(4, level: 1, seed: seed) { counts[hero.id, default: 0] += 1 }
        }
        #expect(counts.count == HeroCatalogue.all.count)
        // 4,000 draws of ten heroes: 400 each, with a standard deviation of 19.
        let expected = 4_000 / HeroCatalogue.all.count
        for count in counts.values {
            #expect(abs(count - expected) < expected / 5)
        }
    }
}
