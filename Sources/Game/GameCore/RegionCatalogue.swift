/// The regions that journeys go through.
public enum RegionCatalogue: Catalogue {
    /// One region: where its journeys lead, and what they meet.
    public struct Entry: CatalogueEntry {
        /// The region's identifier.
        public let id: RegionID
        /// In English.
        public let name: String
        /// One emoji.
        public let avatar: String
        /// Where journeys pass: the first is where they begin, the last is their goal, reached once.
        public let places: [Place]
        /// What can be found.
        public let loot: Loot
        /// Who stands in the way.
        public let foes: [Foe]
        /// What comes over the party.
        public let hazards: [Hazard]
        /// Where the party gathers strength.
        public let rests: [Rest]
        /// The region's story, in the order in which it is told.
        public let beats: [Beat]
        /// How many ticks a journey takes.
        public let steps: ClosedRange<Int>
        /// What a step brings, and how often.
        let happenings: [Weighted<Happening>]
        /// How hard everything hits here, in percent; what makes regions of different length equally hard to come through.
        let dangerPercent: Int
    }

    /// A place of a region.
    public struct Place: Identifiable, Hashable, Sendable {
        /// The place's identifier; no two regions share one.
        public let id: PlaceID
        /// In English, with its article: as it stands in "reached …".
        public let name: String
    }

    /// Someone who stands in the party's way.
    public struct Foe: Identifiable, Hashable, Sendable {
        /// The foe's identifier; no two regions share one.
        public let id: FoeID
        /// In English, with its article: as it stands in "met …".
        public let name: String
        /// One emoji.
        public let avatar: String
        /// Health, in percent of what the heroes' blows take in one step.
        let healthPercent: Int
        /// What each blow takes from a hero at the danger of the way's middle, before defence.
        let damage: ClosedRange<Int>
    }

    /// Something that comes over the party.
    public struct Hazard: Identifiable, Hashable, Sendable {
        /// The hazard's identifier; no two regions share one.
        public let id: HazardID
        /// What happened, in English: one sentence.
        public let telling: String
        /// What it takes from each hero whom it reaches at the danger of the way's middle, before defence.
        let damage: ClosedRange<Int>
    }

    /// Something that gives the party its strength back.
    public struct Rest: Identifiable, Hashable, Sendable {
        /// The rest's identifier; no two regions share one.
        public let id: RestID
        /// What happened, in English: one sentence.
        public let telling: String
        /// What each hero gains, in percent of its health.
        let healingPercent: ClosedRange<Int>
    }

    /// A part of a region's story.
    public struct Beat: Identifiable, Hashable, Sendable {
        /// The part's identifier; no two regions share one.
        public let id: BeatID
        /// What happened, in English: one sentence.
        public let telling: String
        /// How much of the way lies behind the party when it is told, in percent.
        let wayPercent: Int
    }

    /// What can be found in a region; items of one rarity are found equally often.
    public struct Loot: Hashable, Sendable {
        /// Found often.
        public let common: [ItemID]
        /// Found now and then.
        public let rare: [ItemID]
        /// Found once in a journey, if at all.
        public let epic: [ItemID]

        /// The items of a rarity.
        public subscript(rarity: Rarity) -> [ItemID] {
            switch rarity {
            case .common: common
            case .rare: rare
            case .epic: epic
            }
        }
    }

    /// What a step of a journey can bring.
    enum Happening: Hashable, Sendable {
        case travel
        case loot
        case hazard
        case encounter
        case rest
    }

    /// Every region, the shortest way first.
    public static let all: [Entry] = [meadow, coast, forest, peaks, wastes]

    /// The place with that identifier, nil when no region has it.
    public static func place(_ id: PlaceID) -> Place? { first(id, among: \.places) }
    /// The foe with that identifier, nil when no region has it.
    public static func foe(_ id: FoeID) -> Foe? { first(id, among: \.foes) }
    /// The hazard with that identifier, nil when no region has it.
    public static func hazard(_ id: HazardID) -> Hazard? { first(id, among: \.hazards) }
    /// The rest with that identifier, nil when no region has it.
    public static func rest(_ id: RestID) -> Rest? { first(id, among: \.rests) }
    /// The part of a story with that identifier, nil when no region has it.
    public static func beat(_ id: BeatID) -> Beat? { first(id, among: \.beats) }

    private static func first<Content: Identifiable>(_ id: Content.ID, among list: (Entry) -> [Content]) -> Content? {
        for region in all {
            if let content = list(region).first(where: { $0.id == id }) { return content }
        }
        return nil
    }
}
