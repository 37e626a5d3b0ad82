import CommandLineSupport
import Foundation
import GameCore
import RangersClient

extension AdventureResponse: HumanReadable {
    func lines(fitting width: Int?, paint: Paint) -> [String] {
        facts.flatMap { label, text in
            Paragraph(beginning: label + String(repeating: " ", count: max(1, 10 - label.count)), text: text)
                .lines(fitting: width)
        } + [""] + heroTable(fitting: width).lines(fitting: width, paint: paint)
    }

    /// A short description for confirmations.
    var summary: String {
        let players = heroes.count { !$0.hasLeft }
        let text = "the \(kindName) of \(players) \(players == 1 ? "player" : "players"), tick \(tick)"
        return Printable.text(text)
    }

    private var kindName: String {
        switch kind.value {
        case .bossFight: "boss fight"
        case .raid: "raid fight"
        case .journey, nil: kind.rawValue
        }
    }

    private var facts: [(label: String, text: String)] {
        let ending = outcome.map { " (\($0.rawValue))" } ?? ""
        var facts = [
            ("Adventure", "\(adventureID)"),
            ("Party", "\(partyID)"),
            ("Kind", kindName),
            ("Status", "\(status.rawValue)\(ending), tick \(tick), \(sequence) \(sequence == 1 ? "event" : "events")"),
        ]
        if let region {
            facts.append(("Region", region.rawValue + (location.map { ", at \($0.rawValue)" } ?? "")))
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
            let end = turn.endsAt.map { ", until \($0.utcText)" } ?? ""
            facts.append(("Turn", "\(turn.number): \(nameOfHero(in: turn))\(end)"))
        }
        facts.append(("Started", startedAt.utcText))
        if let endedAt {
            facts.append(("Ended", endedAt.utcText))
        }
        return facts
    }

    private func nameOfHero(in turn: Turn) -> String {
        guard let seat = turn.seat else { return "the boss" }
        return heroes.first { $0.seat == seat }.map { "\($0.hero.avatar) \($0.hero.name)" } ?? "seat \(seat.rawValue)"
    }

    /// Returns a table of the heroes, with health bars if the width suffices.
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
                    "\(hero.seat.rawValue)", "\(hero.hero.avatar) \(hero.hero.name)", "\(hero.hero.level)",
                    health(hero.health, hero.maximumHealth), "\(hero.potions)",
                    [hero.isDown ? "down" : nil, hero.hasLeft ? "left" : nil].compactMap(\.self)
                        .joined(separator: ", "),
                ]
            }
        )
    }
}
