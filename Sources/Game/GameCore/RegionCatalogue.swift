/// The regions of journeys.
public enum RegionCatalogue: Catalogue {
    /// A region with its locations, story and random happenings.
    public struct Entry: CatalogueEntry {
        /// The region's identifier.
        public let id: RegionID
        /// The English name.
        public let name: String
        /// One emoji.
        public let avatar: String
        /// The locations; a journey begins at the first and ends at the last, its goal.
        public let locations: [Location]
        /// The loot.
        public let loot: Loot
        /// The foes.
        public let foes: [Foe]
        /// The hazards.
        public let hazards: [Hazard]
        /// The rests.
        public let rests: [Rest]
        /// The beats of the region's story, in order.
        public let beats: [Beat]
        /// The length of a journey in ticks.
        public let steps: ClosedRange<Int>
        /// The random happenings and their weights.
        let happenings: [Weighted<Happening>]
        /// The strength of all dangers in percent, which makes regions of different length equally hard.
        let dangerPercent: Int
    }

    /// A location in a region.
    public struct Location: Identifiable, Hashable, Sendable {
        /// The identifier, unique among all regions.
        public let id: LocationID
        /// The English name with its article, as in "reached …".
        public let name: String
    }

    /// A foe that the party can meet.
    public struct Foe: Identifiable, Hashable, Sendable {
        /// The identifier, unique among all regions.
        public let id: FoeID
        /// The English name with its article, as in "met …".
        public let name: String
        /// One emoji.
        public let avatar: String
        /// The health, in percent of the party's combined attack.
        let healthPercent: Int
        /// The damage of each blow at 100 % danger, before defence.
        let damage: ClosedRange<Int>
    }

    /// A hazard that can strike the party.
    public struct Hazard: Identifiable, Hashable, Sendable {
        /// The identifier, unique among all regions.
        public let id: HazardID
        /// The narration in one English sentence.
        public let narration: String
        /// The damage to each victim at 100 % danger, before defence.
        let damage: ClosedRange<Int>
    }

    /// A rest that heals the party.
    public struct Rest: Identifiable, Hashable, Sendable {
        /// The identifier, unique among all regions.
        public let id: RestID
        /// The narration in one English sentence.
        public let narration: String
        /// The healing of each hero, in percent of its maximum health.
        let healingPercent: ClosedRange<Int>
    }

    /// A beat of a region's story.
    public struct Beat: Identifiable, Hashable, Sendable {
        /// The identifier, unique among all regions.
        public let id: BeatID
        /// The narration in one English sentence.
        public let narration: String
        /// The progress of the journey from which the beat is due, in percent.
        let progressPercent: Int
    }

    /// The items of a region by rarity; items of the same rarity are equally likely.
    public struct Loot: Hashable, Sendable {
        /// The common items.
        public let common: [ItemID]
        /// The rare items.
        public let rare: [ItemID]
        /// The epic items.
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

    /// The kind of event that a step of a journey brings at random.
    enum Happening: Hashable, Sendable {
        case travel
        case loot
        case hazard
        case encounter
        case rest
    }

    /// Every region, the shortest first.
    public static let all: [Entry] = [meadow, coast, forest, peaks, wastes]

    /// Returns the location with an identifier, or nil if there is none.
    public static func location(_ id: LocationID) -> Location? { first(id, among: \.locations) }
    /// Returns the foe with an identifier, or nil if there is none.
    public static func foe(_ id: FoeID) -> Foe? { first(id, among: \.foes) }
    /// Returns the hazard with an identifier, or nil if there is none.
    public static func hazard(_ id: HazardID) -> Hazard? { first(id, among: \.hazards) }
    /// Returns the rest with an identifier, or nil if there is none.
    public static func rest(_ id: RestID) -> Rest? { first(id, among: \.rests) }
    /// Returns the story beat with an identifier, or nil if there is none.
    public static func beat(_ id: BeatID) -> Beat? { first(id, among: \.beats) }

    private static func first<Content: Identifiable>(_ id: Content.ID, among list: (Entry) -> [Content]) -> Content? {
        for region in all {
            if let content = list(region).first(where: { $0.id == id }) { return content }
        }
        return nil
    }
}
