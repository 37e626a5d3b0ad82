import Testing

@testable import GameCore

struct GeneratorTests {
    @Test func `the bits are those of SplitMix64`() {
        // The sequence for seed 1234567 is a common test vector for SplitMix64.
        var generator = Generator(seed: 1_234_567)
        let bits = (0..<5).map { _ in generator.bits() }
        #expect(
            bits == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ]
        )
    }

    @Test(arguments: [1, 2, 3, 6, 10, 100, 1 << 40]) func `a number is the high word of bits times bound`(bound: Int) {
        var bits = Generator(seed: 1_234_567)
        var numbers = bits
        for _ in 0..<1_000 {
            #expect(numbers.number(below: bound) == Int(bits.bits().multipliedFullWidth(by: UInt64(bound)).high))
        }
    }

    @Test func `products that would introduce bias are drawn again`() {
        // The bound is 3/8 of 2^64, so it fits twice and leaves a remainder of 1/4.
        let bound = 3 << 61
        let remainder = UInt64(1) << 62
        var bits = Generator(seed: 9)
        var numbers = bits
        var rejected = 0
        for _ in 0..<1_000 {
            var product = bits.bits().multipliedFullWidth(by: UInt64(bound))
            while product.low < remainder {
                rejected += 1
                product = bits.bits().multipliedFullWidth(by: UInt64(bound))
            }
            #expect(numbers.number(below: bound) == Int(product.high))
        }
        #expect(rejected > 200)
        #expect(bits == numbers)
    }

    @Test func `the numbers of a range are uniformly distributed`() {
        var generator = Generator(seed: 4)
        var counts = [Int](repeating: 0, count: 6)
        for _ in 0..<60_000 {
            counts[generator.number(in: 1...6) - 1] += 1
        }
        // Six standard deviations of a fair die are 548.
        #expect(counts.allSatisfy { abs($0 - 10_000) < 548 }, "\(counts)")
    }

    @Test func `weighted choices follow the weights`() {
        var generator = Generator(seed: 5)
        let values = [Weighted("often", weight: 3), Weighted("never", weight: 0), Weighted("once", weight: 1)]
        var counts: [String: Int] = [:]
        for _ in 0..<40_000 {
            counts[generator.choice(of: values), default: 0] += 1
        }
        #expect(counts["never"] == nil)
        // Six standard deviations are 520.
        #expect(abs((counts["often"] ?? 0) - 30_000) < 520)
    }

    @Test func `a generator continues from its state`() {
        var generator = Generator(seed: 0xab)
        _ = generator.bits()
        var copy = Generator(seed: generator.state)
        #expect(copy == generator)
        #expect(copy.bits() == generator.bits())
    }

    @Test func `a strength varies by up to 20 % and is at least 1`() {
        var generator = Generator(seed: 6)
        let strengths = Set((0..<2_000).map { _ in generator.spread(10) })
        #expect(strengths == [8, 9, 10, 11, 12])
        #expect(generator.spread(0) == 1)
    }
}
