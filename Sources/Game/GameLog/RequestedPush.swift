public import Encodings
import Foundation
public import GameCore

/// A push that an operator requested, and its result.
public struct RequestedPush: Sendable, Hashable {
    /// The kind of push.
    public enum Event: String, Sendable, CaseIterable {
        /// Sends the newest state.
        case update
        /// Ends the activity with the newest state, permanently.
        case end
    }

    /// The adventure that the activity shows.
    public let adventureID: AdventureID
    /// The activity to push to.
    public let activityID: ActivityID
    /// The position of the log entry that requested the push.
    public let position: Int64
    /// Request and result: a JSON object without secrets, opaque to the store.
    ///
    /// While the push has no result, it is the JSON of a ``PendingRequest``.
    public let report: String

    /// A request without a result.
    public struct PendingRequest: Codable, Sendable, Hashable {
        /// `update` or `end`.
        public let event: String
        /// When the push was requested, in microseconds since 1970.
        let atMicroseconds: Int64
        private enum CodingKeys: String, CodingKey {
            case event = "asked"
            case atMicroseconds
        }

        /// When the push was requested.
        public var at: Timestamp { Timestamp(microseconds: atMicroseconds) }
    }

    /// The request while it has no result; nil once there is one.
    public var pendingRequest: PendingRequest? {
        try? JSONDecoder().decode(PendingRequest.self, from: Data(report.utf8))
    }

    /// Creates a requested push.
    public init(adventureID: AdventureID, activityID: ActivityID, position: Int64, report: String) {
        self.adventureID = adventureID
        self.activityID = activityID
        self.position = position
        self.report = report
    }
}
