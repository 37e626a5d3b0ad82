import Encodings
import Foundation
import LiveActivityContent

/// A payload as ActivityKit reads it, with what it would silently stumble over.
struct ReceivedPayload: Equatable, Sendable {
    /// What a push does to an activity.
    enum Event: String, Codable, Sendable {
        /// Makes one; the others address one that runs already.
        case start
        case update
        case end
    }

    /// UNIX seconds.
    let timestamp: Int64
    let event: Event
    /// Nil when the payload has none that the app's type can be decoded from.
    let contentState: AdventureAttributes.ContentState?
    /// UNIX seconds.
    let staleDate: Int64?
    /// UNIX seconds.
    let dismissalDate: Int64?
    /// Higher comes first on the Lock Screen; 0 when the payload does not say.
    let relevanceScore: Double
    let alert: ReceivedAlert?
    /// With a start: what never changes; nil when the app's type cannot be decoded from it.
    let attributes: AdventureAttributes?
    /// With a start: the channel that the activity is to follow.
    let inputPushChannel: Channel.ID?
    /// What a phone does not take as the sender meant it, in the order of ``PayloadFault``'s cases.
    let faults: [PayloadFault]
}

extension ReceivedPayload {
    /// Reads what a `JSONDecoder` that has nothing set reads, as phones do.
    /// - Throws: `DecodingError` when not even timestamp and event can be read: a phone drops such a push.
    init(decoding bytes: [UInt8]) throws {
        var json = PlainJSON(bytes)
        // What the fast way does not take is read, or refused with a reason, by the other one.
        self = try (try? Self(plain: &json)) ?? Self(decodingSlowly: bytes)
    }

    /// Reads it by a `JSONDecoder`, which takes more time than all else about a push.
    init(decodingSlowly bytes: [UInt8]) throws {
        do {
            self = try JSONDecoder().decode(Envelope.self, from: Data(bytes)).aps
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            throw DecodingError.dataCorrupted(OddNumber.context(in: bytes) ?? context)
        }
    }

    private struct Envelope: Decodable {
        let aps: ReceivedPayload
    }

    /// Whether a phone believes the timestamp of a push that is accepted at that time; an end may be as old as it likes.
    func isPlausible(at now: Moment) -> Bool {
        switch event {
        case .update where timestamp < now.epochSeconds - PhoneActivity.mostSecondsBehind: false
        case .start, .update, .end: timestamp <= now.epochSeconds + PhoneActivity.mostSecondsAhead
        }
    }
}

/// What is wrong with a payload that APNs accepts and a phone does not take as it was meant.
enum PayloadFault: Hashable, Sendable {
    /// The content state is missing or does not decode; why.
    case contentState(String)
    /// `loc-key`, `title-loc-key` and the like stand flat in the alert, as in ordinary pushes.
    case flatLocalizationKeys
    /// `sound` stands beside the alert.
    case soundOutsideAlert
    /// A start or an update names no time at which it is out of date.
    case missingStaleDate
    /// A start's attributes are missing, of another type, or do not decode; why.
    case attributes(String)
    /// A start has no alert: a phone drops it.
    case startWithoutAlert
    /// A start asks neither for an update token nor for a channel.
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

        var faults: [PayloadFault] = []
        do {
            // `end` may leave the state out: the phone then keeps the one that it shows.
            contentState =
                event != .end
                ? try container.decode(AdventureAttributes.ContentState.self, forKey: .contentState)
                : try container.decodeIfPresent(AdventureAttributes.ContentState.self, forKey: .contentState)
        } catch {
            contentState = nil
            faults.append(.contentState(explanation(of: error, in: container, .contentState)))
        }
        if alert?.hasFlatLocalizationKeys == true { faults.append(.flatLocalizationKeys) }
        if container.contains(.sound) { faults.append(.soundOutsideAlert) }
        if event != .end, staleDate == nil { faults.append(.missingStaleDate) }
        if event == .start {
            do {
                attributes = try Self.attributes(in: container)
            } catch {
                attributes = nil
                faults.append(.attributes(explanation(of: error, in: container, .attributes)))
            }
            if alert == nil { faults.append(.startWithoutAlert) }
            inputPushChannel = try container.decodeIfPresent(Channel.ID.self, forKey: .inputPushChannel)
            if try container.decodeIfPresent(Int.self, forKey: .inputPushToken) != 1, inputPushChannel == nil {
                faults.append(.missingInputPushToken)
            }
        } else {
            attributes = nil
            inputPushChannel = nil
        }
        self.faults = faults
    }

    private static func attributes(
        in container: KeyedDecodingContainer<CodingKeys>
    ) throws -> AdventureAttributes {
        let type = try container.decode(String.self, forKey: .attributesType)
        guard type == AdventureAttributes.typeName else {
            throw DecodingError.dataCorruptedError(
                forKey: .attributesType,
                in: container,
                debugDescription: "the app has no type \(type)"
            )
        }
        return try container.decode(AdventureAttributes.self, forKey: .attributes)
    }
}
