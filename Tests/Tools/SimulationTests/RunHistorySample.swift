import Encodings
import Foundation
import GameCore
import GameLog
import LiveActivityContent
import PushRules
import Testing

@testable import GameStore
@testable import Simulation

/// The history of a journey that has just begun, with one activity that shows it.
struct Sample {
    static let start = Timestamp(epochSeconds: 1_790_000_000)
    static let id = AdventureID(rawValue: UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    static let player = PlayerID(rawValue: UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    let id = Self.id
    let reference: ActivityReference
    let contentState: [UInt8]
    var history = RunHistory()

    var adventure: RunHistory.AdventureHistory? {
        get { history.adventures[id] }
        set { history.adventures[id] = newValue }
    }

    init() throws {
        reference = ActivityReference(
            adventureID: id,
            activityID: ActivityID(rawValue: UUID(uuid: (3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        )
        let hero = Hero(playerID: Self.player, id: HeroCatalogue.all[0].id, experience: 0, potions: 1)
        let opening = Adventure.journey(in: RegionCatalogue.all[0].id, heroes: [hero], seed: 1)
        let clock = Self.start + .seconds(10)
        var events: [AdventureEvent] = []
        var timeline = Timeline(starting: opening, at: Self.start, interval: .seconds(5), appendingTo: &events)
        var derived: [StoredEvent] = []
        var moment: Timestamp? = Self.start
        while let at = moment {
            for event in events {
                let tick = timeline.adventure.tick
                derived.append(StoredEvent(sequence: derived.count + 1, tick: tick, at: at, event: event))
            }
            events = []
            moment = timeline.playTick(dueBy: clock, appendingTo: &events)
        }
        let newest = timeline.adventure
        let headline = derived.last { $0.event.isHeadline }?.event ?? .adventureStarted(kind: .journey)
        let state = AdventureAttributes.ContentState(of: newest, lastEvent: headline, turnEnds: nil)
        contentState = EncodedContentState(state).bytes(currentHealthLevel: newest.heroes[0].shownHealthLevel)
        history.logs[0] = RunHistory.ShardLog(
            head: 2,
            entries: [Self.entry(1, at: Self.start), Self.entry(2, at: clock)]
        )
        history.logs[0]?.clockMoves = [
            Self.move(seconds: 0, head: 1), Self.move(seconds: 5, head: 1), Self.move(seconds: 10, head: 2),
        ]
        history.adventures[id] = RunHistory.AdventureHistory(events: derived, newest: newest)
        history.adventures[id]?.course = RunHistory.Course(
            opening: opening,
            startedAt: Self.start,
            interval: .seconds(5),
            clock: clock
        )
        history.adventures[id]?.shown.add(
            events: derived.suffix(1).map(ShownAdventure.text(of:)),
            state: newest.encoded
        )
        var record = ActivityRecord(playerID: Self.player)
        record.tokenChanges = [(from: 0, until: 0)]
        // Registered after all these events, so that none of them requires an alert.
        history.activities[reference] = RunHistory.ActivityHistory(entries: .init(registeredAt: clock), record: record)
        show(timestamp: 100, contentState: contentState)
    }

    static func entry(
        _ position: Int64,
        of id: AdventureID? = Self.id,
        at moment: Timestamp,
        _ content: LogEntry.Content = .started
    ) -> LogEntry {
        LogEntry(
            position: position,
            adventureID: id,
            at: moment,
            content: content,
            eventDigest: nil,
            digest: LogDigest()
        )
    }

    static func move(seconds: Int, head: Int64) -> MemoryTables.ClockMoveRow {
        MemoryTables.ClockMoveRow(
            committedAt: Int64(seconds) * 1_000_000,
            clock: (start + .seconds(seconds)).microseconds,
            head: head
        )
    }

    /// An input between the ticks.
    static func input(_ input: AdventureInput) -> LogEntry { entry(2, at: start + .seconds(7), .input(input)) }

    /// Appends an entry to the log, committed with a clock.
    mutating func append(_ entry: LogEntry, clock seconds: Int) {
        history.logs[0]?.entries.append(entry)
        history.logs[0]?.head = entry.position
        history.logs[0]?.clockMoves.append(Self.move(seconds: seconds, head: entry.position))
    }

    mutating func flush(at moment: Int64, through acknowledgedAt: Timestamp, lastTimestamp: Int64 = 0) {
        history.flushes[reference] = [
            MemoryTables.FlushRow(
                committedAt: moment,
                acknowledgedAt: acknowledgedAt.microseconds,
                acceptedAlerts: [],
                lastTimestamp: lastTimestamp,
                closedToken: nil
            )
        ]
    }

    /// Lets the journey end, and its player have the award.
    mutating func endWithAward() throws -> Award {
        let end = Self.start + .seconds(10)
        adventure?.endedAt = end
        adventure?.gainedExperience = [50]
        let award = Award(
            adventureID: id,
            playerID: Self.player,
            partyID: PartyID(rawValue: id.rawValue),
            kind: .journey,
            scene: RegionCatalogue.all[0].id.rawValue,
            outcome: AdventureOutcome.allCases.first { $0 != .bossDefeated },
            hero: HeroCatalogue.all[0].id,
            experience: 50,
            reachedExperience: 50,
            bosses: 0,
            startedAt: Self.start,
            endedAt: end
        )
        let sums = ProgressChange(adding: [award], to: [:], scores: [:])
        history.progress = RunHistory.StoredProgress(
            histories: [Self.player: [award]],
            players: [Self.player: PlayerProgress(experience: 50)],
            scores: sums.scores,
            buckets: sums.buckets
        )
        return award
    }

    func invariants(of violations: [InvariantViolation]) -> Set<Int> { Set(violations.map(\.invariant)) }

    /// Adds an event without applying it to the adventure.
    mutating func add(_ event: AdventureEvent) {
        guard let count = adventure?.events.count else { return }
        let moment = Self.start + .seconds(10 * count)
        adventure?.events.append(StoredEvent(sequence: count + 1, tick: count, at: moment, event: event))
        history.logs[0]?.clockMoves.append(Self.move(seconds: 10 * count, head: 2))
    }

    mutating func show(timestamp: Int64, ending isEnd: Bool = false, contentState: [UInt8]) {
        let payload = LiveActivityPayload(
            timestamp: timestamp,
            event: isEnd
                ? .end(dismissalDate: timestamp) : .update(staleDate: timestamp, relevanceScore: 0, alert: nil),
            contentState: contentState
        )
        let bytes: [UInt8]
        do { bytes = try payload.encoded() } catch {
            Issue.record(error)
            return
        }
        history.activities[reference]?.shown.show(
            PushRecord(activity: reference, token: "00", node: "node", id: UUID(), payload: bytes, writtenAt: 0)
        )
    }

    mutating func push(
        timestamp: Int64,
        at moment: Int64,
        ending isEnd: Bool = false,
        alert: LiveActivityPayload.Alert? = nil,
        isHigh: Bool = false,
        id: UUID = UUID(),
        outcome: PushRecord.Outcome = .accepted,
        from node: String = "node",
        clockError: Duration = .zero
    ) throws {
        let payload = LiveActivityPayload(
            timestamp: timestamp,
            event: isEnd
                ? .end(dismissalDate: timestamp) : .update(staleDate: timestamp, relevanceScore: 0, alert: alert),
            contentState: contentState
        )
        history.pushes.append(
            PushRecord(
                activity: reference,
                token: "00",
                node: node,
                clockError: clockError,
                id: id,
                payload: try payload.encoded(),
                isHigh: isHigh,
                writtenAt: moment,
                outcome: outcome
            )
        )
    }

    /// Sends the alert of an event to the activity.
    mutating func sendAlert(for event: AdventureEvent, at moment: Int64, id: UUID = UUID()) throws {
        let newest = try #require(adventure?.newest)
        let rule = PushRules.rule(for: event, after: newest, receiver: Seat(rawValue: 0))
        try push(timestamp: moment, at: moment, alert: try #require(rule.alert).content, id: id)
    }
}
