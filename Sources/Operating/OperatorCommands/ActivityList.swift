import CommandLineSupport
import Encodings
import Foundation

/// The answer to `GET /admin/v1/adventures/{adventureID}/activities`.
struct ActivityList: Answer {
    struct Activity: Decodable {
        let activityID: String
        let playerID: String
        let state: String
        let environment: String
        let frequentPushesEnabled: Bool
        let locale: String?
        let tokenFingerprint: String
        let generation: Int
        let lastTimestamp: Int64
        let settledPosition: Int64
    }

    let activities: [Activity]

    func lines(fitting width: Int?) -> [String] { lines(fitting: width, paint: .none) }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard !activities.isEmpty else { return ["No Live Activity."] }
        return table.lines(fitting: width, paint: paint)
    }

    private var table: Table {
        Table(
            [
                .whole("ACTIVITY"), .whole("PLAYER"), .init("STATE"), .init("APNS"),
                .init("FREQUENT"), .init("LOCALE"), .whole("TOKEN"),
                .init("NO.", isNumber: true), .whole("LAST PUSH"),
                .init("SETTLED", isNumber: true),
            ],
            rows: activities.map { activity in
                [
                    activity.activityID, activity.playerID, activity.state, activity.environment,
                    activity.frequentPushesEnabled ? "yes" : "no", activity.locale ?? "", activity.tokenFingerprint,
                    "\(activity.generation)", Self.moment(activity.lastTimestamp), "\(activity.settledPosition)",
                ]
            }
        )
    }

    /// Seconds since 1970, as pushes carry them, as a date in UTC; zero stands for no push.
    private static func moment(_ timestamp: Int64) -> String {
        guard timestamp > 0 else { return "never" }
        return Moment(epochSeconds: Int(timestamp)).text
    }
}
