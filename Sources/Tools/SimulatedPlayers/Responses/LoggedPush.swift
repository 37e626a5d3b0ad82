public import Encodings
public import Foundation
public import GameCore
import LiveActivityContent

/// A push in the simulator's log.
public struct LoggedPush: Sendable {
    /// The event of a push.
    public enum Kind: String, Decodable, Sendable {
        /// Starts the activity.
        case start
        /// Updates the activity's state.
        case update
        /// Ends the activity.
        case end
    }

    /// The push's number: from 1, in order of arrival.
    public let number: Int
    /// The time of arrival.
    public let time: Timestamp
    /// The activity of the token; nil for an unknown token.
    public let activityID: ActivityID?
    /// The priority, 5 or 10; nil for an invalid request.
    public let priority: Int?
    /// The event; nil for an undecodable payload.
    public let kind: Kind?
    /// The sender's `apns-id`; a repeated push keeps it.
    public let apnsID: String
    /// Whether APNs accepted it.
    public let isAccepted: Bool
    /// The phone's reaction, such as `shown` or `throttled`; nil for a rejected push.
    let reaction: String?
    /// The sequence in the push's state; nil without a state.
    public let sequence: Int?
    /// The alert; nil without one.
    let alert: LiveActivityPayload.Alert?

    /// The phone of the token; nil for an unknown token.
    public private(set) var phoneID: UUID?
    /// The beginning of the token; nil for a request that was rejected before its token was read.
    public private(set) var tokenStart: String?
    /// The HTTP status; nil when a fault prevented a response.
    public private(set) var status: Int?
    /// Apple's reason for a rejection; nil for an accepted push.
    private(set) var reason: String?
    /// The kind of the injected fault; nil for none.
    public private(set) var fault: String?
    /// The payload, as JSON.
    public private(set) var payload = ""

    /// For a broadcast, how many subscribers reacted in each way; nil for other pushes.
    public private(set) var reactions: [String: Int]?

    /// Whether the phone showed it.
    public var isShown: Bool { reaction == "shown" }
}

extension LoggedPush: Decodable {
    private enum CodingKeys: String, CodingKey {
        case number
        case time
        case activityID
        case priority
        case event
        case apnsID
        case status
        case reason
        case reaction
        case reactions
        case phoneID
        case tokenStart
        case fault
        case payload
    }

    /// Decodes a log entry and the payload in it.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .payload)
        let payload = try? JSONDecoder().decode(Payload.self, from: Data(text.utf8)).aps
        self.init(
            number: try container.decode(Int.self, forKey: .number),
            time: try container.decodeTimestamp(forKey: .time),
            activityID: try container.decodeIfPresent(ActivityID.self, forKey: .activityID),
            priority: try container.decodeIfPresent(Int.self, forKey: .priority),
            kind: try container.decodeIfPresent(Kind.self, forKey: .event),
            apnsID: try container.decode(String.self, forKey: .apnsID),
            isAccepted: try container.decodeIfPresent(Int.self, forKey: .status) == 200,
            reaction: try container.decodeIfPresent(String.self, forKey: .reaction),
            sequence: payload?.state?.sequence,
            alert: payload?.alert.map { alert in
                LiveActivityPayload.Alert(title: alert.title.text, body: alert.body.text, sound: alert.sound)
            }
        )
        reactions = try container.decodeIfPresent([String: Int].self, forKey: .reactions)
        phoneID = try container.decodeIfPresent(UUID.self, forKey: .phoneID)
        tokenStart = try container.decodeIfPresent(String.self, forKey: .tokenStart)
        status = try container.decodeIfPresent(Int.self, forKey: .status)
        reason = try container.decodeIfPresent(String.self, forKey: .reason)
        fault = try container.decodeIfPresent(String.self, forKey: .fault)
        self.payload = text
    }
}

/// A page of the log.
struct PushPage: Decodable {
    let pushes: [LoggedPush]
    /// The number of the newest entry.
    let last: Int
}

/// The parts of a payload that the checks use; an incomplete alert is ignored.
private struct Payload: Decodable {
    struct Aps: Decodable {
        let alert: Alert?
        let state: State?

        private enum CodingKeys: String, CodingKey {
            case alert
            case state = "content-state"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            alert = try? container.decodeIfPresent(Alert.self, forKey: .alert)
            state = try container.decodeIfPresent(State.self, forKey: .state)
        }
    }

    struct State: Decodable {
        let sequence: Int
    }

    struct Alert: Decodable {
        let title: Text
        let body: Text
        let sound: String?
    }

    struct Text: Decodable {
        private let key: String
        private let args: [String]?

        private enum CodingKeys: String, CodingKey {
            case key = "loc-key"
            case args = "loc-args"
        }

        var text: LocalizableText { LocalizableText(key: key, args: args ?? []) }
    }

    let aps: Aps
}
