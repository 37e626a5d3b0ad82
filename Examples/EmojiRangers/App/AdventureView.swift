import GameCore
import RangersClient
import SwiftUI

/// An adventure: its heroes, its boss, the player's commands and the newest events.
struct AdventureView: View {
    @Environment(Game.self) private var game
    let adventure: AdventureResponse

    var body: some View {
        List {
            Section {
                if let boss = adventure.boss {
                    HealthRow(avatar: boss.avatar, name: boss.name, level: boss.healthLevel, note: boss.note)
                }
                ForEach(adventure.heroes, id: \.seat) { hero in
                    HealthRow(avatar: hero.hero.avatar, name: hero.hero.name, level: hero.healthLevel, note: hero.note)
                }
                if let progress = adventure.progress { Text("Step \(progress.step) of \(progress.steps)") }
                if let end = adventure.turn?.endsAt { Text(end, style: .timer) }
            }
            if adventure.isOver {
                Button("Back to the party") { Task { await game.close() } }
            } else {
                Section("Your hero") { commands }
            }
            if adventure.kind.value == .raid { RaidsSection() }
            Section("Events") {
                ForEach(game.events.suffix(20).reversed(), id: \.sequence) { event in
                    Text(event.text { seat in adventure.heroes.first { $0.seat == seat }?.hero.name })
                }
            }
        }
        .task(id: game.me?.playerID) { await game.updateActivities(of: adventure.adventureID) }
        .navigationTitle(adventure.outcome.map { "Over: \($0.rawValue)" } ?? "Adventure")
    }

    @ViewBuilder private var commands: some View {
        let potions = game.ownHero?.potions ?? 0
        button("🧪 Potion (\(potions))", .potion(target: nil))
            .disabled(potions == 0 || (adventure.boss != nil && !game.isOwnTurn))
        if adventure.boss != nil {
            Group {
                button("⚔️ Attack", .attack)
                button("🛡️ Guard", .guardUp)
                button("✨ \(game.ownHero?.signatureMove?.name ?? "Special")", .special)
                    .disabled(game.ownHero?.signatureMove?.readyIn != 0)
                ForEach(adventure.heroes.filter { $0.isDown && !$0.hasLeft }, id: \.seat) { hero in
                    button("💫 Revive \(hero.hero.name)", .revive(target: hero.seat))
                }
            }
            .disabled(!game.isOwnTurn)
        }
    }

    private func button(_ title: String, _ command: Command) -> some View {
        Button(title) { Task { await game.run(command) } }
    }
}

struct HealthRow: View {
    let avatar: String
    let name: String
    let level: Double
    let note: String

    var body: some View {
        HStack {
            Text(avatar).font(.title)
            VStack(alignment: .leading) {
                Text("\(name) \(note)")
                ProgressView(value: level).tint(level <= 0.2 ? .red : .green)
            }
        }
    }
}

extension AdventureResponse.Hero {
    fileprivate var note: String { isDown ? "💤" : isGuarding ? "🛡️" : "" }
}

extension AdventureResponse.Boss {
    var note: String { isWindingUp ? "💢" : "" }
}

extension EventResponse {
    /// Returns the event in a sentence; the name of one that this version of the app does not know.
    /// - Parameter heroName: returns the name of the hero at a seat, if it is known.
    /// - Returns: the sentence, in English.
    func text(heroName: (Seat) -> String?) -> String {
        func name(_ seat: Seat) -> String { heroName(seat) ?? "A hero" }
        return switch event {
        case .travelled(let location): "On to \(location.name)."
        case .storyTold(let beat): beat.narration
        case .restTaken(let rest): rest.narration
        case .hazardStruck(let hazard): hazard.narration
        case .encounterMet(let foe): "The party meets \(foe.name)."
        case .lootFound(let seat, let item, _): "\(name(seat)) finds \(item.name)."
        case .heroHurt(let seat, let amount, _, _): "\(name(seat)) loses \(amount) health."
        case .heroHealed(let seat, let amount, _): "\(name(seat)) gains \(amount) health."
        case .heroDown(let seat): "\(name(seat)) is down!"
        case .heroRevived(let seat, _): "\(name(seat)) is up again."
        case .bossAppeared(let boss): "\(boss.name) appears!"
        case .bossDefeated(let boss): "\(boss.name) is defeated!"
        case .adventureEnded: "The adventure is over."
        default: kind
        }
    }
}
