/// The bundle identifier of an app.
public struct BundleID: Hashable, Sendable, CustomStringConvertible {
    /// Apple's suffix for topics of Live Activities; paths have no suffix.
    private static let topicSuffix = ".push-type.liveactivity"

    /// The text of the identifier, for example `com.example.rangers`.
    public let description: String

    /// The `apns-topic` of all pushes to Live Activities of the app.
    public var topic: String { description + Self.topicSuffix }

    /// Creates an identifier, or returns nil if the text is empty, has an invalid character, or is a topic.
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
