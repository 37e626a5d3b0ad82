import JSONCoding

/// The payload of one push to a Live Activity: a JSON object with the key `aps`.
///
/// Values that Apple documents for some events only (attributes for starts, a stale date for starts and updates, a
/// dismissal date for ends) exist for these events only. All times are whole seconds since 1970.
public struct LiveActivityPayload: Hashable, Sendable {
    /// The maximum size of a payload in bytes, uncompressed (Apple, "Sending notification requests to APNs").
    public static let maxBytes = 4_096

    /// The kind of a push, with the values that only this kind has.
    public enum Event: Hashable, Sendable {
        /// Starts an activity; needs a push-to-start token.
        ///
        /// A phone drops a start without an `alert`.
        case start(attributes: Attributes, staleDate: Int64, relevanceScore: Double, alert: Alert)
        /// Shows a newer state.
        ///
        /// The phone marks the state as out of date at `staleDate`. Of several activities of the app, the one with the
        /// highest `relevanceScore` comes first. An `alert` lights the screen and plays a sound.
        case update(staleDate: Int64, relevanceScore: Double, alert: Alert?)
        /// Ends the activity with its last state, which the Lock Screen keeps until `dismissalDate`.
        ///
        /// The system removes it at most 4 hours after the end.
        case end(dismissalDate: Int64)
    }

    /// The attributes of an activity that a push starts.
    public enum Attributes: Hashable, Sendable {
        /// Those of an adventure; the payload requests an update token (`input-push-token`), which the app receives when the
        /// system wakes it.
        case adventure(AdventureAttributes)
        /// Those of a raid, whose activity follows a broadcast channel (`input-push-channel`); iOS before 18 does not start
        /// it.
        case raid(RaidAttributes, channelID: String)
    }

    /// An alert, which lights the screen.
    ///
    /// Live Activities require the nested form, with the sound inside `alert`.
    public struct Alert: Hashable, Sendable {
        /// The title; the phone ignores an alert without one.
        public let title: LocalizableText
        /// The text below the title.
        public let body: LocalizableText
        /// The file name of a sound in the bundle of the app; nil for an alert without a sound.
        public let sound: String?

        /// Creates an alert.
        public init(title: LocalizableText, body: LocalizableText, sound: String?) {
            self.title = title
            self.body = body
            self.sound = sound
        }

        /// The alert without its sound.
        public var silent: Self { Self(title: title, body: body, sound: nil) }
    }

    /// The time at which the request was written; the phone ignores a payload that is older than the newest one.
    public var timestamp: Int64
    /// The kind of push.
    public var event: Event
    /// The state as JSON; see ``EncodedContentState``.
    public var contentState: [UInt8]

    /// Creates a payload.
    /// - Parameters:
    ///   - timestamp: the time at which the request is written.
    ///   - event: the kind of push.
    ///   - contentState: the state as JSON.
    public init(timestamp: Int64, event: Event, contentState: [UInt8]) {
        self.timestamp = timestamp
        self.event = event
        self.contentState = contentState
    }

    /// Returns the payload as JSON.
    /// - Throws: ``LiveActivityPayloadError/tooLarge(bytes:)`` if it is larger than ``maxBytes``.
    public func encoded() throws(LiveActivityPayloadError) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: contentState.count + 512)
        writer.object { writer in
            writer.key("aps")
            writer.object { writeMembers(to: &$0) }
        }
        guard writer.bytes.count <= Self.maxBytes else { throw .tooLarge(bytes: writer.bytes.count) }
        return writer.bytes
    }

    private func writeMembers(to writer: inout JSONWriter) {
        writer.key("timestamp")
        writer.value(timestamp)
        writer.key("event")
        switch event {
        case .start(let attributes, let staleDate, let relevanceScore, let alert):
            writer.value("start")
            switch attributes {
            case .adventure(let attributes):
                writer.key("input-push-token")
                writer.value(1)
                writer.key("attributes-type")
                writer.value(AdventureAttributes.typeName)
                writer.key("attributes")
                writer.value(attributes)
            case .raid(let attributes, let channelID):
                writer.key("input-push-channel")
                writer.value(channelID)
                writer.key("attributes-type")
                writer.value(RaidAttributes.typeName)
                writer.key("attributes")
                writer.value(attributes)
            }
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

/// An error: a payload cannot be sent.
public enum LiveActivityPayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The payload is larger than APNs accepts.
    case tooLarge(bytes: Int)

    /// The size of the payload and the limit, as a clause.
    public var description: String {
        switch self {
        case .tooLarge(let bytes):
            "the payload has \(bytes) bytes, and APNs accepts at most \(LiveActivityPayload.maxBytes)"
        }
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ attributes: AdventureAttributes) {
        object { writer in
            writer.key("adventureID")
            writer.value(attributes.adventureID)
            if let hero = attributes.hero {
                writer.key("hero")
                writer.value(hero)
            }
            writer.key("heroAvatar")
            writer.value(attributes.heroAvatar)
            writer.key("heroName")
            writer.value(attributes.heroName)
            writer.key("partyName")
            writer.value(attributes.partyName)
            if let names = attributes.playerNames {
                writer.key("playerNames")
                writer.array(names) { $0.value($1) }
            }
        }
    }

    fileprivate mutating func value(_ attributes: RaidAttributes) {
        object { writer in
            writer.key("bossAvatar")
            writer.value(attributes.bossAvatar)
            writer.key("bossName")
            writer.value(attributes.bossName)
            writer.key("raidID")
            writer.value(attributes.raidID)
        }
    }

    private mutating func value(_ hero: AdventureAttributes.Hero) {
        object { writer in
            writer.key("avatar")
            writer.value(hero.avatar)
            writer.key("battleCode")
            writer.value(hero.battleCode)
            writer.key("bio")
            writer.value(hero.bio)
            writer.key("exp")
            writer.value(hero.exp)
            writer.key("healthLevel")
            writer.value(hero.healthLevel)
            writer.key("healthRecoveryRatePerHour")
            writer.value(hero.healthRecoveryRatePerHour)
            writer.key("heroType")
            writer.value(hero.heroType)
            writer.key("level")
            writer.value(hero.level)
            writer.key("name")
            writer.value(hero.name)
            writer.key("power")
            writer.value(hero.power)
            writer.key("url")
            writer.value(hero.url)
        }
    }

    fileprivate mutating func value(_ alert: LiveActivityPayload.Alert) {
        object { writer in
            writer.key("title")
            writer.value(localized: alert.title)
            writer.key("body")
            writer.value(localized: alert.body)
            if let sound = alert.sound {
                writer.key("sound")
                writer.value(sound)
            }
        }
    }

    /// Writes ActivityKit's nested form, without `loc-args` if there are none.
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
