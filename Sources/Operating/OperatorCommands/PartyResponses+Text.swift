import CommandLineSupport
import GameCore
import RangersClient

/// The response to `GET /admin/v1/parties`: one page, or several that are joined.
struct PartyPageResponse: Codable, HumanReadable {
    struct Party: Codable {
        let partyID: String
        let name: String
        let leaderID: String
        let members: Int
        let capacity: Int
        let adventureID: String?
        let createdAt: String
    }

    private(set) var parties: [Party]
    private(set) var next: String?

    /// Appends the following page.
    mutating func append(_ page: Self) {
        parties += page.parties
        next = page.next
    }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard !parties.isEmpty else { return ["No parties."] }
        let table = Table(
            [
                .whole("PARTY"), .init("NAME"), .init("MEMBERS", isNumber: true), .whole("ADVENTURE"),
                .whole("FOUNDED"),
            ],
            rows: parties.map { party in
                [
                    party.partyID, party.name, "\(party.members)/\(party.capacity)", party.adventureID ?? "idle",
                    String(party.createdAt.prefix(10)),
                ]
            }
        ).lines(fitting: width, paint: paint)
        return table + (next.map { ["", "For the next page: --after \(Printable.text($0))"] } ?? [])
    }
}

extension PartyResponse: HumanReadable {
    /// A short description for confirmations.
    var summary: String {
        let activity = adventureID == nil ? "idle" : "on an adventure, which will be ended"
        return Printable.text("the party \"\(name)\" with \(members.count) members, \(activity)")
    }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        let facts = [
            ("Party     ", "\(partyID)"), ("Name      ", name), ("Code      ", inviteCode),
            ("Members   ", "\(members.count) of \(capacity) at most"),
            ("Adventure ", adventureID?.description ?? "none"), ("Version   ", "\(version)"),
        ].flatMap { Paragraph(beginning: $0, text: $1).lines(fitting: width) }
        let table = Table(
            [.whole("PLAYER"), .init("NAME"), .init("HERO"), .init("LEVEL", isNumber: true), .init("ROLE")],
            rows: members.map { member in
                [
                    "\(member.playerID)", member.displayName, "\(member.hero.avatar) \(member.hero.name)",
                    "\(member.hero.level)", member.playerID == leaderID ? "leads" : "",
                ]
            }
        )
        return facts + [""] + table.lines(fitting: width, paint: paint)
    }
}
