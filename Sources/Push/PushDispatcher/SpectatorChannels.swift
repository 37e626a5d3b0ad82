import Encodings
import Foundation
import GameCore
import GameLog
public import GameStore
import LiveActivityContent
import PushDispatch
import PushRules
import Synchronization

extension ChannelSource {
    /// Returns the states of the adventures of the parties that have channels: the last one if the party is closed to
    /// spectators, or the adventure is over.
    ///
    /// A spectator who looks at a party has a channel created for it. A state shows the heroes, the boss, the turn and the last
    /// event, and no player.
    public static func spectators(in store: GameStore) -> ChannelSource {
        let adventures = WatchedAdventures(store: store)
        return ChannelSource(of: .party, storing: .ofSpectators) { try await adventures.contents(of: $0) }
    }
}

/// The adventures that spectators watch, played on with the logs of their shards.
private final class WatchedAdventures: Sendable {
    /// The maximum number of entries that are applied at once; with more, the adventures are read anew.
    private static let pageSize = 1_000

    private let store: GameStore
    /// As of the newest read.
    private let shards = Mutex<[Shard: WatchedShard]>([:])

    init(store: GameStore) { self.store = store }

    func contents(of owners: Set<UUID>) async throws -> ChannelContents {
        let parties = owners.map(PartyID.init(rawValue:))
        let away = store.unreachableShards
        let open = try await store.watchedParties(among: parties)
        var newest = Dictionary(
            open.compactMap { party in party.adventureID.map { (party.id, $0) } },
            uniquingKeysWith: { $1 }
        )
        let others = parties.filter { newest[$0] == nil }
        newest.merge(try await store.newestAdventures(of: others)) { $1 }
        let (adventures, unread) = try await adventures(Dictionary(grouping: newest.values, by: \.shard))
        let openIDs = Set(open.map(\.id))
        let contents = newest.compactMap { party, id in
            adventures[id].map { ChannelContent(of: party, $0, isOpen: openIDs.contains(party)) }
        }
        // The parties on machines that do not respond are left out of what was read.
        let unreadable = unread.union(away).union(store.unreachableShards)
        return ChannelContents(
            contents,
            unreadable: owners.filter { unreadable.contains(PartyID(rawValue: $0).shard) }
        )
    }

    /// Returns adventures as of now, without those that cannot be played, and the shards that could not be read: those that
    /// need a newer version, and those of machines that do not respond.
    private func adventures(
        _ ids: [Shard: [AdventureID]]
    ) async throws -> (adventures: [AdventureID: WatchedAdventure], unread: Set<Shard>) {
        let heads = ids.isEmpty ? [] : try await store.heads(of: ids.keys.sorted()).filter(\.isSupported)
        let known = shards.withLock { $0 }
        let behind = heads.compactMap { head in
            known[head.shard].flatMap { $0.head.head < head.head ? $0.head : nil }
        }
        let logs = behind.isEmpty ? [] : try await store.logs(after: behind, limit: Self.pageSize)
        let entries = Dictionary(uniqueKeysWithValues: zip(behind.map(\.shard), logs))
        var read: [Shard: WatchedShard] = [:]
        for head in heads {
            var shard = known[head.shard] ?? WatchedShard(head: head)
            let new = (entries[head.shard] ?? []).filter { $0.position <= head.head }
            if !shard.play(new, upTo: head) { shard = WatchedShard(head: head) }
            do {
                try await load(ids[head.shard] ?? [], into: &shard)
            } catch StoreError.newerShard {
                continue
            }
            read[head.shard] = shard
        }
        shards.withLock { [read] in $0 = read }
        let adventures = read.values.reduce(into: [AdventureID: WatchedAdventure]()) { adventures, shard in
            adventures.merge(shard.adventures) { $1 }
        }
        return (adventures, Set(ids.keys).subtracting(read.keys))
    }

    /// Reads the adventures that a shard lacks, and removes the others.
    private func load(_ ids: [AdventureID], into shard: inout WatchedShard) async throws {
        shard.adventures = shard.adventures.filter { ids.contains($0.key) }
        let missing = ids.filter { shard.adventures[$0] == nil }
        guard !missing.isEmpty else { return }
        var headlines: [AdventureID: AdventureEvent] = [:]
        let results = try await store.adventures(missing, of: shard.head.shard) { id, event in
            if event.event.isHeadline { headlines[id] = event.event }
        }
        for case .success(let stored) in results {
            let headline = headlines[stored.id] ?? stored.adventure.ownHeadline
            shard.adventures[stored.id] = WatchedAdventure(stored: stored, headline: headline)
        }
    }
}

/// The watched adventures of a shard, as of its head.
private struct WatchedShard {
    var head: ShardHead
    var adventures: [AdventureID: WatchedAdventure] = [:]

    init(head: ShardHead) { self.head = head }

    /// Applies entries of the log, and plays up to the clock.
    /// - Parameters:
    ///   - entries: the entries after ``head``.
    ///   - newest: the shard's row.
    /// - Returns: whether the adventures are as of the row; if not, the database has lost commits, the entries are not all, or
    ///   this version does not know them.
    mutating func play(_ entries: [LogEntry], upTo newest: ShardHead) -> Bool {
        let read = entries.last.map { head.read(through: $0) } ?? head
        guard newest.isSupported, entries.allSatisfy(\.isKnown), read.head == newest.head, read.digest == newest.digest,
            adventures.values.allSatisfy({ $0.isPart(of: entries, after: head, upTo: newest) })
        else { return false }
        for entry in entries {
            for id in entry.adventureID.map({ [$0] }) ?? Array(adventures.keys) {
                do throws(StoreError) {
                    try adventures[id]?.apply(entry)
                } catch {
                    adventures[id] = nil
                }
            }
        }
        for id in adventures.keys { adventures[id]?.play(to: newest.clock) }
        head = newest
        return true
    }
}

/// An adventure with the last event that its spectators see.
private struct WatchedAdventure {
    private(set) var stored: StoredAdventure
    private(set) var headline: AdventureEvent

    /// Whether the shard still has what the adventure was read with, perhaps ahead of the shard's head then.
    func isPart(of entries: [LogEntry], after head: ShardHead, upTo newest: ShardHead) -> Bool {
        guard stored.playedUntil <= newest.clock else { return false }
        guard stored.readPosition > head.head, let digest = stored.readDigest else { return true }
        return entries.contains { $0.position == stored.readPosition && $0.digest == digest }
    }

    mutating func apply(_ entry: LogEntry) throws(StoreError) {
        var events: [StoredEvent] = []
        try stored.apply(entry, appendingTo: &events)
        note(events)
    }

    mutating func play(to moment: Timestamp) {
        var events: [StoredEvent] = []
        stored.play(to: moment, appendingTo: &events)
        note(events)
    }

    private mutating func note(_ events: [StoredEvent]) {
        if let event = events.last(where: \.event.isHeadline) { headline = event.event }
    }
}

extension ChannelContent {
    /// More than the events of an adventure.
    private static let maxEvents: Int64 = 1_000_000

    /// Creates the content of a party's adventure.
    ///
    /// It ends the activities if the adventure is over, or the party is closed to spectators.
    fileprivate init(of party: PartyID, _ watched: WatchedAdventure, isOpen: Bool) {
        let adventure = watched.stored.adventure
        let state = AdventureAttributes.ContentState(
            of: adventure,
            lastEvent: watched.headline,
            turnEnds: watched.stored.turnDueAt
        )
        self.init(
            of: party.rawValue,
            ChannelBroadcast(
                // Of two adventures, the one that started later is newer.
                version: watched.stored.startedAt.epochSeconds * Self.maxEvents + Int64(adventure.sequence),
                stage: 0,
                isFinal: watched.stored.endedAt != nil || !isOpen
            ),
            contentState: EncodedContentState(state).bytes(currentHealthLevel: state.currentHealthLevel),
            alert: nil
        )
    }
}
