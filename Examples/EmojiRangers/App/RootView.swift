import GameCore
import RangersClient
import SwiftUI

struct RootView: View {
    @Environment(Game.self) private var game
    @Environment(\.scenePhase) private var scenePhase

    var body: some View {
        NavigationStack {
            Group {
                if let link = game.watchedLink {
                    WatchView(link: link)
                } else if !game.isRegistered {
                    RegistrationView()
                } else if let raid = game.raid {
                    RaidView(raid: raid)
                } else if let adventure = game.adventure {
                    AdventureView(adventure: adventure).id(adventure.adventureID)
                } else {
                    PartyView()
                }
            }
            .safeAreaInset(edge: .bottom) {
                if let problem = game.problem { Text(problem).foregroundStyle(.red).padding() }
            }
        }
        // In the background the server's pushes keep the activities up to date; in the foreground the app asks.
        .onChange(of: scenePhase, initial: true) { _, phase in
            if phase == .active { Task { await game.refresh() } }
        }
    }
}

/// The choice of a name and a hero.
struct RegistrationView: View {
    @Environment(Game.self) private var game
    @State private var name = ""

    var body: some View {
        Form {
            TextField("Your name", text: $name)
            Section("Your hero") {
                // The catalogue of the server needs a player; the app has that of its own release.
                ForEach(HeroCatalogue.all, id: \.id) { hero in
                    Button("\(hero.avatar) \(hero.name)") {
                        Task { await game.register(name, playing: hero.id) }
                    }
                    .disabled(name.isEmpty)
                }
            }
            WatchSection()
        }
        .navigationTitle("Emoji Rangers")
    }
}

/// The party: create one or join by code, then set out.
struct PartyView: View {
    @Environment(Game.self) private var game
    @State private var text = ""

    var body: some View {
        List {
            if let code = game.recoveryCode {
                Section("Write this down: it brings you back on another phone") {
                    Text(code.text).font(.body.monospaced()).textSelection(.enabled)
                    Button("Done") { game.recoveryCode = nil }
                }
            }
            if let party = game.party {
                Section(party.name) {
                    ForEach(party.members, id: \.playerID) { member in
                        Text("\(member.hero.avatar) \(member.displayName), level \(member.hero.level)")
                    }
                    LabeledContent("Invite code", value: party.inviteCode)
                }
                if game.isLeader {
                    Section("Set out") {
                        ForEach(game.regions, id: \.id) { region in
                            Button("\(region.avatar) \(region.name)") {
                                Task { await game.setOut(through: region.id) }
                            }
                        }
                    }
                    SpectatorsSection()
                }
            } else {
                Section("Your party") {
                    TextField("Name or invite code", text: $text)
                    Button("Create a party") { Task { await game.createParty(named: text) } }
                    Button("Join by invite code") { Task { await game.join(text) } }
                }
            }
            RaidsSection()
            Section("Your hero") {
                ForEach(game.heroes, id: \.id) { hero in
                    Button("\(hero.avatar) \(hero.name)\(hero.id == game.me?.hero.id ? " ✓" : "")") {
                        Task { await game.choose(hero.id) }
                    }
                }
            }
            Section("Leaderboards") {
                let isNamed = game.me?.namedInLeaderboards ?? true
                Button("\(isNamed ? "☑️" : "⬜️") Show my name") {
                    Task { await game.showNameInLeaderboards(!isNamed) }
                }
            }
            AlertsSection()
            WatchSection()
        }
        .navigationTitle(game.me?.displayName ?? "Emoji Rangers")
        .refreshable { await game.refresh() }
    }
}
