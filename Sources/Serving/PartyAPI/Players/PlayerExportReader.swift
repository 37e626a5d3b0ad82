import Encodings
import GameCore
import GameLog
import GameStore

/// Reads one page of the lists of a player's export: parties with their adventures, the history, activities, then idempotency
/// keys.
///
/// A page has a fixed number of entries, so that it costs the same number of statements at most, however much the player
/// has played.
struct PlayerExportReader {
    /// The maximum number of entries of a page; adventures without the player's hero count, too.
    static let pageSize = 50

    private let playerID: PlayerID
    private let store: GameStore
    private var room = Self.pageSize
    /// The location up to which the lists were read; nil at their end.
    private(set) var next: ExportCursor?
    private(set) var parties: [PlayerExport.PartyEntry] = []
    private(set) var adventures: [PlayerExport.AdventureEntry] = []
    private(set) var history: [PlayedAdventureView] = []
    private(set) var unreadableAdventures: [AdventureID] = []
    private(set) var activities: [PlayerExport.ActivityEntry] = []
    private(set) var idempotencyKeys: [PlayerExport.KeyEntry] = []

    /// Creates a reader that continues after a cursor.
    init(of playerID: PlayerID, from store: GameStore, at cursor: ExportCursor) {
        self.playerID = playerID
        self.store = store
        next = cursor
    }

    /// Reads until the page is full or the lists are at their end.
    mutating func read() async throws {
        while room > 0, let cursor = next {
            switch cursor {
            case .party(let id): try await readParty(after: id)
            case .adventure(let party, let id): try await readAdventures(of: party, after: id)
            case .history(let id): try await readHistory(after: id)
            case .activity(let adventure, let id): try await readActivities(after: adventure, id)
            case .key(let shard, let key): try await readKeys(after: shard, key)
            }
        }
    }

    private mutating func readParty(after id: PartyID) async throws {
        guard let party = try await store.listedParties(of: playerID, after: id, limit: 1).first else {
            next = .newestInHistory
            return
        }
        parties.append(PlayerExport.PartyEntry(party, try await store.party(party), playerID))
        room -= 1
        next = .firstAdventure(of: party)
    }

    private mutating func readAdventures(of party: PartyID, after id: AdventureID) async throws {
        next = .party(party)
        // The cursor comes from the client.
        guard try await store.isListed(party, of: playerID) else { return }
        let ids = try await store.adventureIDs(of: party, after: id, limit: room)
        if ids.count == room, let last = ids.last { next = .adventure(party, last) }
        for id in ids {
            do {
                if let entry = try await PlayerExport.AdventureEntry(id, with: playerID, from: store) {
                    adventures.append(entry)
                }
            } catch StoreError.undecodable {
                unreadableAdventures.append(id)
            }
        }
        room -= ids.count
    }

    private mutating func readHistory(after id: AdventureID) async throws {
        let found = try await store.history(of: playerID, after: id, limit: room)
        next = .firstActivity
        if found.count == room, let last = found.last { next = .history(last.adventureID) }
        history += found.map { PlayedAdventureView($0) }
        room -= found.count
    }

    private mutating func readActivities(after adventure: AdventureID, _ id: ActivityID) async throws {
        let found = try await store.activities(of: playerID, after: adventure, id, limit: room)
        next = .firstKey
        if found.count == room, let last = found.last?.activity { next = .activity(last.adventureID, last.id) }
        activities += found.map {
            PlayerExport.ActivityEntry($0.activity, decisions: $0.decisions, receipts: $0.receipts)
        }
        room -= found.count
    }

    private mutating func readKeys(after shard: Shard, _ key: String) async throws {
        let found = try await store.idempotencyKeys(of: playerID, after: shard, key, limit: room)
        next = found.count == room ? found.last.map { .key($0.shard, $0.key) } : nil
        idempotencyKeys += found.map { PlayerExport.KeyEntry(key: $0.key, status: $0.status, at: $0.at.rfc3339) }
        room -= found.count
    }
}
