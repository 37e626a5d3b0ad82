public import Foundation
public import GameCore
public import LiveActivityContent
import RangersClient

/// A phone as the simulator tells of it.
public struct PhoneAnswer: Decodable, Sendable {
    /// A Live Activity on it.
    public struct Activity: Decodable, Sendable {
        /// As the app named it.
        public let activityID: ActivityID
        /// Whether a push has ended it.
        public let isEndedByPush: Bool
        /// What the phone shows; nil until the first push.
        public let contentState: AdventureAttributes.ContentState?
    }

    /// Names the phone.
    public let phoneID: UUID
    /// In the order in which they started.
    public let activities: [Activity]

    /// What the phone has of an activity.
    func activity(_ id: ActivityID) -> Activity? {
        activities.first { $0.activityID == id }
    }
}

/// All phones.
struct PhoneList: Decodable {
    let phones: [PhoneAnswer]
}

/// The token that pushes for a new activity go to.
struct NewActivityAnswer: Decodable {
    let pushToken: PushTokenText
}

/// What the app on a phone is told of its running activities.
struct RunningActivities: Decodable {
    struct Activity: Decodable {
        let activityID: ActivityID
        let adventureID: AdventureID
        let pushToken: PushTokenText
    }

    /// What the phone's owner chose in its settings.
    let frequentPushesEnabled: Bool
    /// The phone's language.
    let locale: String
    let activities: [Activity]
}

/// A push token as it travels.
struct PushTokenText: Decodable {
    let bytes: Data

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Data(hexadecimal: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a token is hexadecimal")
        }
        self.bytes = bytes
    }
}

/// Something a sender did that Apple would never tell it of.
public struct ViolationAnswer: Decodable, Sendable {
    /// The simulator's name for it.
    public let kind: String
    /// Which activity suffered.
    public let activityID: ActivityID?
    /// What exactly, for people.
    public let detail: String
}

/// Every violation there was.
struct ViolationList: Decodable {
    let violations: [ViolationAnswer]
}
