import Encodings
import Foundation
import GameCore

/// A location in the lists of an export: the last entry of a page.
///
/// As text it is a letter for the list, and identifiers in hexadecimal.
enum ExportCursor: Hashable, Sendable {
    /// A party, with all of its adventures.
    case party(PartyID)
    /// An adventure of a party.
    case adventure(PartyID, AdventureID)
    /// An adventure of the history.
    case history(AdventureID)
    /// An activity.
    case activity(AdventureID, ActivityID)
    /// An idempotency key, and the shard in which it is stored.
    case key(Shard, String)

    private static let zero = UUID(bytes: [UInt8](repeating: 0, count: 16))

    /// The beginning of the first list, parties.
    static let first = party(PartyID(rawValue: zero))
    /// The beginning of the history.
    static let newestInHistory = history(
        AdventureID(rawValue: UUID(bytes: [UInt8](repeating: 255, count: 16)))
    )
    /// The beginning of the list of activities.
    static let firstActivity = activity(AdventureID(rawValue: zero), ActivityID(rawValue: zero))
    /// The beginning of the list of keys.
    static let firstKey = key(Shard(rawValue: 0), "")

    /// Returns the beginning of a party's adventures.
    static func firstAdventure(of partyID: PartyID) -> Self { .adventure(partyID, AdventureID(rawValue: zero)) }

    /// The text of the cursor.
    var text: String {
        switch self {
        case .party(let id): "p" + id.bytes.hexadecimal
        case .adventure(let party, let id): "a" + (party.bytes + id.bytes).hexadecimal
        case .history(let id): "h" + id.bytes.hexadecimal
        case .activity(let adventure, let id): "v" + (adventure.bytes + id.bytes).hexadecimal
        case .key(let shard, let key): "k" + ([shard.rawValue] + Array(key.utf8)).hexadecimal
        }
    }

    /// Parses a cursor; nil if the text is none, in the pattern that `openapi.yaml` has.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }), let list = text.first,
            let bytes = [UInt8](hexadecimal: text.dropFirst())
        else { return nil }
        let halves = (bytes.prefix(16), bytes.dropFirst(16))
        switch (list, bytes.count) {
        case ("p", 16):
            self = .party(PartyID(rawValue: UUID(bytes: bytes)))
        case ("a", 32):
            self = .adventure(
                PartyID(rawValue: UUID(bytes: Array(halves.0))),
                AdventureID(rawValue: UUID(bytes: Array(halves.1)))
            )
        case ("h", 16):
            self = .history(AdventureID(rawValue: UUID(bytes: bytes)))
        case ("v", 32):
            self = .activity(
                AdventureID(rawValue: UUID(bytes: Array(halves.0))),
                ActivityID(rawValue: UUID(bytes: Array(halves.1)))
            )
        case ("k", 1...256):
            // Keys are visible ASCII characters.
            let key = bytes.dropFirst()
            guard key.allSatisfy({ (0x20...0x7f).contains($0) }) else { return nil }
            self = .key(Shard(rawValue: bytes[0]), String(decoding: key, as: UTF8.self))
        default:
            return nil
        }
    }
}

extension EntityID {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: rawValue.uuid) { Array($0) } }
}
