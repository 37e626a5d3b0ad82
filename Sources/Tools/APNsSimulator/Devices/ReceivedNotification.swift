import LiveActivityContent

/// The payload of an ordinary notification as iOS decodes it, with the mistakes that iOS ignores silently.
///
/// Its localization keys are flat and its sound is beside the alert, the reverse of ActivityKit's form ("Generating a
/// remote notification").
struct ReceivedNotification: Equatable, Sendable {
    /// The importance of a notification; `critical` needs an entitlement that the app does not have.
    enum InterruptionLevel: String, Codable, CaseIterable, Sendable {
        /// Neither lights the screen nor plays a sound.
        case passive
        case active
        case timeSensitive = "time-sensitive"
    }

    /// The texts and the sound.
    let alert: ReceivedAlert
    let interruptionLevel: InterruptionLevel
    let threadID: String?
    let relevanceScore: Double
    /// The mistakes, in the order of ``Violation/Kind``'s cases.
    let findings: [PushInspection.Finding]
}

extension ReceivedNotification: Decodable {
    private enum CodingKeys: String, CodingKey {
        case aps
    }

    private enum MemberKeys: String, CodingKey {
        case alert
        case sound
        case interruptionLevel = "interruption-level"
        case threadID = "thread-id"
        case relevanceScore = "relevance-score"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
            .nestedContainer(keyedBy: MemberKeys.self, forKey: .aps)
        // A string is the body; anything else must be an object.
        let texts =
            try (try? container.decode(String.self, forKey: .alert)).map { FlatAlert(body: .plain($0)) }
            ?? container.decode(FlatAlert.self, forKey: .alert)
        // An object is the sound of a critical alert.
        let sound = try? container.decodeIfPresent(String.self, forKey: .sound)
        let level = try container.decodeIfPresent(String.self, forKey: .interruptionLevel)
        let score = try container.decodeIfPresent(Double.self, forKey: .relevanceScore)
        // A body without a title is complete.
        alert = ReceivedAlert(
            title: texts.title ?? texts.body,
            body: texts.title == nil ? nil : texts.body,
            sound: sound,
            hasFlatLocalizationKeys: true
        )
        interruptionLevel = level.flatMap(InterruptionLevel.init(rawValue:)) ?? .active
        threadID = try container.decodeIfPresent(String.self, forKey: .threadID)
        relevanceScore = score ?? 0
        findings = texts.findings + Self.findings(level: level, score: score)
    }

    private static func findings(level: String?, score: Double?) -> [PushInspection.Finding] {
        var findings: [PushInspection.Finding] = []
        if let level, InterruptionLevel(rawValue: level) == nil {
            let levels = InterruptionLevel.allCases.map(\.rawValue).joined(separator: ", ")
            let detail = "aps.interruption-level '\(level)' is none of \(levels)"
            findings.append(.init(kind: .invalidInterruptionLevel, detail: detail))
        }
        if let score, !(0...1).contains(score) {
            let detail = "aps.relevance-score of a notification is from 0 to 1, not \(score)"
            findings.append(.init(kind: .invalidRelevanceScore, detail: detail))
        }
        return findings
    }
}

/// The alert of an ordinary notification.
private struct FlatAlert {
    var title: ReceivedAlert.Text?
    var body: ReceivedAlert.Text?
    var findings: [PushInspection.Finding] = []
}

extension FlatAlert: Decodable {
    private enum CodingKeys: String, CodingKey {
        case title
        case titleLocKey = "title-loc-key"
        case titleLocArgs = "title-loc-args"
        case body
        case locKey = "loc-key"
        case locArgs = "loc-args"
        case sound
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try Self.text(in: container, .title, key: .titleLocKey, args: .titleLocArgs)
        body = try Self.text(in: container, .body, key: .locKey, args: .locArgs)
        for name in [CodingKeys.title, .body] where container.contains(name) {
            guard (try? container.decode(String.self, forKey: name)) == nil else { continue }
            let detail = "aps.alert.\(name.stringValue) is no text; a notification has flat loc-key and title-loc-key"
            findings.append(.init(kind: .nestedLocalizationKeys, detail: detail))
        }
        if container.contains(.sound) {
            let detail = "aps.alert.sound does not play; move it to aps.sound"
            findings.append(.init(kind: .soundInsideAlert, detail: detail))
        }
        if title == nil, body == nil {
            let detail = "the notification has neither a title nor a body"
            findings.append(.init(kind: .incompleteAlert, detail: detail))
        }
    }

    /// Returns the localized text, or else the plain one; other values are no text.
    private static func text(
        in container: KeyedDecodingContainer<CodingKeys>,
        _ plain: CodingKeys,
        key: CodingKeys,
        args: CodingKeys
    ) throws -> ReceivedAlert.Text? {
        guard let locKey = try container.decodeIfPresent(String.self, forKey: key) else {
            return (try? container.decode(String.self, forKey: plain)).map(ReceivedAlert.Text.plain)
        }
        let args = try container.decodeIfPresent([String].self, forKey: args) ?? []
        return .localizable(LocalizableText(key: locKey, args: args))
    }
}
