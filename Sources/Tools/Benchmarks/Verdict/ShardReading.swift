import Encodings
import Foundation
import GameCore
import GameStore
import PostgresClient
import Simulation

/// What a run has left behind in one shard, read as the service reads it: the evidence for the checks.
struct ShardReading {
    /// Entries of a log that are read at once.
    private static let page = 5_000
    /// Before anything.
    private static let ever = Timestamp(microseconds: 0)

    /// What the checks look at.
    private(set) var evidence = Evidence()
    /// What cannot be read, as sentences.
    private(set) var flaws: [String] = []
    /// What was acknowledged and is not there, as sentences.
    private(set) var losses: [String] = []
    /// How many acknowledgements it was held against, those of commands left out.
    private(set) var acknowledgements = 0

    /// Where the entries of the log stand, by adventure and sequence.
    private var places: [AdventureID: [Int: (position: Int64, at: Timestamp)]] = [:]
    /// When the log tells that cards were registered.
    private var registrations: [ActivityID: [Int64]] = [:]
    /// Where the log tells of cards.
    private var cards: [ActivityID: (registeredAt: Int64, releasedAt: Int64?)] = [:]

    private let shard: Shard
    private let store: GameStore

    /// Reads a shard.
    /// - Parameters:
    ///   - shard: which.
    ///   - head: of its log.
    ///   - store: of the run's database.
    ///   - case: what it is held against.
    /// - Throws: `PostgresError`; rows that cannot be understood are flaws.
    init(_ shard: Shard, head: Int64, from store: GameStore, for case: VerdictCase) async throws {
        self.shard = shard
        self.store = store
        evidence.disturbedSpans = `case`.disturbedSpans
        try await readLog(head: head, losesEntries: `case`.answersKeptSince != nil)
        try await readAdventures(for: `case`)
        try await look(for: `case`.ledger)
    }

    private mutating func readLog(head: Int64, losesEntries: Bool) async throws {
        var log = Evidence.Log(head: head, entries: [], losesEntries: losesEntries)
        while true {
            let page = try await store.log(of: shard, after: log.entries.last?.position ?? 0, limit: Self.page)
            for record in page {
                log.entries.append(note(record))
            }
            if page.count < Self.page { break }
        }
        evidence.logs[Int16(shard.rawValue)] = log
    }

    private mutating func note(_ record: LogRecord) -> Evidence.Entry {
        var sequence: Int?
        switch record.entry {
        case .event(_, let number):
            sequence = number
            places[record.adventureID, default: [:]][number] = (record.position, record.at)
        case .activityRegistered(let id, _):
            if cards[id] == nil { cards[id] = (record.position, nil) }
            registrations[id, default: []].append(record.at.microseconds)
        case .activityReleased(let id):
            cards[id, default: (record.position, nil)].releasedAt = record.position
        case .activityPushAsked:
            break
        case .unreadable(let error):
            flaws.append("position \(record.position) of shard \(shard.rawValue): \(error)")
        }
        return Evidence.Entry(
            position: record.position,
            adventureID: record.adventureID,
            sequence: sequence,
            committedAt: record.at.microseconds
        )
    }

    private mutating func readAdventures(for case: VerdictCase) async throws {
        let acknowledged = `case`.ledger.adventures.union(`case`.ledger.cards.keys.map(\.adventureID))
        let ids = Set(evidence.logs.values.flatMap(\.entries).map(\.adventureID))
        for id in ids.union(acknowledged.filter { $0.shard == shard }).sorted() {
            do {
                guard let record = try await store.record(of: id), let stored = try await store.adventure(id) else {
                    flaws.append("adventure \(id) cannot be found")
                    continue
                }
                guard record.detailsRemovedAt == nil else {
                    evidence.forgotten.insert(id)
                    continue
                }
                if let since = `case`.answersKeptSince, stored.startedAt < since { evidence.withoutAnswers.insert(id) }
                let keptAnswers = try await readAnswers(of: id, for: `case`)
                evidence.stories[id] = story(of: id, record, stored, keptAnswers: keptAnswers)
                try await readCards(of: id, for: `case`)
            } catch let error as StoreError {
                flaws.append("adventure \(id): \(error)")
            }
        }
    }

    private func story(
        of id: AdventureID,
        _ record: AdventureRecord,
        _ stored: StoredAdventure,
        keptAnswers: [String: String]
    ) -> Evidence.Story {
        Evidence.Story(
            opening: record.opening,
            inputs: record.inputs,
            happenings: record.events.map { event in
                Evidence.Happening(
                    sequence: event.sequence,
                    position: places[id]?[event.sequence]?.position ?? 0,
                    committedAt: event.at.microseconds,
                    event: event.event
                )
            },
            newest: record.newest,
            turnEnds: stored.turnDueAt,
            keptAnswers: keptAnswers
        )
    }

    /// The answers that are kept of an adventure's commands, as far as any client has sent them, and what was answered.
    private mutating func readAnswers(of id: AdventureID, for case: VerdictCase) async throws -> [String: String] {
        guard !evidence.withoutAnswers.contains(id) else { return [:] }
        let acknowledged = `case`.ledger.commands[id] ?? []
        var kept: [String: String] = [:]
        var places: [Int: String] = [:]
        for write in acknowledged + (`case`.ledger.doubtfulCommands[id] ?? []) {
            guard let name = write.name, let key = write.key, let player = write.playerID, kept[name] == nil else {
                continue
            }
            let answer = try await store.answer(to: key, of: .player(player), in: shard, after: Self.ever)
            guard let answer else { continue }
            kept[name] = answer.body
            // One event has one cause.
            let command = try? JSONDecoder().decode(AnsweredCommand.self, from: Data(answer.body.utf8))
            for event in command?.events ?? [] {
                if let other = places.updateValue(name, forKey: event.sequence) {
                    losses.append("event \(event.sequence) of \(id) was told to \(other) and to \(name)")
                }
            }
        }
        evidence.answers += acknowledged.compactMap { write in
            write.name.map {
                AnswerRecord(adventureID: id, key: $0, body: String(decoding: write.answer, as: UTF8.self))
            }
        }
        return kept
    }

    private mutating func readCards(of id: AdventureID, for case: VerdictCase) async throws {
        for activity in try await store.activities(of: id) {
            let name = ActivityName(adventureID: id, activityID: activity.id)
            var record = CardRecord(playerID: activity.playerID)
            record.isAbandoned = `case`.abandoned.contains(activity.id)
            let registered = Acknowledged.ActivityName(adventureID: id, activityID: activity.id)
            record.tokenChanges = (`case`.ledger.cards[registered] ?? []).sorted().map { moment in
                (from: moment.microseconds, until: moment.microseconds)
            }
            let pushes = `case`.testimony.pushes[activity.id] ?? []
            evidence.pushes += pushes.map { push in
                var push = push
                push.activity = name
                return push
            }
            var following = Evidence.Following(
                registeredAt: cards[activity.id]?.registeredAt ?? 0,
                releasedAt: cards[activity.id]?.releasedAt,
                card: `case`.testimony.cards[activity.id] ?? Card(),
                record: record
            )
            following.registrations = registrations[activity.id] ?? []
            evidence.cards[name] = following
        }
    }

    /// Looks for what clients were told to be there.
    private mutating func look(for ledger: Acknowledged.Ledger) async throws {
        for id in ledger.adventures where id.shard == shard {
            acknowledgements += 1
            if evidence.stories[id] == nil, !evidence.forgotten.contains(id) {
                losses.append("adventure \(id) was said to have begun, and is not there")
            }
        }
        for id in ledger.parties where id.shard == shard {
            acknowledgements += 1
            if try await store.party(id) == nil {
                losses.append("party \(id) was said to be founded, and is not there")
            }
        }
        for card in ledger.cards.keys where card.adventureID.shard == shard {
            let name = ActivityName(adventureID: card.adventureID, activityID: card.activityID)
            acknowledgements += 1
            if evidence.cards[name] == nil, !evidence.forgotten.contains(card.adventureID) {
                losses.append("card \(name) was said to be registered, and is not there")
            }
        }
        for (id, commands) in ledger.commands where id.shard == shard {
            for write in commands { losses += contradictions(of: write, in: id) }
        }
    }

    /// The events that an answer tells of and the log does not have so.
    private func contradictions(of write: Acknowledged.Write, in id: AdventureID) -> [String] {
        guard let story = evidence.stories[id], !evidence.withoutAnswers.contains(id) else { return [] }
        guard let answer = try? JSONDecoder().decode(AnsweredCommand.self, from: write.answer) else {
            return ["\(write.name ?? "a command") in \(id) has an answer that cannot be read"]
        }
        return answer.events.compactMap { event in
            let place = event.sequence - 1
            let isThere = story.happenings.indices.contains(place) && story.happenings[place].event.kind == event.kind
            return isThere
                ? nil : "\(write.name ?? "a command") in \(id) was told of event \(event.sequence), which is another"
        }
    }
}
