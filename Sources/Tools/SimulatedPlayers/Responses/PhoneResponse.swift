import Encodings
public import Foundation
public import GameCore
public import LiveActivityContent
import RangersClient

/// A phone in the simulator's API.
public struct PhoneResponse: Decodable, Sendable {
    /// A Live Activity on the phone.
    public struct Activity: Decodable, Sendable {
        /// The activity's identifier.
        public let activityID: ActivityID
        /// Whether a push has ended it.
        public let isEndedByPush: Bool
        /// The cause of its end, such as `push` or `person`; nil while it runs.
        private(set) var endedBy: String?
        /// The state on the phone; nil until the first push.
        public let contentState: AdventureAttributes.ContentState?
    }

    /// The app's widgets.
    public struct Widgets: Decodable, Sendable {
        /// The number of reloads by pushes.
        public let reloads: Int
        /// The content as the app has drawn it; nil before.
        public private(set) var content: WidgetContent?
    }

    /// The phone's identifier.
    public let phoneID: UUID
    /// The activities in the order of their start.
    public let activities: [Activity]
    /// The app's widgets.
    public private(set) var widgets: Widgets?

    /// Returns an activity on the phone.
    func activity(_ id: ActivityID) -> Activity? {
        activities.first { $0.activityID == id }
    }
}

/// All phones.
struct PhoneList: Decodable {
    let phones: [PhoneResponse]
}

/// A new push token.
struct NewTokenResponse: Decodable {
    let pushToken: PushTokenText
}

/// The information that the system gives to the app on a phone.
struct RunningActivities: Decodable {
    struct Activity: Decodable {
        let activityID: ActivityID
        let adventureID: AdventureID
        let pushToken: PushTokenText
        /// The `sequence` of the state on the phone; nil until the first push.
        private(set) var sequence: Int?
    }

    /// The phone's setting for frequent pushes.
    let frequentPushesEnabled: Bool
    /// The phone's setting for Live Activities.
    let liveActivitiesEnabled: Bool
    /// The phone's locale.
    let locale: String
    /// The remaining budget for priority 10; nil for no limit.
    private(set) var budgetLeft: Int?
    /// The number of reloads of the widgets by pushes.
    let widgetReloads: Int
    let activities: [Activity]
}

/// A push token in hexadecimal.
struct PushTokenText: Decodable {
    let bytes: Data

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Data(hexadecimal: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "the token is not hexadecimal")
        }
        self.bytes = bytes
    }
}

/// A violation in the simulator's API: a mistake that APNs does not report.
public struct ViolationResponse: Decodable, Sendable {
    /// The kind of violation.
    public let kind: String
    /// The affected activity.
    public let activityID: ActivityID?
    /// The push's `apns-id`.
    public private(set) var apnsID: String?
    /// The description for people.
    public let detail: String
}

/// All violations.
struct ViolationList: Decodable {
    let violations: [ViolationResponse]
}
