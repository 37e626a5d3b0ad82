import CommandLineSupport
import Foundation

/// The response to `GET /admin/v1/players/{playerID}/devices`.
struct DeviceList: Decodable, HumanReadable {
    struct Device: Decodable {
        struct Alerts: Decodable {
            struct QuietHours: Decodable {
                let from: Int
                let to: Int
                let timeZone: String
            }

            let muted: [String]
            let quietHours: QuietHours?
        }

        struct SentAlert: Decodable {
            let adventureID: String
            let sequence: Int
            let at: Date
        }

        let deviceID: String
        let environment: String
        let locale: String?
        let appBuild: String?
        let liveActivitiesEnabled: Bool
        let followsRaids: Bool
        let hasPushToStartToken: Bool
        let hasAlertToken: Bool
        let hasWidgetToken: Bool
        let alerts: Alerts
        let timeZoneKnown: Bool
        let updatedAt: Date
        let routable: Bool
        /// The ordinary alerts of the last hour, oldest first.
        let sentAlerts: [SentAlert]
    }

    let devices: [Device]

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard !devices.isEmpty else {
            return ["No devices: the app has registered none, or the player does not exist."]
        }
        return Array(devices.map { $0.lines(fitting: width) }.joined(separator: [""]))
    }
}

extension DeviceList.Device {
    fileprivate func lines(fitting width: Int?) -> [String] {
        let facts = [
            (
                "Device",
                [deviceID, environment, appBuild.map { "build \($0)" }, locale, "described \(updatedAt.utcText)"]
                    .compactMap(\.self).joined(separator: ", ")
            ),
            ("Activities", activities), ("Alerts", ordinaryAlerts), ("Muted", muted),
            ("Widgets", hasWidgetToken ? "reloaded by push" : "not reloaded by push: the server has no token for them"),
        ]
        return facts.flatMap { label, text in
            Paragraph(beginning: label + String(repeating: " ", count: 12 - label.count), text: text)
                .lines(fitting: width)
        }
    }

    private var activities: String {
        guard liveActivitiesEnabled else { return "turned off on the device" }
        guard hasPushToStartToken else { return "started by the app only: the server has no push-to-start token" }
        return "started by push" + (followsRaids ? ", those of raids, too" : "")
    }

    private var ordinaryAlerts: String {
        guard hasAlertToken else {
            return
                "none: the app has registered no token for them, APNs has reported it as dead, or another device has it"
        }
        guard routable else { return "none: no running node sends to \(environment)" }
        let last = sentAlerts.last.map {
            ", the last one at \($0.at.utcText) about event \($0.sequence) of adventure \($0.adventureID)"
        }
        return "\(sentAlerts.count) in the last hour" + (last ?? "")
    }

    private var muted: String {
        let hours = alerts.quietHours.map { hours in
            "from \(Self.time(hours.from)) to \(Self.time(hours.to)) in \(hours.timeZone)"
                + (timeZoneKnown ? "" : ", which the server does not know and so ignores")
        }
        let all = alerts.muted + [hours].compactMap(\.self)
        return all.isEmpty ? "nothing" : all.joined(separator: ", ")
    }

    /// Returns a minute of the day as `22:00`.
    private static func time(_ minute: Int) -> String {
        func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
        return "\(twoDigits(minute / 60)):\(twoDigits(minute % 60))"
    }
}
