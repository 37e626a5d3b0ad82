/// The identifier of an app, as paths and topics hold it.
public struct BundleID: Hashable, Sendable, CustomStringConvertible {
    /// What Apple adds to it for the topic of Live Activities, and for no path.
    private static let topicSuffix = ".push-type.liveactivity"

    /// `com.example.rangers`.
    public let description: String

    /// `apns-topic` of every push to a Live Activity of the app.
    public var topic: String { description + Self.topicSuffix }

    /// The identifier, or nil when the text is none: empty, other characters than Apple takes, or a topic.
    public init?(_ text: String) {
        let isWritable = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard !text.isEmpty, isWritable, !text.hasSuffix(Self.topicSuffix) else { return nil }
        description = text
    }
}
