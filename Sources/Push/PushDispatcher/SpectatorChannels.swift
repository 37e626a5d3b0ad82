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
    /// Returns the states of the adventures of parties that are open to spectators, and the last ones of those that are not
    /// any more, or whose adventure is over.
    ///
    /// A state shows the heroes, the boss, the turn and the last event, and no player.
    public static func spectators(in store: GameStore) -> ChannelSource {
        let adventures = WatchedAdventures(store: store)
        return ChannelSource(of: .party, storing: .mostRecentMessage) { try await adventures.contents(of: $0) }
    }
}

/// The adventures that spectators watch, played on with the logs of their shards.
private final class WatchedAdventures: Sendable {
    /// The maximum number of entries that are applied at once; with more, the adventures are read anew.
    private static let pageSize = 1_000

    private let store: GameStore
    /// As of the newest read; the keepers of several environments share it.
    private let shards = Mutex<[Shard: WatchedShard]>([:])

    init(store: GameStore) { self.store = store }

    func contents(of owners: Set<UUID>) async throws -> [ChannelContent] {
        let open = try await store.watchedParties()
        var newest = Dictionary(
            open.compactMap { party in party.adventureID.map { (party.id, $0) } },
            uniquingKeysWith: { $1 }
        )
        let others = owners.map(PartyID.init(rawValue:)).filter { newest[$0] == nil }
        newest.merge(try await store.newestAdventures(of: others)) { $1 }
        let adventures = try await adventures(Dictionary(grouping: newest.values, by: \.shard))
        let openIDs = Set(open.map(\.id))
        return newest.compactMap { party, id in
            adventures[id].map { ChannelContent(of: party, $0, isOpen: openIDs.contains(party)) }
        }
    }

    /// Returns adventures as of now, without those that cannot be played.
    private func adventures(_ ids: [Shard: [AdventureID]]) async throws -> [AdventureID: WatchedAdventure] {
        var known = shards.withLock { $0 }.filter { ids[$0.key] != nil }
        var adventures: [AdventureID: WatchedAdventure] = [:]
        for head in ids.isEmpty ? [] : try await store.heads(of: ids.keys.sorted()) {
            var shard = known[head.shard] ?? WatchedShard(head: head)
            let entries =
                head.head > shard.head.head ? try await store.logs(after: [shard.head], limit: Self.pageSize)[0] : []
            if !shard.play(entries.filter { $0.position <= head.head }, upTo: head) { shard = WatchedShard(head: head) }
            try await load(ids[head.shard] ?? [], into: &shard)
            known[head.shard] = shard
            adventures.merge(shard.adventures) { $1 }
        }
        shards.withLock { [known] in $0 = known }
        return adventures
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
