/// The identifier of a piece of content: a short lowercase word, such as `spouty`.
///
/// The database and the API contain only identifiers. A release may remove an entry that stored rows still refer to, so
/// every identifier has a name and an avatar, whether or not an entry exists.
public protocol CatalogueID: RawRepresentable<String>, Codable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// Creates an identifier; its entry need not exist.
    init(rawValue: String)
}

extension CatalogueID {
    /// Creates an identifier from a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The raw value.
    public var description: String { rawValue }
}

/// The identifier of a hero in ``HeroCatalogue``.
public struct HeroID: CatalogueID {
    /// The identifier as a word.
    public let rawValue: String

    /// Creates an identifier from a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The hero's English name; the raw value if there is no entry.
    public var name: String { HeroCatalogue.index(of: self).map { HeroCatalogue.all[$0].name } ?? rawValue }
    /// The hero's emoji; ❔ if there is no entry.
    public var avatar: String { HeroCatalogue.index(of: self).map { HeroCatalogue.all[$0].avatar } ?? unknownAvatar }
}

/// The identifier of a boss in ``BossCatalogue``.
public struct BossID: CatalogueID {
    /// The identifier as a word.
    public let rawValue: String

    /// Creates an identifier from a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The boss's English name; the raw value if there is no entry.
    public var name: String { BossCatalogue.index(of: self).map { BossCatalogue.all[$0].name } ?? rawValue }
    /// The boss's emoji; ❔ if there is no entry.
    public var avatar: String { BossCatalogue.index(of: self).map { BossCatalogue.all[$0].avatar } ?? unknownAvatar }
}

/// The identifier of a region in ``RegionCatalogue``.
public struct RegionID: CatalogueID {
    /// The identifier as a word.
    public let rawValue: String

    /// Creates an identifier from a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The region's English name; the raw value if there is no entry.
    public var name: String { RegionCatalogue[self]?.name ?? rawValue }
}

/// The identifier of a location in a region; see ``RegionCatalogue/Entry/locations``.
public struct LocationID: CatalogueID {
    /// The identifier as a word.
    public let rawValue: String

    /// Creates an identifier from a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The location's English name with its article, as in a sentence; the raw value if there is no entry.
    public var name: String { RegionCatalogue.location(self)?.name ?? rawValue }
}

/// The identifier of an item in ``ItemCatalogue``.
public struct ItemID: CatalogueID {
    /// The identifier as a word.
    public let rawValue: String

    /// Creates an identifier from a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The item's English name with its article, as in a sentence; the raw value if there is no entry.
    public var name: String { ItemCatalogue[self]?.name ?? rawValue }
}

/// The identifier of a foe in a region; see ``RegionCatalogue/Entry/foes``.
public struct FoeID: CatalogueID {
    /// The identifier as a word.
    public let rawValue: String

    /// Creates an identifier from a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The foe's English name with its article, as in a sentence; the raw value if there is no entry.
    public var name: String { RegionCatalogue.foe(self)?.name ?? rawValue }
}

/// The identifier of a hazard in a region; see ``RegionCatalogue/Entry/hazards``.
public struct HazardID: CatalogueID {
    /// The identifier as a word.
    public let rawValue: String

    /// Creates an identifier from a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The English sentence that narrates the hazard; the raw value if there is no entry.
    public var narration: String { RegionCatalogue.hazard(self)?.narration ?? rawValue }
}

/// The identifier of a rest in a region; see ``RegionCatalogue/Entry/rests``.
public struct RestID: CatalogueID {
    /// The identifier as a word.
    public let rawValue: String

    /// Creates an identifier from a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The English sentence that narrates the rest; the raw value if there is no entry.
    public var narration: String { RegionCatalogue.rest(self)?.narration ?? rawValue }
}

/// The identifier of a story beat of a region; see ``RegionCatalogue/Entry/beats``.
public struct BeatID: CatalogueID {
    /// The identifier as a word.
    public let rawValue: String

    /// Creates an identifier from a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The English sentence that narrates the story beat; the raw value if there is no entry.
    public var narration: String { RegionCatalogue.beat(self)?.narration ?? rawValue }
}

/// The avatar of identifiers without an entry.
private let unknownAvatar = "❔"
