public import Encodings
import Foundation
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
    /// The sequence in the push's state; nil without a state.
    public let sequence: Int?
    /// The alert; nil without one.
    let alert: LiveActivityPayload.Alert?
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
            sequence: payload?.state?.sequence,
            alert: payload?.alert.map { alert in
                LiveActivityPayload.Alert(title: alert.title.text, body: alert.body.text, sound: alert.sound)
            }
        )
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
        let sound: String
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
