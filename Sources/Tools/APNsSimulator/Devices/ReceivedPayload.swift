import Encodings
import Foundation
import LiveActivityContent

/// A payload as ActivityKit decodes it, with the defects that ActivityKit ignores silently.
struct ReceivedPayload: Equatable, Sendable {
    /// The effect of a push on an activity.
    enum Event: String, Codable, Sendable {
        /// Starts an activity; the others address a running one.
        case start
        case update
        case end
    }

    /// The timestamp, in UNIX seconds.
    let timestamp: Int64
    let event: Event
    /// The content state; nil when it is missing or cannot be decoded.
    let contentState: AdventureAttributes.ContentState?
    /// The stale date, in UNIX seconds.
    let staleDate: Int64?
    /// The dismissal date, in UNIX seconds.
    let dismissalDate: Int64?
    /// The relevance score; higher scores come first on the Lock Screen; 0 by default.
    let relevanceScore: Double
    let alert: ReceivedAlert?
    /// A start's attributes; nil when they cannot be decoded.
    let attributes: Attributes?
    /// The channel that the started activity follows.
    let inputPushChannel: Channel.ID?
    /// The defects, in the order of ``PayloadDefect``'s cases.
    let defects: [PayloadDefect]

    /// What a phone shows of the attributes of an activity.
    struct Attributes: Equatable, Sendable {
        /// The identifier of the adventure, or of the raid.
        let adventureID: String
        /// The name of the player's hero, or of the boss of a raid.
        let heroName: String
        /// The name of the party; nil for a raid.
        var partyName: String?
        var hero: HeroStats?
        var playerNames: [String]?
    }
}

extension ReceivedPayload.Attributes {
    fileprivate init(_ attributes: AdventureAttributes) {
        self.init(
            adventureID: attributes.adventureID,
            heroName: attributes.heroName,
            partyName: attributes.partyName,
            hero: attributes.hero.map { HeroStats(level: $0.level, exp: $0.exp, power: $0.power) },
            playerNames: attributes.playerNames
        )
    }

    fileprivate init(_ attributes: RaidAttributes) {
        self.init(adventureID: attributes.raidID, heroName: attributes.bossName)
    }
}

extension ReceivedPayload {
    /// Decodes a payload with a default `JSONDecoder`, as phones do.
    /// - Throws: `DecodingError` when timestamp or event cannot be decoded: a phone drops such a push.
    init(decoding bytes: [UInt8]) throws {
        do {
            self = try JSONDecoder().decode(Envelope.self, from: Data(bytes)).aps
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            throw DecodingError.dataCorrupted(UnsupportedNumber.context(in: bytes) ?? context)
        }
    }

    private struct Envelope: Decodable {
        let aps: ReceivedPayload
    }

    /// Whether the timestamp is plausible when the push is accepted; an end may have any age.
    func isPlausible(at now: Timestamp) -> Bool {
        switch event {
        case .update where timestamp < now.epochSeconds - PhoneActivity.maxSecondsBehind: false
        case .start, .update, .end: timestamp <= now.epochSeconds + PhoneActivity.maxSecondsAhead
        }
    }
}

/// A defect of a payload that APNs accepts and a phone does not handle as intended.
enum PayloadDefect: Hashable, Sendable {
    /// The content state is missing or cannot be decoded, with the reason.
    case contentState(String)
    /// `loc-key`, `title-loc-key` and the like are flat in the alert, as in ordinary pushes.
    case flatLocalizationKeys
    /// `sound` is outside the alert.
    case soundOutsideAlert
    /// A start or an update has no stale date.
    case missingStaleDate
    /// A start's attributes are missing, of another type, or cannot be decoded, with the reason.
    case attributes(String)
    /// A start has no alert: phones drop it.
    case startWithoutAlert
    /// A start requests neither an update token nor a channel.
    case missingInputPushToken
}

extension ReceivedPayload: Decodable {
    private enum CodingKeys: String, CodingKey {
        case timestamp
        case event
        case contentState = "content-state"
        case staleDate = "stale-date"
        case dismissalDate = "dismissal-date"
        case relevanceScore = "relevance-score"
        case alert
        case sound
        case attributes
        case attributesType = "attributes-type"
        case inputPushToken = "input-push-token"
        case inputPushChannel = "input-push-channel"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        timestamp = try container.decode(Int64.self, forKey: .timestamp)
        event = try container.decode(Event.self, forKey: .event)
        staleDate = try container.decodeIfPresent(Int64.self, forKey: .staleDate)
        dismissalDate = try container.decodeIfPresent(Int64.self, forKey: .dismissalDate)
        relevanceScore = try container.decodeIfPresent(Double.self, forKey: .relevanceScore) ?? 0
        alert = try container.decodeIfPresent(ReceivedAlert.self, forKey: .alert)

        var defects: [PayloadDefect] = []
        do {
            // An `end` may omit the state: the phone then keeps the current one.
            contentState =
                event != .end
                ? try container.decode(AdventureAttributes.ContentState.self, forKey: .contentState)
                : try container.decodeIfPresent(AdventureAttributes.ContentState.self, forKey: .contentState)
        } catch {
            contentState = nil
            defects.append(.contentState(explanation(of: error, in: container, .contentState)))
        }
        if alert?.hasFlatLocalizationKeys == true { defects.append(.flatLocalizationKeys) }
        if container.contains(.sound) { defects.append(.soundOutsideAlert) }
        if event != .end, staleDate == nil { defects.append(.missingStaleDate) }
        if event == .start {
            do {
                attributes = try Self.attributes(in: container)
            } catch {
                attributes = nil
                defects.append(.attributes(explanation(of: error, in: container, .attributes)))
            }
            if alert == nil { defects.append(.startWithoutAlert) }
            inputPushChannel = try container.decodeIfPresent(Channel.ID.self, forKey: .inputPushChannel)
            if try container.decodeIfPresent(Int.self, forKey: .inputPushToken) != 1, inputPushChannel == nil {
                defects.append(.missingInputPushToken)
            }
        } else {
            attributes = nil
            inputPushChannel = nil
        }
        self.defects = defects
    }

    private static func attributes(in container: KeyedDecodingContainer<CodingKeys>) throws -> Attributes {
        switch try container.decode(String.self, forKey: .attributesType) {
        case AdventureAttributes.typeName:
            return Attributes(try container.decode(AdventureAttributes.self, forKey: .attributes))
        case RaidAttributes.typeName:
            return Attributes(try container.decode(RaidAttributes.self, forKey: .attributes))
        case let type:
            throw DecodingError.dataCorruptedError(
                forKey: .attributesType,
                in: container,
                debugDescription: "the app has no type \(type)"
            )
        }
    }
}
