/// What a journey has of its own.
struct Journey: Codable, Hashable, Sendable {
    let region: RegionID
    var place: PlaceID
    /// Steps taken.
    var step: Int
    /// Steps to the goal.
    let steps: Int

    /// A journey that stands at its region's first place.
    init(in region: RegionID, using generator: inout Generator) {
        let entry = Self.entry(region)
        self.region = region
        place = entry.places[0].id
        step = 0
        steps = generator.number(in: entry.steps)
    }

    /// The region's content.
    var content: RegionCatalogue.Entry { Self.entry(region) }

    private static func entry(_ region: RegionID) -> RegionCatalogue.Entry {
        guard let entry = RegionCatalogue[region] else { preconditionFailure("no region '\(region)' in the catalogue") }
        return entry
    }
}
