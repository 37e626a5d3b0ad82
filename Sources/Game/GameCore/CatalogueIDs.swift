/// Names an entry of a catalogue: a short word in lower case, such as `spouty`.
///
/// It is what is stored and what travels. An entry may leave the catalogue while rows still name it, so a name and an
/// avatar can be had of any identifier, known or not.
public protocol CatalogueID: RawRepresentable<String>, Codable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The identifier with that word; whether an entry has it is for the catalogue to say.
    init(rawValue: String)
}

extension CatalogueID {
    /// The word itself.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The word itself.
    public var description: String { rawValue }
}

/// Names a hero of ``HeroCatalogue``.
public struct HeroID: CatalogueID {
    /// The word.
    public let rawValue: String

    /// The identifier with that word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The hero's English name; the word itself when no entry has it.
    public var name: String { HeroCatalogue[self]?.name ?? rawValue }
    /// The hero's emoji.
    public var avatar: String { HeroCatalogue[self]?.avatar ?? unknownAvatar }
}

/// Names a boss of ``BossCatalogue``.
public struct BossID: CatalogueID {
    /// The word.
    public let rawValue: String

    /// The identifier with that word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The boss's English name; the word itself when no entry has it.
    public var name: String { BossCatalogue[self]?.name ?? rawValue }
    /// The boss's emoji.
    public var avatar: String { BossCatalogue[self]?.avatar ?? unknownAvatar }
}

/// Names a region of ``RegionCatalogue``.
public struct RegionID: CatalogueID {
    /// The word.
    public let rawValue: String

    /// The identifier with that word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The region's English name; the word itself when no entry has it.
    public var name: String { RegionCatalogue[self]?.name ?? rawValue }
}

/// Names a place of a region, see ``RegionCatalogue/Entry/places``.
public struct PlaceID: CatalogueID {
    /// The word.
    public let rawValue: String

    /// The identifier with that word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The place's English name as it stands in a sentence; the word itself when no region has it.
    public var name: String { RegionCatalogue.place(self)?.name ?? rawValue }
}

/// Names a piece of loot of ``ItemCatalogue``.
public struct ItemID: CatalogueID {
    /// The word.
    public let rawValue: String

    /// The identifier with that word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The item's English name as it stands in a sentence; the word itself when no entry has it.
    public var name: String { ItemCatalogue[self]?.name ?? rawValue }
}

/// Names a foe of a region, see ``RegionCatalogue/Entry/foes``.
public struct FoeID: CatalogueID {
    /// The word.
    public let rawValue: String

    /// The identifier with that word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The foe's English name as it stands in a sentence; the word itself when no region has it.
    public var name: String { RegionCatalogue.foe(self)?.name ?? rawValue }
}

/// Names a hazard of a region, see ``RegionCatalogue/Entry/hazards``.
public struct HazardID: CatalogueID {
    /// The word.
    public let rawValue: String

    /// The identifier with that word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The English sentence that tells it; the word itself when no region has it.
    public var telling: String { RegionCatalogue.hazard(self)?.telling ?? rawValue }
}

/// Names a rest of a region, see ``RegionCatalogue/Entry/rests``.
public struct RestID: CatalogueID {
    /// The word.
    public let rawValue: String

    /// The identifier with that word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The English sentence that tells it; the word itself when no region has it.
    public var telling: String { RegionCatalogue.rest(self)?.telling ?? rawValue }
}

/// Names a part of a region's story, see ``RegionCatalogue/Entry/beats``.
public struct BeatID: CatalogueID {
    /// The word.
    public let rawValue: String

    /// The identifier with that word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The English sentence that tells it; the word itself when no region has it.
    public var telling: String { RegionCatalogue.beat(self)?.telling ?? rawValue }
}

/// What stands for someone who has left the catalogue.
private let unknownAvatar = "❔"
