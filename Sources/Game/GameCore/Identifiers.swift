public import Encodings

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A shard: the unit of locking, leasing and distribution.
///
/// The shard of a party is the last byte of its UUID. Its adventures have the same last byte, so their identifiers also
/// determine the shard.
public struct Shard: RawRepresentable, Hashable, Comparable, Sendable {
    /// The number of the shard, 0…255.
    public let rawValue: UInt8

    /// Creates a shard from its number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Creates the shard of a UUID from its last byte.
    public init(of uuid: UUID) {
        self.rawValue = uuid.uuid.15
    }

    /// All 256 shards in order.
    public static let all: [Shard] = (UInt8.min...UInt8.max).map(Shard.init(rawValue:))

    /// Orders shards by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A typed identifier: a UUID, of version 7 if the server created it.
public protocol EntityID: RawRepresentable<UUID>, Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Creates an identifier from its UUID.
    init(rawValue: UUID)
}

extension EntityID {
    /// Parses an identifier from 36 characters in lower or upper case; nil if they are not a UUID.
    public init?(_ text: String) {
        guard let uuid = UUID(text: text) else { return nil }
        self.init(rawValue: uuid)
    }

    /// Creates a new identifier: a UUID of version 7 (RFC 9562, section 5.7).
    /// - Parameters:
    ///   - moment: the time of creation, with millisecond precision.
    ///   - shard: the value of the last byte; nil for a random one.
    ///   - generator: the source of the random bits.
    public init(at moment: Timestamp, in shard: Shard? = nil, using generator: inout some RandomNumberGenerator) {
        self.init(rawValue: UUID(version7At: moment, lastByte: shard?.rawValue, using: &generator))
    }

    /// The shard in the identifier's last byte.
    public var shard: Shard { Shard(of: rawValue) }

    /// The UUID as 36 characters in lower case, as in responses, log lines and rows.
    public var description: String { rawValue.lowercaseText }

    /// Orders identifiers by their bytes; identifiers of version 7 sort by their time of creation.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Decodes an identifier from a string.
    /// - Throws: `DecodingError.dataCorrupted` if the string is not a UUID.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a UUID")
        }
        self = id
    }

    /// Encodes the identifier as a string in lower case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The identifier of a party; its last byte is the party's shard.
public struct PartyID: EntityID {
    /// The UUID.
    public let rawValue: UUID

    /// Creates an identifier from its UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
}

/// The identifier of a player.
public struct PlayerID: EntityID {
    /// The UUID.
    public let rawValue: UUID

    /// Creates an identifier from its UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
}

/// The identifier of an adventure; its last byte is the shard of its party.
public struct AdventureID: EntityID {
    /// The UUID.
    public let rawValue: UUID

    /// Creates an identifier from its UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
}

/// The identifier of a raid; its last byte is the shard of its home, which holds the raid's row.
public struct RaidID: EntityID {
    /// The UUID.
    public let rawValue: UUID

    /// Creates an identifier from its UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
}

/// The identifier of a Live Activity on one device; the app chooses it.
public struct ActivityID: EntityID {
    /// The UUID.
    public let rawValue: UUID

    /// Creates an identifier from its UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
}

/// The identifier of a player's device, chosen by the app; unique among the devices of the player.
public struct DeviceID: EntityID {
    /// The UUID.
    public let rawValue: UUID

    /// Creates an identifier from its UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
}
