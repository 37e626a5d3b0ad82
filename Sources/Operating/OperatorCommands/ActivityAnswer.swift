import CommandLineSupport

/// The answer to `GET /admin/v1/activities/{activityID}`.
struct ActivityAnswer: Answer {
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
    let registeredAt: Moment
    let tokenRegisteredAt: Moment
    let lastPushAt: Moment?
    let waitsFor: String
    let waitsUntil: Moment?

    func lines(fitting width: Int?) -> [String] {
        facts(fitting: width) + [""] + now(fitting: width)
    }

    /// A line for each thing that is known of it.
    func facts(fitting width: Int?) -> [String] {
        let kind = adventureKind == "bossFight" ? "boss fight" : adventureKind
        let hero = heroName.map { "plays \([heroAvatar, $0].compactMap(\.self).joined(separator: " "))" }
        let facts: [(label: String, text: String)] = [
            ("Activity", activityID),
            ("State", "\(state), registered \(registeredAt.text)"),
            ("Adventure", "\(adventureID), \(kind), \(adventureStatus)"),
            ("Party", [partyID, partyName ?? "disbanded"].joined(separator: ", ")),
            (
                "Player",
                [playerID, playerName ?? "no member any more", hero].compactMap(\.self).joined(separator: ", ")
            ),
            (
                "Phone",
                (frequentPushesEnabled ? "frequent pushes" : "no frequent pushes") + (locale.map { ", \($0)" } ?? "")
            ),
            ("Token", "\(tokenFingerprint), number \(generation), \(environment), since \(tokenRegisteredAt.text)"),
            ("Last push", lastPushAt?.text ?? "never"),
        ]
        return facts.flatMap { label, text in
            Paragraph(beginning: label + String(repeating: " ", count: 11 - label.count), text: text)
                .lines(fitting: width)
        }
    }

    /// What it waits for at the moment.
    func now(fitting width: Int?) -> [String] {
        Paragraph(
            beginning: "Now        ",
            text: waitsFor + (waitsUntil.map { ", until \($0.text)" } ?? "") + "."
        ).lines(fitting: width)
    }
}
