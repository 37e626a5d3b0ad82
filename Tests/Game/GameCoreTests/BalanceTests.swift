import TestSupport
import Testing

@testable import GameCore

/// All content is about equally hard for parties of every size that play by policy.
@Suite(.computing) struct BalanceTests {
    /// The number of adventures for each content and size.
    ///
    /// The standard error of the win rate is then 2.9 % at a rate of 50 %, and 2.1 % at the bound of 85 %.
    private static let sampleSize: UInt64 = 300

    private static let contents: [Content] =
        BossCatalogue.all.map { .boss($0.id) } + RegionCatalogue.all.map { .region($0.id) }

    enum Content: Hashable, Sendable, CustomStringConvertible {
        case boss(BossID)
        case region(RegionID)

        var description: String {
            switch self {
            case .boss(let boss): boss.description
            case .region(let region): region.description
            }
        }

        var isBoss: Bool {
            switch self {
            case .boss: true
            case .region: false
            }
        }

        func adventure(of heroes: [Hero], seed: UInt64) -> Adventure {
            switch self {
            case .boss(let boss): .bossFight(against: boss, heroes: heroes, seed: seed)
            case .region(let region): .journey(in: region, heroes: heroes, seed: seed)
            }
        }
    }

    @Test(arguments: contents, 1...8)
    func `parties of every size win between 45 and 85 percent`(content: Content, size: Int) throws {
        try check(content, size...size)
    }

    @Test(arguments: HeroCatalogue.all, BossCatalogue.all) func `a lone hero wins between 25 and 99 percent`(
        hero: HeroCatalogue.Entry,
        boss: BossCatalogue.Entry
    ) throws {
        var won = 0
        for seed in UInt64(1)...100 {
            var fight = try GameWorld.fight(against: boss.id, [GameWorld.hero(0, hero.id)], seed: seed)
            _ = try fight.playOut()
            won += fight.outcome == .bossDefeated ? 1 : 0
        }
        #expect((25...99).contains(won), "\(hero.id) against \(boss.id): \(won) %")
    }

    @Test(arguments: contents.filter(\.isBoss), [1...2, 4...8])
    func `parties that grow in the first twenty turns win between 45 and 85 percent`(
        content: Content,
        sizes: ClosedRange<Int>
    ) throws {
        try check(content, sizes)
    }

    @Test(arguments: contents.filter { !$0.isBoss })
    func `lone heroes joined by another in the first twenty steps win between 45 and 85 percent`(content: Content)
        throws
    {
        try check(content, 1...2)
    }

    /// Plays adventures of parties that start with the lower size and grow to the upper one at a random tick of 1 to
    /// 20.
    private func check(_ content: Content, _ sizes: ClosedRange<Int>) throws {
        var won = 0
        var events: [AdventureEvent] = []
        for seed in 1...Self.sampleSize {
            // The heroes and the tick of joining also follow from the seed, with another generator.
            var generator = Generator(seed: seed << 32)
            let heroes = (0..<sizes.upperBound).map { GameWorld.hero($0, generator.choice(of: HeroCatalogue.all).id) }
            let joinTick = generator.number(in: 1...20)
            var adventure = content.adventure(of: Array(heroes.prefix(sizes.lowerBound)), seed: seed)
            try adventure.advance(.start, appendingTo: &events)
            while adventure.status == .running {
                events.removeAll(keepingCapacity: true)
                if adventure.tick == joinTick {
                    for hero in heroes.dropFirst(sizes.lowerBound) {
                        try adventure.advance(.join(hero), appendingTo: &events)
                    }
                }
                try adventure.advance(.tick, appendingTo: &events)
            }
            won += adventure.outcome == .bossDefeated || adventure.outcome == .completed ? 1 : 0
        }
        let percent = Double(won * 100) / Double(Self.sampleSize)
        #expect((45...85).contains(percent), "\(content), \(sizes) heroes: \(percent) %")
    }
}
