import CommandLineSupport
import Foundation

/// The response to `GET /admin/v1/activities/{activityID}/report`: what Apple asks for in a report about pushes.
struct ActivityPushReport: Decodable, HumanReadable {
    struct Push: Decodable {
        let apnsID: String
        let sentAt: Date
        let acceptedAt: Date?
        let timestamp: Int64
        let expiration: Int64
        let priority: Int
        let sequence: Int
        let outcome: String?
        let status: Int?
        let reason: String?
        let shownAt: Date?
        let verdict: String?
    }

    let activityID: String
    let environment: String
    let topic: String?
    let pushType: String
    /// The beginning of the push token and its length.
    let token: String
    let tokenFingerprint: String?
    let tokenRegisteredAt: Date
    let registeredAt: Date
    let appBuild: String?
    let locale: String?
    let frequentPushesEnabled: Bool
    let liveActivitiesEnabled: Bool?
    let reportedAt: Date?
    let pushes: [Push]

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        facts(fitting: width) + [""] + pushLines(fitting: width, paint: paint)
    }

    private func facts(fitting width: Int?) -> [String] {
        let settings = [
            frequentPushesEnabled ? "frequent pushes" : "no frequent pushes",
            liveActivitiesEnabled.map { $0 ? "Live Activities on" : "Live Activities off" },
            locale,
        ]
        let facts: [(label: String, text: String)] = [
            ("Topic", topic ?? "unknown to this node, which has no provider key"),
            ("Push type", pushType),
            ("APNs", environment),
            (
                "Token",
                [token, tokenFingerprint.map { "fingerprint \($0)" }, "since \(tokenRegisteredAt.utcText)"]
                    .compactMap(\.self).joined(separator: ", ")
            ),
            ("App build", appBuild ?? "unknown"),
            ("Device", settings.compactMap(\.self).joined(separator: ", ")),
            ("Activity", "\(activityID), since \(registeredAt.utcText)"),
            ("Reported", reportedAt.map { "by the device at \($0.utcText)" } ?? "nothing by the device"),
        ]
        return facts.flatMap { label, text in
            Paragraph(beginning: label + String(repeating: " ", count: 11 - label.count), text: text)
                .lines(fitting: width)
        }
    }

    private func pushLines(fitting width: Int?, paint: Paint) -> [String] {
        guard !pushes.isEmpty else { return ["No push is recorded for this activity."] }
        let table = Table(
            [
                .whole("APNS-ID"), .whole("SENT, UTC"), .whole("ACCEPTED"), .init("TIMESTAMP", isNumber: true),
                .init("EXPIRATION", isNumber: true), .init("PRIORITY", isNumber: true),
                .init("SEQUENCE", isNumber: true),
                .whole("OUTCOME"), .init("STATUS", isNumber: true), .whole("REASON"), .whole("SHOWN"),
                .whole("VERDICT"),
            ],
            rows: pushes.map { push in
                [
                    push.apnsID, push.sentAt.utcText, push.acceptedAt?.utcTime ?? "", "\(push.timestamp)",
                    "\(push.expiration)", "\(push.priority)", "\(push.sequence)", push.outcome ?? "unknown",
                    push.status.map { "\($0)" } ?? "", push.reason ?? "", push.shownAt?.utcTime ?? "",
                    push.verdict ?? "",
                ]
            }
        )
        return table.lines(fitting: width, paint: paint)
    }
}
