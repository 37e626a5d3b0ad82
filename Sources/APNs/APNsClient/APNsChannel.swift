/// A channel that broadcasts go to: everybody whose Live Activity follows it gets them.
///
/// It belongs to one app in one environment.
public struct APNsChannel: Hashable, Sendable {
    /// Apple's name of a channel: base64 of no certain length, chosen by APNs and never given twice.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// No identifier is longer, to keep what comes from elsewhere within reason.
        private static let maxBytes = 256

        /// As it stands in `apns-channel-id`.
        public let description: String

        /// The identifier, or nil when the text is none.
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

    /// What APNs keeps for devices that are not connected, fixed when the channel is made.
    public enum StoragePolicy: Int, Hashable, Sendable {
        /// Nothing; for frequent updates, of which more may be published.
        case noMessage = 0
        /// The newest broadcast, for eight hours at most.
        case mostRecentMessage = 1
    }

    /// Its name.
    public let id: ID
    /// What APNs keeps of its broadcasts.
    public let storagePolicy: StoragePolicy

    /// The channel with that name and that policy, as the app's store has them.
    public init(id: ID, storagePolicy: StoragePolicy) {
        self.id = id
        self.storagePolicy = storagePolicy
    }
}
