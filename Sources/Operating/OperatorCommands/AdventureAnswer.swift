import CommandLineSupport

/// An adventure as the server tells it.
struct AdventureAnswer: Answer {
    struct Hero: Decodable {
        let seat: Int
        let name: String
        let avatar: String
        let level: Int
        let health: Int
        let maximumHealth: Int
        let potions: Int
        let isDown: Bool
        let hasLeft: Bool
    }

    struct Boss: Decodable {
        let name: String
        let avatar: String
        let health: Int
        let maximumHealth: Int
        let phase: Int
        let isWindingUp: Bool
    }

    struct Progress: Decodable {
        let step: Int
        let steps: Int
    }

    struct Foe: Decodable {
        let name: String
        let avatar: String
    }

    struct Turn: Decodable {
        let number: Int
        let seat: Int?
        let endsAt: Moment?
    }

    let adventureID: String
    let partyID: String
    let kind: String
    let status: String
    let outcome: String?
    let tick: Int
    let sequence: Int
    let region: String?
    let place: String?
    let progress: Progress?
    let foe: Foe?
    let heroes: [Hero]
    let boss: Boss?
    let turn: Turn?
    let startedAt: Moment
    let endedAt: Moment?

    func lines(fitting width: Int?) -> [String] { lines(fitting: width, paint: .none) }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        facts.flatMap { label, text in
            Paragraph(beginning: label.padding(to: 10), text: text).lines(fitting: width)
        } + [""] + heroTable(fitting: width).lines(fitting: width, paint: paint)
    }

    /// For a question.
    var summary: String {
        let players = heroes.count { !$0.hasLeft }
        let text = "the \(kindName) of \(players) \(players == 1 ? "player" : "players"), tick \(tick)"
        return Printable.text(text)
    }

    private var kindName: String { kind == "bossFight" ? "boss fight" : kind }

    private var facts: [(label: String, text: String)] {
        var facts = [
            ("Adventure", adventureID),
            ("Party", partyID),
            ("Kind", kindName),
            ("Status", "\(status)\(outcome.map { " (\($0))" } ?? ""), tick \(tick), \(sequence) events"),
        ]
        if let region {
            facts.append(("Region", region + (place.map { ", at \($0)" } ?? "")))
        }
        if let progress {
            facts.append(("Progress", "step \(progress.step) of \(progress.steps)"))
        }
        if let foe {
            facts.append(("Foe", "\(foe.avatar) \(foe.name)"))
        }
        if let boss {
            let health = HealthBar.text(boss.health, of: boss.maximumHealth)
            let signs = (boss.phase > 1 ? ", enraged" : "") + (boss.isWindingUp ? ", winding up" : "")
            facts.append(("Boss", "\(boss.avatar) \(boss.name) \(health)\(signs)"))
        }
        if let turn {
            facts.append(("Turn", "\(turn.number): \(whose(turn))\(turn.endsAt.map { ", until \($0.text)" } ?? "")"))
        }
        facts.append(("Started", startedAt.text))
        if let endedAt {
            facts.append(("Ended", endedAt.text))
        }
        return facts
    }

    private func whose(_ turn: Turn) -> String {
        guard let seat = turn.seat else { return "the boss" }
        return heroes.first { $0.seat == seat }.map { "\($0.avatar) \($0.name)" } ?? "seat \(seat)"
    }

    /// With bars where there is room for them beside everything else.
    private func heroTable(fitting width: Int?) -> Table {
        let table = heroTable(HealthBar.text)
        return table.fits(width) ? table : heroTable(HealthBar.numbers)
    }

    private func heroTable(_ health: (Int, _ maximum: Int) -> String) -> Table {
        Table(
            [
                .init("SEAT", isNumber: true), .init("HERO"), .init("LEVEL", isNumber: true),
                .init("HEALTH"), .init("POTIONS", isNumber: true), .init("STATE"),
            ],
            rows: heroes.map { hero in
                [
                    "\(hero.seat)", "\(hero.avatar) \(hero.name)", "\(hero.level)",
                    health(hero.health, hero.maximumHealth), "\(hero.potions)",
                    [hero.isDown ? "down" : nil, hero.hasLeft ? "left" : nil].compactMap(\.self)
                        .joined(separator: ", "),
                ]
            }
        )
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
