public import Encodings

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The unit of locking, leasing and distribution: the last byte of a party's UUID.
///
/// Adventures of a party carry the same last byte, so an identifier names its shard.
public struct Shard: RawRepresentable, Hashable, Comparable, Sendable {
    /// 0…255.
    public let rawValue: UInt8

    /// The shard of that number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The shard that a UUID names by its last byte.
    public init(of uuid: UUID) {
        self.rawValue = uuid.uuid.15
    }

    /// Every shard, in order: 256 of them.
    public static let all: [Shard] = (UInt8.min...UInt8.max).map(Shard.init(rawValue:))

    /// Shards are ordered by number.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// An identifier of one kind of thing: a UUID (version 7 when the server makes it), written in lower case.
public protocol EntityID: RawRepresentable<UUID>, Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The identifier with that UUID.
    init(rawValue: UUID)
}

extension EntityID {
    /// The identifier written as `description` writes it, or nil when the text is no UUID.
    ///
    /// Upper case is understood too.
    public init?(_ text: String) {
        guard let uuid = UUID(text: text) else { return nil }
        self.init(rawValue: uuid)
    }

    /// A new identifier: UUID version 7 (RFC 9562, section 5.7).
    /// - Parameters:
    ///   - moment: its time, to the millisecond.
    ///   - shard: what its last byte is to say; nil leaves that to chance.
    ///   - generator: where the rest comes from.
    public init(at moment: Timestamp, in shard: Shard? = nil, using generator: inout some RandomNumberGenerator) {
        self.init(rawValue: UUID(version7At: moment, in: shard, using: &generator))
    }

    /// The shard that the identifier's last byte names.
    public var shard: Shard { Shard(of: rawValue) }

    /// 36 characters in lower case, as in every answer, log line and row.
    public var description: String { rawValue.lowercaseText }

    /// By bytes: identifiers of version 7 sort by the time they were made at.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Decodes the text form.
    /// - Throws: `DecodingError.dataCorrupted` when the text is no UUID.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a UUID")
        }
        self = id
    }

    /// Encodes the text form, in lower case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Names a party; its last byte is the party's shard.
public struct PartyID: EntityID {
    /// The UUID.
    public let rawValue: UUID

    /// The identifier with that UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
}

/// Names a player.
public struct PlayerID: EntityID {
    /// The UUID.
    public let rawValue: UUID

    /// The identifier with that UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
}

/// Names an adventure; its last byte is the shard of its party.
public struct AdventureID: EntityID {
    /// The UUID.
    public let rawValue: UUID

    /// The identifier with that UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
}

/// Names one Live Activity on one device; the app chooses it.
public struct ActivityID: EntityID {
    /// The UUID.
    public let rawValue: UUID

    /// The identifier with that UUID.
    public init(rawValue: UUID) { self.rawValue = rawValue }
}

extension UUID {
    /// A UUID of version 7 (RFC 9562, section 5.7): 48 bits of milliseconds, then chance.
    /// - Parameters:
    ///   - moment: its time, to the millisecond.
    ///   - shard: what its last byte is to say; nil leaves that to chance.
    ///   - generator: where the rest comes from.
    public init(
        version7At moment: Timestamp,
        in shard: Shard? = nil,
        using generator: inout some RandomNumberGenerator
    ) {
        let time = UInt64(bitPattern: moment.epochMilliseconds)
        let high = generator.next()
        let low = generator.next()
        func byte(_ word: UInt64, _ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: word >> (8 * index)) }
        self.init(
            uuid: (
                byte(time, 5), byte(time, 4), byte(time, 3), byte(time, 2), byte(time, 1), byte(time, 0),
                0x70 | (byte(high, 0) & 0x0f), byte(high, 1),
                0x80 | (byte(high, 2) & 0x3f), byte(high, 3),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4),
                shard?.rawValue ?? byte(low, 5)
            )
        )
    }
}
