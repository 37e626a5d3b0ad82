import JSONCoding

/// The body of one push to a Live Activity: a JSON object with the one key `aps`.
///
/// What Apple documents for some kinds of push only (attributes for starts, a stale date for starts and updates, a
/// dismissal date for ends) can be given for these only. All moments are whole seconds since 1970.
public struct LiveActivityPayload: Hashable, Sendable {
    /// What APNs takes at most, uncompressed (Apple, "Sending notification requests to APNs").
    public static let largestBytes = 4_096

    /// What the push does to the activity.
    public enum Event: Hashable, Sendable {
        /// Starts an activity; goes to a push-to-start token.
        ///
        /// A phone drops a start without an `alert`. The payload asks for an update token too (`input-push-token`), which
        /// the app hears of when the system wakes it.
        case start(attributes: AdventureAttributes, staleDate: Int64, relevanceScore: Double, alert: Alert)
        /// Shows a newer state.
        ///
        /// At `staleDate` the phone marks the state as out of date; among several activities of the app the one with
        /// the highest `relevanceScore` comes first. An `alert` also lights the screen and plays a sound.
        case update(staleDate: Int64, relevanceScore: Double, alert: Alert?)
        /// Ends the activity with its last state; the Lock Screen keeps it until `dismissalDate`.
        ///
        /// The system cuts that to 4 hours after the end.
        case end(dismissalDate: Int64)
    }

    /// What lights the screen: for Live Activities always the nested form, with the sound inside.
    public struct Alert: Hashable, Sendable {
        /// The title; an alert without one is ignored.
        public let title: LocalizableText
        /// The body.
        public let body: LocalizableText
        /// The file name of a sound in the app's bundle.
        public let sound: String

        /// An alert.
        public init(title: LocalizableText, body: LocalizableText, sound: String) {
            self.title = title
            self.body = body
            self.sound = sound
        }
    }

    /// When the request was written; the phone keeps the state with the newest timestamp.
    public var timestamp: Int64
    /// What the push does.
    public var event: Event
    /// The state as JSON, as ``EncodedContentState`` makes it.
    public var contentState: [UInt8]

    /// A push with a state that is encoded already.
    public init(timestamp: Int64, event: Event, contentState: [UInt8]) {
        self.timestamp = timestamp
        self.event = event
        self.contentState = contentState
    }

    /// The JSON that goes to APNs.
    /// - Throws: ``LiveActivityPayloadError/tooLarge(bytes:)`` when it is longer than ``largestBytes``.
    public func encoded() throws(LiveActivityPayloadError) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: contentState.count + 512)
        writer.object { writer in
            writer.key("aps")
            writer.object { writeMembers(to: &$0) }
        }
        guard writer.bytes.count <= Self.largestBytes else { throw .tooLarge(bytes: writer.bytes.count) }
        return writer.bytes
    }

    private func writeMembers(to writer: inout JSONWriter) {
        writer.key("timestamp")
        writer.value(timestamp)
        writer.key("event")
        switch event {
        case .start(let attributes, let staleDate, let relevanceScore, let alert):
            writer.value("start")
            writer.key("input-push-token")
            writer.value(1)
            writer.key("attributes-type")
            writer.value(AdventureAttributes.typeName)
            writer.key("attributes")
            writer.value(attributes)
            writer.key("stale-date")
            writer.value(staleDate)
            writer.key("relevance-score")
            writer.value(relevanceScore)
            writer.key("alert")
            writer.value(alert)
        case .update(let staleDate, let relevanceScore, let alert):
            writer.value("update")
            writer.key("stale-date")
            writer.value(staleDate)
            writer.key("relevance-score")
            writer.value(relevanceScore)
            if let alert {
                writer.key("alert")
                writer.value(alert)
            }
        case .end(let dismissalDate):
            writer.value("end")
            writer.key("dismissal-date")
            writer.value(dismissalDate)
        }
        writer.key("content-state")
        writer.value(encoded: contentState)
    }
}

/// Why a payload cannot be sent.
public enum LiveActivityPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is longer than APNs takes.
    case tooLarge(bytes: Int)

    /// What is wrong, with the size.
    public var description: String {
        switch self {
        case .tooLarge(let bytes):
            "the payload has \(bytes) bytes, and APNs takes \(LiveActivityPayload.largestBytes) at most"
        }
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ attributes: AdventureAttributes) {
        object { writer in
            writer.key("adventureID")
            writer.value(attributes.adventureID)
            writer.key("heroAvatar")
            writer.value(attributes.heroAvatar)
            writer.key("heroName")
            writer.value(attributes.heroName)
            writer.key("partyName")
            writer.value(attributes.partyName)
        }
    }

    fileprivate mutating func value(_ alert: LiveActivityPayload.Alert) {
        object { writer in
            writer.key("title")
            writer.value(localized: alert.title)
            writer.key("body")
            writer.value(localized: alert.body)
            writer.key("sound")
            writer.value(alert.sound)
        }
    }

    /// ActivityKit's nested form; `loc-args` is left out where there are none.
    private mutating func value(localized text: LocalizableText) {
        object { writer in
            writer.key("loc-key")
            writer.value(text.key)
            if !text.args.isEmpty {
                writer.key("loc-args")
                writer.array(text.args) { $0.value($1) }
            }
        }
    }
}
