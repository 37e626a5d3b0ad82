import CommandLineSupport

/// Parties in a list, as the server tells them.
struct PartyList: Answer, Encodable {
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

    /// Takes in the page that follows.
    mutating func append(_ page: Self) {
        parties += page.parties
        next = page.next
    }

    func lines(fitting width: Int?) -> [String] { lines(fitting: width, paint: .none) }

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
        return table + (next.map { ["", "There are more: --after \(Printable.text($0))"] } ?? [])
    }
}

/// A party as the server tells it.
struct PartyAnswer: Answer {
    struct Member: Decodable {
        struct Hero: Decodable {
            let name: String
            let avatar: String
            let level: Int
        }

        let playerID: String
        let displayName: String
        let hero: Hero
    }

    let partyID: String
    let name: String
    let inviteCode: String
    let leaderID: String
    let capacity: Int
    let members: [Member]
    let adventureID: String?
    let version: Int

    /// For a question.
    var summary: String {
        let fate = adventureID == nil ? "idle" : "on an adventure, which is ended first"
        return Printable.text("the party \"\(name)\" of \(members.count), \(fate)")
    }

    func lines(fitting width: Int?) -> [String] { lines(fitting: width, paint: .none) }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        let facts = [
            ("Party     ", partyID), ("Name      ", name), ("Code      ", inviteCode),
            ("Members   ", "\(members.count) of \(capacity) at most"), ("Adventure ", adventureID ?? "none"),
            ("Version   ", "\(version)"),
        ].flatMap { Paragraph(beginning: $0, text: $1).lines(fitting: width) }
        let table = Table(
            [.whole("PLAYER"), .init("NAME"), .init("HERO"), .init("LEVEL", isNumber: true), .init("ROLE")],
            rows: members.map { member in
                [
                    member.playerID, member.displayName, "\(member.hero.avatar) \(member.hero.name)",
                    "\(member.hero.level)", member.playerID == leaderID ? "leads" : "",
                ]
            }
        )
        return facts + [""] + table.lines(fitting: width, paint: paint)
    }
}
