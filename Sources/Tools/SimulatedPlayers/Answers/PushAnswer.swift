public import Encodings
import Foundation
public import GameCore
import LiveActivityContent

/// A push as it reached the simulated APNs.
public struct PushAnswer: Sendable {
    /// What the push did to the activity.
    public enum Kind: String, Decodable, Sendable {
        /// It started the activity.
        case start
        /// It showed a newer state.
        case update
        /// It ended the activity.
        case end
    }

    /// 1 and up, in the order of arrival.
    public let number: Int
    /// When it arrived.
    public let time: Timestamp
    /// Whose token it was; nil when it was nobody's.
    public let activityID: ActivityID?
    /// 5 or 10; nil when the request could not be read.
    public let priority: Int?
    /// Nil when the payload could not be read.
    public let kind: Kind?
    /// As the sender chose it: a push that is repeated keeps it.
    public let apnsID: String
    /// Whether APNs took it.
    public let isAccepted: Bool
    /// How many events the state had seen that it brought; nil when it brought none.
    public let sequence: Int?
    /// What lit the screen.
    let alert: LiveActivityPayload.Alert?
}

extension PushAnswer: Decodable {
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

    /// Decodes an entry of the simulator's log, and the payload in it.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .payload)
        let payload = try? JSONDecoder().decode(Payload.self, from: Data(text.utf8)).aps
        self.init(
            number: try container.decode(Int.self, forKey: .number),
            time: try container.decodeMoment(forKey: .time),
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

/// The log, from some number on.
struct PushList: Decodable {
    let pushes: [PushAnswer]
    /// The number of the newest push there is.
    let last: Int
}

/// What the check looks at in a payload; an alert that lacks anything of the nested form is none.
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
