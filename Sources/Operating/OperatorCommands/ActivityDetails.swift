import CommandLineSupport
import Foundation

/// The response to `GET /admin/v1/activities/{activityID}`.
struct ActivityDetails: Decodable, HumanReadable {
    let activityID: String
    let adventureID: String
    let partyID: String
    let partyName: String?
    let playerID: String
    let playerName: String?
    /// The device that shows the activity; nil from an older server.
    let deviceID: String?
    let heroName: String?
    let heroAvatar: String?
    let adventureKind: String
    let adventureStatus: String
    let state: String
    let environment: String
    let frequentPushesEnabled: Bool
    let locale: String?
    let generation: Int
    let tokenFingerprint: String
    let registeredAt: Date
    let startsAt: Date?
    let tokenRegisteredAt: Date
    let lastPushAt: Date?
    let waitReason: String
    let waitsUntil: Date?
    /// Which of the recorded pushes the device has shown; nil from an older server.
    let shown: ShownPushes?

    /// The verdicts on the recorded pushes that APNs accepted.
    struct ShownPushes: Decodable {
        let accepted: Int
        let shown: Int
        let superseded: Int
        let notShown: [String: Int]
        let undecided: Int
        let reportedAt: Date?

        var text: String {
            guard let reportedAt else { return "unknown: the device has reported nothing" }
            let causes = notShown.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($1) \($0)" }
            let others = [
                superseded > 0 ? "\(superseded) superseded" : nil, undecided > 0 ? "\(undecided) undecided" : nil,
            ]
            let rest = causes + others.compactMap(\.self)
            return "\(shown) of \(accepted) accepted pushes"
                + (rest.isEmpty ? "" : " (\(rest.joined(separator: ", ")))")
                + ", as reported at \(reportedAt.utcText)"
        }
    }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        facts(fitting: width) + [""] + pendingPush(fitting: width)
    }

    /// Returns the properties, each on one or more lines.
    func facts(fitting width: Int?) -> [String] {
        let kind = adventureKind == "bossFight" ? "boss fight" : adventureKind
        let hero = heroName.map { "plays \([heroAvatar, $0].compactMap(\.self).joined(separator: " "))" }
        var facts: [(label: String, text: String)] = [
            ("Activity", activityID),
            (
                "State",
                "\(state), registered \(registeredAt.utcText)" + (startsAt.map { ", starts at \($0.utcText)" } ?? "")
            ),
            ("Adventure", "\(adventureID), \(kind), \(adventureStatus)"),
            ("Party", [partyID, partyName ?? "disbanded"].joined(separator: ", ")),
            (
                "Player",
                [playerID, playerName ?? "no longer a member", hero].compactMap(\.self).joined(separator: ", ")
            ),
            (
                "Device",
                [deviceID, frequentPushesEnabled ? "frequent pushes" : "no frequent pushes", locale]
                    .compactMap(\.self).joined(separator: ", ")
            ),
            (
                "Token",
                "fingerprint \(tokenFingerprint), number \(generation), \(environment), since \(tokenRegisteredAt.utcText)"
            ),
            ("Last push", lastPushAt?.utcText ?? "never"),
        ]
        if let shown { facts.append(("Shown", shown.text)) }
        return facts.flatMap { label, text in
            Paragraph(beginning: label + String(repeating: " ", count: 11 - label.count), text: text)
                .lines(fitting: width)
        }
    }

    /// Returns the lines with the reason why no push is sent now.
    func pendingPush(fitting width: Int?) -> [String] {
        Paragraph(
            beginning: "Now        ",
            text: waitReason + (waitsUntil.map { ", until \($0.utcText)" } ?? "") + "."
        ).lines(fitting: width)
    }
}
