import Foundation

/// A channel of an app: who follows it gets what is published to it.
struct Channel: Sendable {
    /// Its name: base64 of no certain length, which senders cannot choose.
    struct ID: Hashable, Sendable, Codable {
        /// How many random bytes the names have that this simulator hands out.
        static let byteCount = 16
        /// No longer name is looked at.
        static let maximumBytes = 256

        /// As it stands in `apns-channel-id`.
        let base64: String

        /// The name so written; nil when the text is no base64, or is too long.
        init?(base64 text: String) {
            guard !text.isEmpty, text.utf8.count <= Self.maximumBytes, Data(base64Encoded: text) != nil else {
                return nil
            }
            base64 = text
        }

        /// A new one.
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
        /// - Throws: `DecodingError.dataCorrupted` when the text is no name.
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let id = Self(base64: text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no base64")
            }
            self = id
        }
    }

    /// What APNs keeps for phones out of reach; the raw values are Apple's.
    enum StoragePolicy: Int, Codable, Sendable {
        /// Nothing.
        case noMessage = 0
        /// The newest message, for eight hours at most.
        case mostRecentMessage = 1
    }

    let storagePolicy: StoragePolicy
    /// The newest timestamp that was published, in UNIX seconds.
    var newestTimestamp: Int64?
    /// The `apns-request-id` of the broadcast that had it first.
    var newestID: String?
    /// The `apns-request-id` of the first end that was published since anyone began to follow.
    var endID: String?
    /// The activities that follow it, in the order in which they began to.
    var followers: [ActivityPlace] = []
}
