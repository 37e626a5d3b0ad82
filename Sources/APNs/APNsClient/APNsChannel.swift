/// A broadcast channel of one app in one environment.
///
/// All Live Activities that subscribe to it receive its broadcasts.
public struct APNsChannel: Hashable, Sendable {
    /// The identifier of a channel, which APNs assigns: base64 of unspecified length, never reused.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The size limit of identifiers; Apple documents none.
        private static let maxBytes = 256

        /// The text of the identifier, as in `apns-channel-id`.
        public let description: String

        /// Creates an identifier, or returns nil if the text is empty, too long or not base64.
        public init?(_ text: String) {
            let isBase64 = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
                    true
                default: false
                }
            }
            guard !text.isEmpty, text.utf8.count <= Self.maxBytes, isBase64 else { return nil }
            description = text
        }
    }

    /// The messages that APNs stores for devices that are not connected; fixed for each channel.
    public enum StoragePolicy: Int, Hashable, Sendable {
        /// No message; allows a higher rate of broadcasts.
        case noMessage = 0
        /// The newest broadcast, for at most eight hours.
        case mostRecentMessage = 1
    }

    /// The identifier of the channel.
    public let id: ID
    /// The storage policy of the channel.
    public let storagePolicy: StoragePolicy

    /// Creates the description of an existing channel.
    public init(id: ID, storagePolicy: StoragePolicy) {
        self.id = id
        self.storagePolicy = storagePolicy
    }
}
