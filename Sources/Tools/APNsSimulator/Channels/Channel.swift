import Foundation

/// A broadcast channel of an app: its followers get every push that is published to it.
struct Channel: Sendable {
    /// The channel's identifier: base64 of unspecified length, chosen by APNs.
    struct ID: Hashable, Sendable, Codable {
        /// The number of random bytes in identifiers of this simulator.
        static let byteCount = 16
        /// The maximum length of an identifier in a request.
        static let maxBytes = 256

        /// The text form, as in `apns-channel-id`.
        let base64: String

        /// Parses the text form; nil for invalid base64 and for text that is too long.
        init?(base64 text: String) {
            guard !text.isEmpty, text.utf8.count <= Self.maxBytes, Data(base64Encoded: text) != nil else {
                return nil
            }
            base64 = text
        }

        /// Creates a random identifier.
        init(using generator: inout some RandomNumberGenerator) {
            let bytes = (0..<Self.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            base64 = Data(bytes).base64EncodedString()
        }

        /// Encodes the text form.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(base64)
        }

        /// Decodes the text form.
        /// - Throws: `DecodingError.dataCorrupted` for invalid base64.
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let id = Self(base64: text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not base64")
            }
            self = id
        }
    }

    /// The messages that APNs stores for offline phones; the raw values are Apple's.
    enum StoragePolicy: Int, Codable, Sendable {
        /// No message.
        case noMessage = 0
        /// The newest message, for eight hours at most.
        case mostRecentMessage = 1
    }

    let storagePolicy: StoragePolicy
    /// The newest published timestamp, in UNIX seconds.
    var newestTimestamp: Int64?
    /// The `apns-request-id` of the first broadcast with that timestamp.
    var newestID: String?
    /// The `apns-request-id` of the first end since the newest follower joined.
    var endID: String?
    /// The activities that follow the channel, in order of joining.
    var followers: [ActivityLocation] = []
    /// The subscribers without a phone on the wall, each with the newest timestamp that it has got.
    ///
    /// They stand for a crowd: eight bytes each, and no state, settings or connection.
    var crowd: [Int64] = []

    /// The maximum number of subscribers without a phone: 80 MB.
    static let maxCrowd = 10_000_000

    /// Delivers a broadcast to the subscribers without a phone, of which each keeps the newest timestamp.
    /// - Returns: for how many it is newer than what they have, and for how many not.
    mutating func deliver(_ timestamp: Int64) -> (shown: Int, outdated: Int) {
        var shown = 0
        for index in crowd.indices where crowd[index] < timestamp {
            crowd[index] = timestamp
            shown += 1
        }
        return (shown, crowd.count - shown)
    }
}
