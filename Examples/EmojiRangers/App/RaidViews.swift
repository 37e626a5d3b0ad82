import RangersClient
import SwiftUI

/// The raids that are scheduled or running.
struct RaidsSection: View {
    @Environment(Game.self) private var game

    var body: some View {
        Section("Raids") {
            if game.raids.isEmpty { Text("No boss rages at the moment.") }
            ForEach(game.raids, id: \.raidID) { raid in
                Button {
                    Task { await game.show(raid.raidID) }
                } label: {
                    HealthRow(
                        avatar: raid.boss.avatar,
                        name: raid.boss.name,
                        level: raid.boss.healthLevel,
                        note: raid.state.value == .scheduled ? "🕰️" : "👥 \(raid.parties)"
                    )
                }
            }
        }
    }
}

/// A raid: the common boss, what all parties have done, and the own party's place.
struct RaidView: View {
    @Environment(Game.self) private var game
    let raid: RaidResponse

    var body: some View {
        List {
            Section {
                HealthRow(
                    avatar: raid.boss.avatar,
                    name: raid.boss.name,
                    level: raid.boss.healthLevel,
                    note: raid.boss.phase > 1 ? "🔥 \(raid.boss.phase)" : ""
                )
                LabeledContent("Health", value: "\(raid.boss.health) / \(raid.boss.maximumHealth)")
                LabeledContent("Parties", value: "\(raid.parties)")
                if let blow = raid.biggestBlow { LabeledContent("Biggest blow", value: "\(blow.damage)") }
                if let place = raid.place {
                    LabeledContent("Your party’s place", value: "\(place.place) of \(place.of)")
                }
                if !raid.isOver {
                    // A countdown to the start, and after it to the end.
                    Text(raid.state.value == .scheduled ? raid.startsAt : raid.endsAt, style: .timer)
                }
            }
            if !raid.isOver {
                Button("⚔️ Join with the party") { Task { await game.joinRaid() } }.disabled(!game.canJoinRaid)
                Button("🔓 Follow on the Lock Screen") { Task { await game.followRaidOnLockScreen() } }
                    .disabled(!game.canFollowRaid)
            }
            Button("Back") { Task { await game.closeRaid() } }
        }
        .task(id: raid.raidID) { await game.followRaid(raid.raidID) }
        .navigationTitle(raid.isOver ? "Over: \(raid.state.rawValue)" : "Raid")
    }
}
