import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import PostgresClient
import Simulation

/// The evidence for the invariant checks after a run: the data as the service reads it, compared with the records of
/// the clients and the pushes.
struct RunEvidence {
    private static let century = Duration.seconds(86_400 * 36_525)

    private(set) var history = RunHistory()
    /// Acknowledged writes without their effect, as sentences.
    private(set) var losses: [String] = []
    /// The number of acknowledgements that were checked, except those of commands.
    private(set) var acknowledgements = 0

    private let store: GameStore
    private let pushes: RecordedPushes
    private let clients: ClientHistory
    private let index: ClientHistory.Index
    private let responsesKeptSince: Timestamp?

    /// Reads the data of all shards.
    /// - Parameters:
    ///   - store: the store of the run's database.
    ///   - pushes: the pushes since the beginning of the run.
    ///   - clients: the responses that clients received.
    ///   - responsesKeptSince: the moment since which idempotency records are complete; nil without retention. The
    ///     records of older adventures are not checked, and gaps in logs and adventures without details are allowed.
    /// - Throws: `PostgresError`; rows that cannot be decoded are findings of invariant 1.
    init(
        of store: GameStore,
        _ pushes: RecordedPushes,
        _ clients: ClientHistory,
        responsesKeptSince: Timestamp?
    ) async throws {
        self.store = store
        self.pushes = pushes
        self.clients = clients
        self.responsesKeptSince = responsesKeptSince
        index = clients.index
        history.faultSpans = clients.disturbances.map { $0.lowerBound.microseconds...$0.upperBound.microseconds }
        history.failoverTimes = clients.losses.map(\.backAt.microseconds).sorted()
        history.lossSpans = clients.losses.map { $0.span.lowerBound.microseconds...$0.span.upperBound.microseconds }
        history.unauthorizedAttempts = clients.intrusionAttempts
        history.unauthorizedSuccesses = clients.intrusions
        for row in try await store.heads(of: Shard.all) {
            let isPruned = responsesKeptSince != nil
            try await history.readLog(of: row.shard, head: row.head, isPruned: isPruned, from: store)
        }
        try await readAdventures()
        // Retention also removes fights and rounds.
        if responsesKeptSince == nil { try await history.readRaids(from: store) }
        addUnknownPushes()
        try await checkAcknowledgements()
    }

    private mutating func readAdventures() async throws {
        let acknowledged = index.adventures.union(index.activities.keys.map(\.adventureID))
        let entries = history.logs.values.flatMap(\.entries)
        let logged = Set(entries.compactMap(\.adventureID))
        let started = Set(entries.filter { if case .started = $0.content { true } else { false } }.map(\.adventureID))
        for id in logged.union(acknowledged).sorted() {
            do {
                if let stored = try await store.adventure(id) {
                    if responsesKeptSince != nil, !started.contains(id) {
                        history.prunedAdventures.insert(id)
                        continue
                    }
                    if let since = responsesKeptSince, stored.startedAt < since {
                        history.adventuresWithoutResponses.insert(id)
                    }
                }
                let responses = try await readResponses(of: id)
                try await history.readAdventure(id, from: store, storedResponses: responses)
                try await readActivities(of: id)
            } catch let error as StoreError { history.unplayable.append("adventure \(id) cannot be played: \(error)") }
        }
    }

    /// Returns the stored responses to the commands that clients sent in an adventure, and adds the received responses
    /// to the history.
    private mutating func readResponses(of id: AdventureID) async throws -> [String: String] {
        guard !history.adventuresWithoutResponses.contains(id) else { return [:] }
        let acknowledged = index.commands[id] ?? []
        var responses: [String: String] = [:]
        var causes: [Int: String] = [:]
        for write in acknowledged + (index.doubtfulCommands[id] ?? []) {
            guard let name = write.name, let key = write.key, let player = write.playerID, responses[name] == nil,
                let body = try await store.idempotencyRecord(
                    for: key,
                    of: .player(player),
                    in: id.shard,
                    livingFor: Self.century
                )?.body
            else { continue }
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
            var record = ActivityRecord(playerID: activity.playerID, deviceID: activity.deviceID)
            record.isAbandoned = clients.abandoned.contains(activity.id)
            record.tokenChanges = (index.activities[name] ?? []).sorted().map { moment in
                (from: moment.microseconds, until: moment.microseconds)
            }
            addPushes(to: name)
            history.add(name, shown: pushes.shown[activity.id], record: record)
        }
    }

    private mutating func addPushes(to name: ActivityReference) {
        for var push in pushes.pushes[name.activityID] ?? [] {
            push.activity = name
            history.pushes.append(push)
        }
    }

    /// Adds the pushes to unknown tokens and to activities that are no longer stored.
    private mutating func addUnknownPushes() {
        history.pushes += pushes.strays
        let known = Set(history.activities.keys.map(\.activityID))
        // Only the store knows the adventure; the checks of pushes do not depend on it.
        let unknown = AdventureID(rawValue: UUID(bytes: [UInt8](repeating: 0, count: 16)))
        for id in pushes.pushes.keys where !known.contains(id) {
            addPushes(to: ActivityReference(adventureID: unknown, activityID: id))
        }
    }

    /// Checks that acknowledged writes had their effect.
    private mutating func checkAcknowledgements() async throws {
        acknowledgements =
            index.adventures.count + index.parties.count + index.activities.count + index.devices.count
        for id in index.adventures where history.adventures[id] == nil && !history.prunedAdventures.contains(id) {
            losses.append("adventure \(id) was acknowledged and does not exist")
        }
        for id in index.parties where try await store.party(id) == nil {
            losses.append("party \(id) was acknowledged and does not exist")
        }
        for (id, player) in index.devices where try await store.device(id, of: player) == nil {
            losses.append("device \(id) of player \(player) was acknowledged and does not exist")
        }
        for name in index.activities.keys
        where history.activities[name] == nil && !history.prunedAdventures.contains(name.adventureID) {
            losses.append("activity \(name) was acknowledged and does not exist")
        }
        for (id, commands) in index.commands { losses += commands.flatMap { contradictions(of: $0, in: id) } }
    }

    /// Returns the events in a response that contradict the derived ones, as sentences.
    private func contradictions(of write: ClientHistory.Write, in id: AdventureID) -> [String] {
        guard let story = history.adventures[id], !history.adventuresWithoutResponses.contains(id) else { return [] }
        let command = "\(write.name ?? "a command") in \(id)"
        guard let result = try? JSONDecoder().decode(CommandResult.self, from: write.response) else {
            return ["the response to \(command) cannot be decoded"]
        }
        return result.events.compactMap { event in
            let index = event.sequence - 1
            let isStored = story.events.indices.contains(index) && story.events[index].event.kind == event.kind
            return isStored ? nil : "the response to \(command) has another event \(event.sequence) than its adventure"
        }
    }
}
