import Encodings
import GameCore
import GameLog
import GameStore
import PushDispatch
import PushRules

// Adventures and activities that this node begins to follow.

extension DispatchLoop {
    /// Reads the live activities of a shard with their adventures, and the adventures whose members may get ordinary alerts;
    /// nil if there are none.
    /// - Throws: errors of the store.
    func liveAdventures(of leased: LeasedShard) async throws -> LoadedAdventures? {
        let recently = presence.now - FallbackRequest.maxAge
        let withAlertDevices = try await store.markedAdventures(of: leased.shard, endedAfter: recently)
        let activities = try await store.liveActivities(of: leased.shard)
        guard !activities.isEmpty || !withAlertDevices.isEmpty else { return nil }
        let acknowledged = Dictionary(
            activities.map { ($0.adventureID, $0.acknowledgedAt) } + withAlertDevices.map { ($0, recently) },
            uniquingKeysWith: min
        )
        var loaded = try await read(acknowledged.keys.sorted(), of: leased, acknowledged: acknowledged) {
            let decisions = Dictionary(
                try await store.liveDecisions(of: leased.shard).map {
                    (ActivityKey(adventureID: $0.adventureID, activityID: $0.activityID), $0.entries)
                },
                uniquingKeysWith: { $1 }
            )
            return try await store.liveActivities(of: leased.shard).map {
                var row = RegisteredActivity(activity: $0)
                row.decisions = decisions[row.key]
                return row
            }
        }
        loaded.withAlertDevices = Set(withAlertDevices)
        return loaded
    }

    /// Loads adventures of which the log concerns live activities, with these.
    func load(_ ids: [AdventureID], of leased: LeasedShard) async throws {
        guard !ids.isEmpty else { return }
        let loaded = try await read(ids, of: leased, acknowledged: [:]) { try await rows(of: ids, in: leased) }
        step { leased.follower.follow(loaded, context: &$0) }
    }

    /// Reads adventures as of the clock of their shard, and then their activities.
    /// - Parameters:
    ///   - ids: the adventures.
    ///   - leased: their shard.
    ///   - acknowledged: for each adventure the moment up to which all of its activities are acknowledged, if known.
    ///   - activities: reads the activities.
    /// - Returns: the adventures with their activities.
    /// - Throws: errors of the store.
    private func read(
        _ ids: [AdventureID],
        of leased: LeasedShard,
        acknowledged: [AdventureID: Timestamp],
        activities: () async throws -> [RegisteredActivity]
    ) async throws -> LoadedAdventures {
        var histories: [AdventureID: AdventureHistory] = [:]
        let results = try await store.adventures(ids, of: leased.shard) { id, event in
            histories[id, default: AdventureHistory()].add(event, keepingAfter: acknowledged[id])
        }
        // The follower reports those that cannot be played.
        let ambiguous = results.compactMap { try? $0.get() }.filter(\.adventure.hasEqualHeroes)
        return LoadedAdventures(
            ids: ids,
            results: results,
            histories: histories,
            playerNames: try await playerNames(
                in: Dictionary(ambiguous.map { ($0.id, $0.partyID) }) { $1 },
                of: leased.shard
            ),
            activities: try await activities()
        )
    }

    /// Reads the current names of the members of parties on adventures, with one statement.
    func playerNames(in partyIDs: [AdventureID: PartyID], of shard: Shard) async throws
        -> [AdventureID: [PlayerID: String]]
    {
        guard !partyIDs.isEmpty else { return [:] }
        let parties = try await store.parties(Set(partyIDs.values).sorted(), of: shard)
        return partyIDs.mapValues { id in
            Dictionary((parties[id]?.members ?? []).map { ($0.playerID, $0.displayName) }) { $1 }
        }
    }
}
