import CommandLineSupport
import Foundation
import JSONCoding
import RangersClient

/// The response to `GET /admin/v1/players`.
struct PlayerSearchResponse: Decodable, HumanReadable {
    struct Player: Decodable {
        let playerID: String
        let displayName: String
        let hero: HeroResponse
        let registeredAt: Date
        let foundBy: [String]
    }

    let players: [Player]
    /// Whether there are more players with the name or the device.
    let more: Bool

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard !players.isEmpty else { return ["No players."] }
        let table = Table(
            [
                .whole("PLAYER"), .init("NAME"), .init("HERO"), .init("LEVEL", isNumber: true), .whole("REGISTERED"),
                .init("FOUND BY"),
            ],
            rows: players.map { player in
                [
                    player.playerID, player.displayName, "\(player.hero.avatar) \(player.hero.name)",
                    "\(player.hero.level)", player.registeredAt.utcText, player.foundBy.joined(separator: ", "),
                ]
            }
        ).lines(fitting: width, paint: paint)
        return table + (more ? ["", "There are more: use a longer text, or --limit."] : [])
    }
}

/// The response to `GET /admin/v1/players/{playerID}`.
struct PlayerDetailResponse: Decodable, HumanReadable {
    struct Profile: Decodable {
        let playerID: String
        let displayName: String
        let hero: HeroResponse
        let namedInLeaderboards: Bool
        let experience: Int
        let bossesDefeated: Int
        let registeredAt: Date
        let tokens: Int
    }

    let profile: Profile
    let parties: PartyPageResponse
    let devices: DeviceList
    /// The live activities.
    let activities: ActivityList

    init(from decoder: any Decoder) throws {
        // The fields of all of these are in one object.
        profile = try Profile(from: decoder)
        parties = try PartyPageResponse(from: decoder)
        devices = try DeviceList(from: decoder)
        activities = try ActivityList(from: decoder)
    }

    /// A short description of the player, and of what belongs to the player, for confirmations.
    var summary: String {
        let running = parties.parties.count { $0.adventureID != nil }
        return Printable.text(
            """
            the player "\(profile.displayName)" of level \(profile.hero.level), registered \(profile.registeredAt.utcText), \
            with \(Self.count(parties.parties.count, "party", "parties")) (\(running) on an adventure), \
            \(Self.count(devices.devices.count, "device", "devices")), \
            \(Self.count(activities.activities.count, "live activity", "live activities")) and \
            \(Self.count(profile.tokens, "token", "tokens"))
            """
        )
    }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        let facts = [
            ("Player", profile.playerID),
            ("Name", profile.displayName + (profile.namedInLeaderboards ? "" : ", hidden in leaderboards")),
            ("Hero", "\(profile.hero.avatar) \(profile.hero.name), level \(profile.hero.level)"),
            ("Progress", "\(profile.experience) experience, bosses defeated: \(profile.bossesDefeated)"),
            ("Registered", profile.registeredAt.utcText),
            ("Signed in", profile.tokens == 0 ? "nowhere" : Self.count(profile.tokens, "token", "tokens")),
        ].flatMap { label, text in
            Paragraph(beginning: label.padding(toLength: 12, withPad: " ", startingAt: 0), text: text)
                .lines(fitting: width)
        }
        let lists = [
            parties.lines(fitting: width, paint: paint),
            devices.devices.isEmpty ? ["No devices."] : devices.lines(fitting: width, paint: paint),
            activities.lines(fitting: width, paint: paint),
        ]
        return facts + lists.flatMap { [""] + $0 }
    }

    private static func count(_ number: Int, _ one: String, _ several: String) -> String {
        "\(number) \(number == 1 ? one : several)"
    }
}

/// All pages of `GET /admin/v1/players/{playerID}/export` in one.
struct PlayerExportDocument {
    typealias Page = [String: JSONValue]

    /// The lists that go on from page to page; all other fields are on every page.
    private static let lists = [
        "parties", "adventures", "history", "unreadableAdventures", "activities", "idempotencyKeys",
    ]

    /// The fields of the last page, with the lists of all pages.
    private(set) var fields: Page = [:]
    /// The cursor of the next page; nil after the last one.
    private(set) var next: String?

    /// Appends the following page.
    mutating func append(_ page: Page) {
        var page = page
        next = if case .string(let cursor)? = page.removeValue(forKey: "next") { cursor } else { nil }
        for list in Self.lists {
            guard case .array(let earlier)? = fields[list], case .array(let later)? = page[list] else { continue }
            page[list] = .array(earlier + later)
        }
        fields = page
    }
}
