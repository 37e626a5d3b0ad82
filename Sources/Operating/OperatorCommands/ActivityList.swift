import CommandLineSupport
import Foundation

/// The response to `GET /admin/v1/adventures/{adventureID}/activities`.
struct ActivityList: Decodable, HumanReadable {
    struct Activity: Decodable {
        let activityID: String
        let playerID: String
        /// The device that shows the activity; nil from an older server.
        let deviceID: String?
        let state: String
        let environment: String
        let frequentPushesEnabled: Bool
        let locale: String?
        let tokenFingerprint: String
        let generation: Int
        /// The timestamp of the last push, in seconds since 1970; 0 for none.
        let lastTimestamp: Int64
        /// The moment up to which APNs has accepted, or the dispatcher dropped, everything that happened.
        let acknowledgedAt: Date
    }

    let activities: [Activity]

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard !activities.isEmpty else { return ["No Live Activities."] }
        return table.lines(fitting: width, paint: paint)
    }

    private var table: Table {
        Table(
            [
                .whole("ACTIVITY"), .whole("PLAYER"), .whole("DEVICE"), .init("STATE"), .init("APNS"),
                .init("FREQUENT"), .init("LOCALE"), .whole("FINGERPRINT"),
                .init("NO.", isNumber: true), .whole("LAST PUSH"),
                .whole("ACKNOWLEDGED"),
            ],
            rows: activities.map { activity in
                [
                    activity.activityID, activity.playerID, activity.deviceID ?? "", activity.state,
                    activity.environment,
                    activity.frequentPushesEnabled ? "yes" : "no", activity.locale ?? "", activity.tokenFingerprint,
                    "\(activity.generation)", Self.dateText(activity.lastTimestamp),
                    activity.acknowledgedAt.utcText,
                ]
            }
        )
    }

    private static func dateText(_ timestamp: Int64) -> String {
        timestamp > 0 ? Date(timeIntervalSince1970: TimeInterval(timestamp)).utcText : "never"
    }
}
