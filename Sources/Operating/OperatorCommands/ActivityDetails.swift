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
    let tokenRegisteredAt: Date
    let lastPushAt: Date?
    let waitReason: String
    let waitsUntil: Date?

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        facts(fitting: width) + [""] + pendingPush(fitting: width)
    }

    /// Returns the properties, each on one or more lines.
    func facts(fitting width: Int?) -> [String] {
        let kind = adventureKind == "bossFight" ? "boss fight" : adventureKind
        let hero = heroName.map { "plays \([heroAvatar, $0].compactMap(\.self).joined(separator: " "))" }
        let facts: [(label: String, text: String)] = [
            ("Activity", activityID),
            ("State", "\(state), registered \(registeredAt.utcText)"),
            ("Adventure", "\(adventureID), \(kind), \(adventureStatus)"),
            ("Party", [partyID, partyName ?? "disbanded"].joined(separator: ", ")),
            (
                "Player",
                [playerID, playerName ?? "no longer a member", hero].compactMap(\.self).joined(separator: ", ")
            ),
            (
                "Phone",
                (frequentPushesEnabled ? "frequent pushes" : "no frequent pushes") + (locale.map { ", \($0)" } ?? "")
            ),
            ("Token", "\(tokenFingerprint), number \(generation), \(environment), since \(tokenRegisteredAt.utcText)"),
            ("Last push", lastPushAt?.utcText ?? "never"),
        ]
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
