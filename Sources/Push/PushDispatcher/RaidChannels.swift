import Encodings
import GameCore
import GameLog
public import GameStore
import LiveActivityContent
import PushDispatch
import PushRules

extension ChannelSource {
    /// Returns the states of raids: of those that run, and of those that have ended while they had a channel.
    public static func raids(in store: GameStore) -> ChannelSource {
        ChannelSource(of: .raid, storing: .noMessage) { owners in
            let away = store.unreachableShards
            var raids = try await store.openRaids().filter { $0.state != .scheduled }
            let others = owners.subtracting(raids.map(\.id.rawValue))
            // Those whose homes are on machines that do not respond are left out of what was read.
            let unreadable = others.filter { away.union(store.unreachableShards).contains(RaidID(rawValue: $0).shard) }
            for id in others.subtracting(unreadable) {
                if let raid = try await store.raid(RaidID(rawValue: id)) { raids.append(raid) }
            }
            return ChannelContents(raids.map(ChannelContent.init), unreadable: unreadable)
        }
    }
}

extension ChannelContent {
    /// The stage of a raid whose boss is defeated, beyond all phases.
    private static let defeatedStage = 1_000

    /// Creates the content of a raid.
    init(_ raid: Raid) {
        let outcome = raid.decision?.outcome
        let version = Int64(raid.dealt) + (outcome == nil ? 1 : 2)
        var isDefeated = false
        if case .defeated = outcome { isDefeated = true }
        self.init(
            of: raid.id.rawValue,
            ChannelBroadcast(
                version: version,
                stage: isDefeated ? Self.defeatedStage : raid.phase - 1,
                isFinal: outcome != nil
            ),
            contentState: RaidActivityState(
                of: raid.boss,
                healthLeft: raid.healthLeft,
                maximumHealth: raid.health,
                phase: raid.phase,
                parties: raid.parties,
                biggestBlow: raid.biggestBlow?.damage,
                endsEpochSeconds: raid.endsAt.epochSeconds,
                outcome: outcome,
                round: raid.round,
                version: version
            ).encoded,
            alert: RaidActivityState.alert(of: raid.boss, phase: raid.phase, outcome: outcome)
        )
    }
}
