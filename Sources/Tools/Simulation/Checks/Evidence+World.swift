import APNsClient
import Foundation
import GameCore
import GameStore
import PostgresClient

extension Evidence {
    /// What a run has left behind, read as the service reads it.
    init(of store: GameStore, database: MemoryDatabase, apns: SimulatedAPNs, stories: [PartyStory]) async {
        self.init()
        let tables = database.tables
        violations = tables.violations
        pushes = apns.pushes
        readNotes(in: tables)
        answers = stories.flatMap(\.answers)
        trespasses = stories.flatMap(\.trespasses)
        for (shard, row) in tables.shards { logs[shard] = Self.log(of: tables.events[shard] ?? [], head: row.head) }
        await readStories(in: tables, from: store)
        let told = stories.reduce(into: [:]) { $0.merge($1.cards) { $1 } }
        for shard in tables.shards.keys { readCards(of: shard, in: tables, apns: apns, told: told) }
    }

    /// What the dispatchers have written down of the cards, and which tokens they have closed by that.
    private mutating func readNotes(in tables: Tables) {
        for (key, rows) in tables.notes {
            let name = ActivityName(
                adventureID: AdventureID(rawValue: key.adventure),
                activityID: ActivityID(rawValue: key.activity)
            )
            notes[name] = rows.map { row in
                Note(
                    committedAt: row.committedAt,
                    settledPosition: row.settledPosition,
                    lastTimestamp: row.lastTimestamp
                )
            }
            for row in rows {
                guard let token = row.closedToken, let hex = DeviceToken(bytes: token)?.hex,
                    tables.registrations[token].map({ $0 <= row.committedAt }) ?? true
                else { continue }
                closedTokens[hex] = min(row.committedAt, closedTokens[hex] ?? .max)
            }
        }
    }

    /// The adventures, as the service reads them for a replay.
    private mutating func readStories(in tables: Tables, from store: GameStore) async {
        let keptAnswers = Self.keptAnswers(in: tables)
        for id in tables.adventures.keys.sorted().map(AdventureID.init(rawValue:)) {
            let places = Dictionary(
                (tables.events[id.rawValue.shard] ?? []).lazy.filter { $0.adventure == id.rawValue }
                    .compactMap { row in row.sequence.map { (Int($0), (row.position, row.committedAt)) } },
                uniquingKeysWith: { first, _ in first }
            )
            do {
                guard let record = try await store.record(of: id), let stored = try await store.adventure(id) else {
                    violations.append("adventure \(id) cannot be found")
                    continue
                }
                stories[id] = Story(
                    opening: record.opening,
                    inputs: record.inputs,
                    happenings: record.events.map { event in
                        let place = places[event.sequence] ?? (0, 0)
                        return Happening(
                            sequence: event.sequence,
                            position: place.0,
                            committedAt: place.1,
                            event: event.event
                        )
                    },
                    newest: record.newest,
                    turnEnds: stored.turnDueAt,
                    keptAnswers: keptAnswers[id] ?? [:]
                )
            } catch {
                violations.append("adventure \(id) cannot be read: \(error)")
            }
        }
    }

    private static func log(of rows: [Tables.EventRow], head: Int64) -> Log {
        Log(
            head: head,
            entries: rows.map { row in
                Entry(
                    position: row.position,
                    adventureID: AdventureID(rawValue: row.adventure),
                    sequence: row.sequence.map(Int.init),
                    committedAt: row.committedAt
                )
            }
        )
    }

    /// The answers to players' commands, by adventure and key.
    private static func keptAnswers(in tables: Tables) -> [AdventureID: [String: String]] {
        var kept: [AdventureID: [String: String]] = [:]
        for (key, row) in tables.answers {
            let words = key.key.split(separator: "/")
            guard words.first == "run", let id = AdventureID(String(words[1])) else { continue }
            kept[id, default: [:]][key.key] = row.answer
        }
        return kept
    }

    /// The cards that the log of a shard tells of.
    private mutating func readCards(
        of shard: Int16,
        in tables: Tables,
        apns: SimulatedAPNs,
        told: [ActivityName: CardRecord]
    ) {
        for row in tables.events[shard] ?? [] where row.sequence == nil {
            let text = String(decoding: row.body.utf8, as: UTF8.self)
            // {"activityID":"…","sequence":…}
            let words = text.split(separator: "\"")
            guard words.count > 3, let activityID = ActivityID(String(words[3])) else { continue }
            let name = ActivityName(adventureID: AdventureID(rawValue: row.adventure), activityID: activityID)
            guard let record = told[name] else { continue }
            var following =
                cards[name]
                ?? Following(registeredAt: row.position, card: apns.cards[name] ?? Card(), record: record)
            // A request that was held up has brought back an older token, which the service cannot know.
            let stored = tables.activities[Tables.ActivityKey(adventure: row.adventure, activity: activityID.rawValue)]
            if let stored, !apns.isGood(stored.pushToken) { following.record.isAbandoned = true }
            if row.kind == "activityRegistered" { following.registrations.append(row.committedAt) }
            if row.kind == "activityReleased" { following.releasedAt = row.position }
            cards[name] = following
        }
    }
}
