import Encodings
import Foundation
import GameCore
import GameStore
import PostgresClient
import Simulation

/// The data of one shard after a run, read as the service reads it: the evidence for the invariant checks.
struct ShardEvidence {
    private static let distantPast = Timestamp(microseconds: 0)

    private(set) var history = RunHistory()
    /// Acknowledged writes without their effect, as sentences.
    private(set) var losses: [String] = []
    /// The number of acknowledgements that were checked, except those of commands.
    private(set) var acknowledgements = 0

    private let shard: Shard
    private let store: GameStore
    private let run: RunEvidence

    /// Reads a shard.
    /// - Parameters:
    ///   - shard: the shard.
    ///   - head: the last position of its log.
    ///   - store: the store of the run's database.
    ///   - run: the record to compare the data with.
    /// - Throws: `PostgresError`; rows that cannot be decoded are findings of invariant 1.
    init(_ shard: Shard, head: Int64, from store: GameStore, for run: RunEvidence) async throws {
        self.shard = shard
        self.store = store
        self.run = run
        history.faultSpans = run.disturbedSpans
        let isPruned = run.responsesKeptSince != nil
        try await history.readLog(of: shard, head: head, isPruned: isPruned, from: store) { $0.at.microseconds }
        try await readAdventures()
        try await checkAcknowledgements()
    }

    private mutating func readAdventures() async throws {
        let acknowledged = run.index.adventures.union(run.index.activities.keys.map(\.adventureID))
        let ids = Set(history.logs.values.flatMap(\.entries).map(\.adventureID))
        for id in ids.union(acknowledged.filter { $0.shard == shard }).sorted() {
            do {
                guard let record = try await store.record(of: id), let stored = try await store.adventure(id) else {
                    history.unreadable.append("adventure \(id) is missing")
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
                history.add(record, stored, storedResponses: responses)
                try await readActivities(of: id)
            } catch let error as StoreError { history.unreadable.append("adventure \(id) cannot be read: \(error)") }
        }
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
            history.add(name, shown: run.pushes.shown[activity.id], record: record)
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
