import Encodings
import Foundation

/// An identifier of one kind of object on the phone wall: a UUID, written in lowercase.
struct WallID<Subject>: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The UUID.
    let rawValue: UUID

    /// Creates an identifier from a UUID.
    init(rawValue: UUID) {
        self.rawValue = rawValue
    }

    /// Parses the text form; nil for anything but a UUID.
    init?(_ text: String) {
        guard let uuid = UUID(text: text) else { return nil }
        rawValue = uuid
    }

    /// Creates a random identifier (version 4).
    init(using generator: inout some RandomNumberGenerator) {
        rawValue = UUID(randomUsing: &generator)
    }

    /// The text form: 36 characters in lowercase.
    var description: String { rawValue.lowercaseText }

    /// Decodes the text form.
    /// - Throws: `DecodingError.dataCorrupted` for anything but a UUID.
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let identifier = Self(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a UUID")
        }
        self = identifier
    }

    /// Encodes the text form.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension UUID {
    /// Creates a UUID of version 4 (RFC 9562, section 5.4) from a generator.
    init(randomUsing generator: inout some RandomNumberGenerator) {
        var high = UInt64.random(in: .min ... .max, using: &generator)
        var low = UInt64.random(in: .min ... .max, using: &generator)
        high = high & 0xffff_ffff_ffff_0fff | 0x4000
        low = low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - 8 * index)) }
        self.init(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
                byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
                byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            )
        )
    }
}
