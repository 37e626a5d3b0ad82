import ArgumentParser
import GameCore

/// What an adventure can be about: a boss or a region.
enum Content: Hashable, Sendable {
    case boss(BossID)
    case region(RegionID)

    /// Every boss, then every region, as the catalogues list them.
    static let all: [Self] = BossCatalogue.all.map { .boss($0.id) } + RegionCatalogue.all.map { .region($0.id) }

    /// As the catalogue names it; no boss is called as a region.
    var id: String {
        switch self {
        case .boss(let boss): boss.rawValue
        case .region(let region): region.rawValue
        }
    }

    /// An adventure about it that waits for its start.
    func opening(heroes: [Hero], seed: UInt64) -> Adventure {
        switch self {
        case .boss(let boss): .bossFight(against: boss, heroes: heroes, seed: seed)
        case .region(let region): .journey(in: region, heroes: heroes, seed: seed)
        }
    }
}

extension Content: ExpressibleByArgument {
    static var allValueStrings: [String] { all.map(\.id) }

    init?(argument: String) {
        guard let content = Self.all.first(where: { $0.id == argument }) else { return nil }
        self = content
    }
}
