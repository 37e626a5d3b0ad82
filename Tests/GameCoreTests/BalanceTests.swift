import Testing

@testable import GameCore

/// No content is too easy or too hard for a party of any size that plays by itself.
struct BalanceTests {
    /// Adventures for each content and size.
    ///
    /// The standard error of a win rate of one half is 2.9 percent of so many, and less towards the bounds: 2.1 at 85 %.
    private static let adventures: UInt64 = 300

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
    }

    @Test(arguments: contents, 1...8)
    func `parties of every size win between 45 and 85 of a hundred`(content: Content, size: Int) throws {
        var won = 0
        var events: [Event] = []
        for seed in 1...Self.adventures {
            // The heroes come of the seed as well, by a generator of their own.
            var chance = Generator(seed: seed << 32)
            let heroes = (0..<size).map { GameWorld.hero($0, chance.choice(of: HeroCatalogue.all).id) }
            var adventure =
                switch content {
                case .boss(let boss): Adventure.bossFight(against: boss, heroes: heroes, seed: seed)
                case .region(let region): Adventure.journey(in: region, heroes: heroes, seed: seed)
                }
            try adventure.advance(.start, appendingTo: &events)
            while adventure.status == .running {
                events.removeAll(keepingCapacity: true)
                try adventure.advance(.tick, appendingTo: &events)
            }
            won += adventure.outcome == .bossDefeated || adventure.outcome == .completed ? 1 : 0
        }
        let percent = Double(won * 100) / Double(Self.adventures)
        #expect((45...85).contains(percent), "\(content), \(size) heroes: \(percent) %")
    }
}
