import JSONCoding

/// The payload of an ordinary alert, which a phone shows without a Live Activity.
///
/// Ordinary alerts have flat localization keys, and the sound beside the alert: the reverse of the form of Live Activities
/// (Apple, "Generating a remote notification").
public struct NotificationPayload: Hashable, Sendable {
    /// The importance of an alert for the phone.
    public enum InterruptionLevel: String, Hashable, Sendable {
        /// The alert lights the screen and plays its sound, unless a Focus holds it back.
        case active
        /// The alert also breaks through a Focus, if the app has the entitlement for it; else it is like ``active``.
        case timeSensitive = "time-sensitive"
    }

    /// Title, body and sound.
    public let alert: LiveActivityPayload.Alert
    /// The importance of the alert.
    public let interruptionLevel: InterruptionLevel
    /// The rank among the alerts of the app in a summary, 0…1.
    public let relevanceScore: Double
    /// The identifier of the adventure, by which the phone groups alerts, and which the app opens.
    public let adventureID: String

    /// Creates a payload.
    /// - Parameters:
    ///   - alert: title, body and sound.
    ///   - interruptionLevel: the importance of the alert.
    ///   - relevanceScore: the rank among the alerts of the app, 0…1.
    ///   - adventureID: the identifier of the adventure.
    public init(
        alert: LiveActivityPayload.Alert,
        interruptionLevel: InterruptionLevel,
        relevanceScore: Double,
        adventureID: String
    ) {
        self.alert = alert
        self.interruptionLevel = interruptionLevel
        self.relevanceScore = relevanceScore
        self.adventureID = adventureID
    }

    /// Returns the payload as JSON: `aps`, and `adventureID` beside it.
    /// - Throws: ``LiveActivityPayloadError/tooLarge(bytes:)`` if it is larger than APNs accepts.
    public func encoded() throws(LiveActivityPayloadError) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.object { writer in
            writer.key("aps")
            writer.object { writer in
                writer.key("alert")
                writer.object { writeTexts(to: &$0) }
                if let sound = alert.sound {
                    writer.key("sound")
                    writer.value(sound)
                }
                writer.key("interruption-level")
                writer.value(interruptionLevel.rawValue)
                writer.key("relevance-score")
                writer.value(relevanceScore)
                writer.key("thread-id")
                writer.value(adventureID)
            }
            writer.key("adventureID")
            writer.value(adventureID)
        }
        guard writer.bytes.count <= LiveActivityPayload.maxBytes else { throw .tooLarge(bytes: writer.bytes.count) }
        return writer.bytes
    }

    private func writeTexts(to writer: inout JSONWriter) {
        writer.key("title-loc-key")
        writer.value(alert.title.key)
        if !alert.title.args.isEmpty {
            writer.key("title-loc-args")
            writer.array(alert.title.args) { $0.value($1) }
        }
        writer.key("loc-key")
        writer.value(alert.body.key)
        if !alert.body.args.isEmpty {
            writer.key("loc-args")
            writer.array(alert.body.args) { $0.value($1) }
        }
    }
}
