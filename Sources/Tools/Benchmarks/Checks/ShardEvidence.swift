import Encodings
import Foundation
import GameCore
import GameStore
import PostgresClient
import Simulation

/// The data of one shard after a run, read as the service reads it: the evidence for the invariant checks.
struct ShardEvidence {
    /// The number of log entries per read.
    private static let pageSize = 5_000
    private static let distantPast = Timestamp(microseconds: 0)

    private(set) var history = RunHistory()
    /// Data that cannot be read, as sentences.
    private(set) var unreadable: [String] = []
    /// Acknowledged writes without their effect, as sentences.
    private(set) var losses: [String] = []
    /// The number of acknowledgements that were checked, except those of commands.
    private(set) var acknowledgements = 0

    /// The events' log positions and times, by adventure and sequence.
    private var positions: [AdventureID: [Int: (position: Int64, at: Timestamp)]] = [:]
    /// The times at which the log has registrations of activities.
    private var registrations: [ActivityID: [Int64]] = [:]
    /// The log positions of activities' first registration and release.
    private var activities: [ActivityID: (registeredAt: Int64, releasedAt: Int64?)] = [:]

    private let shard: Shard
    private let store: GameStore
    private let run: RunEvidence

    /// Reads a shard.
    /// - Parameters:
    ///   - shard: the shard.
    ///   - head: the last position of its log.
    ///   - store: the store of the run's database.
    ///   - run: the record to compare the data with.
    /// - Throws: `PostgresError`; rows that cannot be decoded are listed in ``unreadable``.
    init(_ shard: Shard, head: Int64, from store: GameStore, for run: RunEvidence) async throws {
        self.shard = shard
        self.store = store
        self.run = run
        history.faultSpans = run.disturbedSpans
        try await readLog(head: head)
        try await readAdventures()
        try await checkAcknowledgements()
    }

    private mutating func readLog(head: Int64) async throws {
        var log = RunHistory.ShardLog(head: head, entries: [], isPruned: run.responsesKeptSince != nil)
        while true {
            let page = try await store.log(of: shard, after: log.entries.last?.position ?? 0, limit: Self.pageSize)
            for record in page { log.entries.append(add(record)) }
            if page.count < Self.pageSize { break }
        }
        history.logs[Int16(shard.rawValue)] = log
    }

    private mutating func add(_ record: LogEntry) -> RunHistory.CommittedEntry {
        var sequence: Int?
        switch record.content {
        case .event(_, let number):
            sequence = number
            positions[record.adventureID, default: [:]][number] = (record.position, record.at)
        case .activityRegistered(let id, _):
            if activities[id] == nil { activities[id] = (record.position, nil) }
            registrations[id, default: []].append(record.at.microseconds)
        case .activityReleased(let id): activities[id, default: (record.position, nil)].releasedAt = record.position
        case .activityPushRequested: break
        case .unreadable(let error):
            unreadable.append("position \(record.position) of shard \(shard.rawValue): \(error)")
        }
        return RunHistory.CommittedEntry(
            position: record.position,
            adventureID: record.adventureID,
            sequence: sequence,
            committedAt: record.at.microseconds
        )
    }

    private mutating func readAdventures() async throws {
        let acknowledged = run.index.adventures.union(run.index.activities.keys.map(\.adventureID))
        let ids = Set(history.logs.values.flatMap(\.entries).map(\.adventureID))
        for id in ids.union(acknowledged.filter { $0.shard == shard }).sorted() {
            do {
                guard let record = try await store.record(of: id), let stored = try await store.adventure(id) else {
                    unreadable.append("adventure \(id) cannot be found")
                    continue
                }
                guard record.detailsRemovedAt == nil else {
                    history.prunedAdventures.insert(id)
                    continue
                }
                if let since = run.responsesKeptSince, stored.startedAt < since {
                    history.adventuresWithoutResponses.insert(id)
                }
                let responses = try await readResponses(of: id)
                history.adventures[id] = story(of: id, record, stored, responses)
                try await readActivities(of: id)
            } catch let error as StoreError { unreadable.append("adventure \(id): \(error)") }
        }
    }

    private func story(
        of id: AdventureID,
        _ record: AdventureRecord,
        _ stored: StoredAdventure,
        _ responses: [String: String]
    ) -> RunHistory.AdventureHistory {
        RunHistory.AdventureHistory(
            opening: record.opening,
            inputs: record.inputs,
            events: record.events.map { event in
                RunHistory.LoggedEvent(
                    sequence: event.sequence,
                    position: positions[id]?[event.sequence]?.position ?? 0,
                    committedAt: event.at.microseconds,
                    event: event.event
                )
            },
            newest: record.newest,
            turnEnds: stored.turnDueAt,
            storedResponses: responses
        )
    }

    /// Returns the stored responses to the commands that clients sent in an adventure, and adds the received responses
    /// to the history.
    private mutating func readResponses(of id: AdventureID) async throws -> [String: String] {
        guard !history.adventuresWithoutResponses.contains(id) else { return [:] }
        let acknowledged = run.index.commands[id] ?? []
        var responses: [String: String] = [:]
        var causes: [Int: String] = [:]
        for write in acknowledged + (run.index.doubtfulCommands[id] ?? []) {
            guard let name = write.name, let key = write.key, let player = write.playerID, responses[name] == nil else {
                continue
            }
            let record = try await store.idempotencyRecord(
                for: key,
                of: .player(player),
                in: shard,
                after: Self.distantPast
            )
            guard let body = record?.body else { continue }
            responses[name] = body
            // Each event belongs to the response of one command only.
            let command = try? JSONDecoder().decode(CommandResult.self, from: Data(body.utf8))
            for event in command?.events ?? [] {
                if let other = causes.updateValue(name, forKey: event.sequence) {
                    losses.append("event \(event.sequence) of \(id) is in the responses to \(other) and to \(name)")
                }
            }
        }
        history.responses += acknowledged.compactMap { write in
            write.name.map {
                ResponseRecord(adventureID: id, key: $0, body: String(decoding: write.response, as: UTF8.self))
            }
        }
        return responses
    }

    private mutating func readActivities(of id: AdventureID) async throws {
        for activity in try await store.activities(of: id) {
            let name = ActivityReference(adventureID: id, activityID: activity.id)
            var record = ActivityRecord(playerID: activity.playerID)
            record.isAbandoned = run.history.abandoned.contains(activity.id)
            record.tokenChanges = (run.index.activities[name] ?? []).sorted().map { moment in
                (from: moment.microseconds, until: moment.microseconds)
            }
            history.pushes += run.pushes.pushes(to: name)
            var following = RunHistory.ActivityHistory(
                registeredPosition: activities[activity.id]?.registeredAt ?? 0,
                releasedPosition: activities[activity.id]?.releasedAt,
                shown: run.pushes.shown[activity.id] ?? ShownActivity(),
                record: record
            )
            following.registrationTimes = registrations[activity.id] ?? []
            history.activities[name] = following
        }
    }

    /// Checks that acknowledged writes had their effect.
    private mutating func checkAcknowledgements() async throws {
        for id in run.index.adventures where id.shard == shard {
            acknowledgements += 1
            if history.adventures[id] == nil, !history.prunedAdventures.contains(id) {
                losses.append("adventure \(id) was acknowledged and does not exist")
            }
        }
        for id in run.index.parties where id.shard == shard {
            acknowledgements += 1
            if try await store.party(id) == nil { losses.append("party \(id) was acknowledged and does not exist") }
        }
        for name in run.index.activities.keys where name.adventureID.shard == shard {
            acknowledgements += 1
            if history.activities[name] == nil, !history.prunedAdventures.contains(name.adventureID) {
                losses.append("activity \(name) was acknowledged and does not exist")
            }
        }
        for (id, commands) in run.index.commands where id.shard == shard {
            for write in commands { losses += contradictions(of: write, in: id) }
        }
    }

    /// Returns the events in a response that contradict the log, as sentences.
    private func contradictions(of write: ClientHistory.Write, in id: AdventureID) -> [String] {
        guard let story = history.adventures[id], !history.adventuresWithoutResponses.contains(id) else { return [] }
        let command = "\(write.name ?? "a command") in \(id)"
        guard let result = try? JSONDecoder().decode(CommandResult.self, from: write.response) else {
            return ["the response to \(command) cannot be decoded"]
        }
        return result.events.compactMap { event in
            let index = event.sequence - 1
            let isStored = story.events.indices.contains(index) && story.events[index].event.kind == event.kind
            return isStored ? nil : "the response to \(command) has another event \(event.sequence) than the log"
        }
    }
}

extension RecordedPushes {
    /// Returns the pushes to an activity, with its adventure set.
    func pushes(to name: ActivityReference) -> [PushRecord] {
        (pushes[name.activityID] ?? []).map { push in
            var push = push
            push.activity = name
            return push
        }
    }
}
