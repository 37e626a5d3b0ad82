import GameCore
import RangersClient
import SwiftUI

/// The party's leader opens the party to spectators, and sends them the link.
struct SpectatorsSection: View {
    @Environment(Game.self) private var game

    var body: some View {
        Section("Spectators") {
            if let link = game.spectatorsLink {
                ShareLink(item: link)
            } else {
                Button("👀 Open the party to spectators") { Task { await game.openToSpectators() } }
            }
            Button("Close it to spectators") { Task { await game.closeToSpectators() } }
        }
    }
}

/// The field for a spectators' link, which needs no account.
struct WatchSection: View {
    @Environment(Game.self) private var game
    @State private var text = ""

    var body: some View {
        Section("Watch a party") {
            TextField("Link of the party", text: $text)
            Button("👀 Watch") { game.watch(text) }.disabled(text.isEmpty)
        }
    }
}

/// A party that this person watches: its heroes, its boss and the newest events.
struct WatchView: View {
    @Environment(Game.self) private var game
    let link: String

    var body: some View {
        List {
            if let adventure = game.watched?.adventure {
                Section {
                    if let boss = adventure.boss {
                        HealthRow(avatar: boss.avatar, name: boss.name, level: boss.healthLevel, note: boss.note)
                    }
                    ForEach(adventure.heroes, id: \.seat) { hero in
                        HealthRow(
                            avatar: hero.hero.avatar,
                            name: hero.hero.name,
                            level: hero.healthLevel,
                            note: hero.isDown ? "💤" : ""
                        )
                    }
                    if let progress = adventure.progress { Text("Step \(progress.step) of \(progress.steps)") }
                    if let end = adventure.turn?.endsAt { Text(end, style: .timer) }
                }
                Button("🔓 Follow on the Lock Screen") { Task { await game.followWatchedPartyOnLockScreen() } }
                    .disabled(!game.canFollowWatchedParty)
            } else if game.watched != nil {
                Text("The party is resting.")
            }
            Section("Events") {
                ForEach(game.watchedEvents.suffix(20).reversed(), id: \.sequence) { event in
                    Text(event.text { seat in game.watched?.adventure?.heroes.first { $0.seat == seat }?.hero.name })
                }
            }
            Button("Stop watching") { Task { await game.stopWatching() } }
        }
        .task(id: link) { await game.followWatchedParty(link) }
        .navigationTitle("Watching")
    }
}
