import Foundation
import GameCore
import LiveActivityContent
import PushRules
import Simulation
import Testing

/// Each invariant check passes on a correct history and finds its violation in a broken one.
@Suite struct RunHistoryTests {
    @Test func `a correct history has no violations`() throws {
        #expect(try Sample().history.violations().isEmpty)
    }

    @Test func `missing, repeated and reordered log entries are found`() throws {
        var sample = try Sample()
        sample.history.logs[0]?.entries.removeLast()
        #expect(sample.invariants(of: sample.history.checkLogs().violations) == [1])

        sample = try Sample()
        let last = try #require(sample.history.logs[0]?.entries.last)
        sample.history.logs[0]?.entries.append(last)
        #expect(!sample.history.checkLogs().violations.isEmpty)

        sample = try Sample()
        sample.history.logs[0]?.entries.swapAt(0, 1)
        #expect(!sample.history.checkLogs().violations.isEmpty)

        sample = try Sample()
        sample.history.logs[0]?.head += 1
        #expect(!sample.history.checkLogs().violations.isEmpty)
    }

    @Test func `a pruned log may have gaps but must be ordered`() throws {
        var sample = try Sample()
        let old = AdventureID(rawValue: UUID())
        let entries = sample.history.logs[0]?.entries ?? []
        sample.history.logs[0]?.entries = entries.map { entry in
            RunHistory.CommittedEntry(
                position: entry.position + 7,
                adventureID: entry.adventureID,
                sequence: entry.sequence,
                committedAt: 0
            )
        }
        sample.history.logs[0]?.entries.insert(
            RunHistory.CommittedEntry(position: 3, adventureID: old, sequence: 5, committedAt: 0),
            at: 0
        )
        sample.history.logs[0]?.head += 7
        sample.history.logs[0]?.isPruned = true
        sample.history.prunedAdventures = [old]
        #expect(sample.history.checkLogs().findings.isEmpty)
        sample.history.prunedAdventures = []
        #expect(sample.history.checkLogs().findings.count == 1)
        sample.history.logs[0]?.entries.swapAt(0, 1)
        #expect(sample.history.checkLogs().findings.count > 1)
    }

    @Test func `each check counts the items that it checked`() throws {
        let checks = try Sample().history.checks()
        #expect(checks.map(\.invariant) == Array(1...8))
        #expect(checks.map(\.checkedCount) == [4, 1, 1, 0, 0, 0, 1, 1])
    }

    @Test func `commands and activities of players without a hero are found`() throws {
        var sample = try Sample()
        let stranger = PlayerID(rawValue: UUID())
        sample.adventure?.inputs = [(2, .command(.attack, by: stranger))]
        #expect(sample.invariants(of: sample.history.checkMembership().violations) == [8])

        sample = try Sample()
        sample.history.activities[sample.reference]?.record = ActivityRecord(playerID: stranger)
        #expect(sample.invariants(of: sample.history.checkMembership().violations) == [8])
    }

    @Test func `an unprocessed push may be written again unchanged`() throws {
        var sample = try Sample()
        let id = UUID()
        try sample.push(timestamp: 300, at: 1_000, id: id, outcome: .inFlight)
        try sample.push(timestamp: 300, at: 2_000, id: id)
        #expect(sample.history.checkPushes().findings.isEmpty)
        try sample.push(timestamp: 300, at: 3_000, id: id)
        #expect(sample.history.checkPushes().findings.count == 1)
    }

    @Test func `an adventure whose replay differs is found`() throws {
        var sample = try Sample()
        sample.adventure?.events[1] = RunHistory.LoggedEvent(
            sequence: 2,
            position: 2,
            committedAt: 0,
            event: .partyWiped
        )
        #expect(sample.invariants(of: sample.history.checkReplays().violations) == [2])
    }

    @Test func `an activity that shows an old state or ended too early is found`() throws {
        var sample = try Sample()
        sample.show(timestamp: 200, contentState: Array("{}".utf8))
        #expect(sample.invariants(of: sample.history.checkShownStates().violations) == [3])

        sample = try Sample()
        sample.show(timestamp: 200, ending: true, contentState: sample.contentState)
        #expect(sample.invariants(of: sample.history.checkShownStates().violations) == [3])

        // The premature end made the app release the activity, which does not excuse the violation.
        sample.history.activities[sample.reference]?.releasedPosition = 100
        #expect(sample.invariants(of: sample.history.checkShownStates().violations) == [3])

        sample.history.activities[sample.reference]?.record.isAbandoned = true
        #expect(sample.history.checkShownStates().violations.isEmpty)
    }

    @Test func `a missing alert is found, unless the rules have cancelled it`() throws {
        var sample = try Sample()
        sample.add(.heroDown(hero: Seat(rawValue: 0)))
        #expect(sample.invariants(of: sample.history.checkAlerts().violations) == [4])

        sample.add(.heroRevived(hero: Seat(rawValue: 0), helper: nil))
        #expect(sample.history.checkAlerts().violations.isEmpty)

        sample.add(.heroDown(hero: Seat(rawValue: 0)))
        try sample.sendAlert(for: .heroDown(hero: Seat(rawValue: 0)), at: 500_000_000)
        #expect(sample.history.checkAlerts().violations.isEmpty)
    }

    @Test func `a repeated alert is found, unless a fault excuses it`() throws {
        var sample = try Sample()
        sample.add(.heroDown(hero: Seat(rawValue: 0)))
        let id = UUID()
        try sample.sendAlert(for: .heroDown(hero: Seat(rawValue: 0)), at: 50_000_000, id: id)
        try sample.sendAlert(for: .heroDown(hero: Seat(rawValue: 0)), at: 52_000_000, id: id)
        #expect(sample.invariants(of: sample.history.checkAlerts().violations) == [4])

        sample.history.faultTimes = [50_500_000]
        #expect(sample.history.checkAlerts().violations.isEmpty)
        // A fault that ends a lease of five seconds afterwards.
        sample.history.faultTimes = [46_000_000]
        #expect(sample.history.checkAlerts().violations.isEmpty)
        sample.history.faultTimes = [44_000_000]
        #expect(sample.invariants(of: sample.history.checkAlerts().violations) == [4])
    }

    @Test func `no fault excuses pushes that contradict a flush`() throws {
        var sample = try Sample()
        sample.add(.heroDown(hero: Seat(rawValue: 0)))
        let position = try #require(sample.adventure?.events.last?.position)
        let id = UUID()
        try sample.sendAlert(for: .heroDown(hero: Seat(rawValue: 0)), at: 500_000_000, id: id)
        try sample.sendAlert(for: .heroDown(hero: Seat(rawValue: 0)), at: 504_000_000, id: id)
        sample.history.faultTimes = [501_000_000]
        func flush(at moment: Int64, through position: Int64) {
            sample.history.flushes[sample.reference] = [
                RunHistory.Flush(committedAt: moment, acknowledgedPosition: position)
            ]
        }
        flush(at: 505_000_000, through: position)
        #expect(sample.history.checkAlerts().violations.isEmpty)
        flush(at: 502_000_000, through: position - 1)
        #expect(sample.history.checkAlerts().violations.isEmpty)
        flush(at: 502_000_000, through: position)
        #expect(sample.invariants(of: sample.history.checkAlerts().violations) == [4])
        // A new token makes the alert pending again.
        sample.history.activities[sample.reference]?.registrationTimes = [503_000_000]
        #expect(sample.history.checkAlerts().violations.isEmpty)

        sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000)
        sample.history.closedTokens = ["00": 1_500]
        #expect(sample.history.checkPushes().violations.isEmpty)
        sample.history.closedTokens = ["00": 500]
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
    }

    @Test(arguments: [(Int64(1_000_999), Duration.milliseconds(1)), (1_001_000, .zero)])
    func `a repeated timestamp of another node is found`(moment: Int64, clockError: Duration) throws {
        var sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000, from: "another", clockError: clockError)
        try sample.push(timestamp: 300, at: moment)
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
    }

    @Test func `a clock that is behind excuses a repeated timestamp that was not flushed`() throws {
        var sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000, from: "another", clockError: .milliseconds(1))
        try sample.push(timestamp: 300, at: 1_001_000)
        #expect(sample.history.checkPushes().violations.isEmpty)
        func flush(at moment: Int64) {
            sample.history.flushes[sample.reference] = [
                RunHistory.Flush(committedAt: moment, acknowledgedPosition: 0, lastTimestamp: 300)
            ]
        }
        flush(at: 1_001_001)
        #expect(sample.history.checkPushes().violations.isEmpty)
        flush(at: 900_000)
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
    }

    @Test func `repeated timestamps, pushes after the end and pushes to dead tokens are found`() throws {
        var sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000)
        try sample.push(timestamp: 300, at: 2_000_000)
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])

        sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000, ending: true)
        try sample.push(timestamp: 301, at: 4_000_000, ending: true)
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
        sample.history.pushes.removeLast()
        try sample.push(timestamp: 302, at: 4_000_000)
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
        sample.history.faultTimes = [2_500_000]
        #expect(sample.history.checkPushes().violations.isEmpty)
        sample.history.faultTimes = []
        sample.history.faultSpans = [5_000_000...6_000_000]
        #expect(!sample.history.checkPushes().violations.isEmpty)
        sample.history.faultSpans = [2_500_000...6_000_000]
        #expect(sample.history.checkPushes().violations.isEmpty)

        sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000, outcome: .deadToken)
        try sample.push(timestamp: 301, at: 2_000_000, outcome: .deadToken)
        #expect(sample.history.checkPushes().violations.isEmpty)
        try sample.push(timestamp: 302, at: 4_000_000, outcome: .deadToken)
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
        // The token was registered again after the second rejection.
        sample.history.activities[sample.reference]?.registrationTimes = [0, 3_000_000]
        #expect(sample.history.checkPushes().violations.isEmpty)
        try sample.push(timestamp: 303, at: 6_000_000, outcome: .deadToken)
        try sample.push(timestamp: 304, at: 8_000_000, outcome: .deadToken)
        #expect(sample.history.checkPushes().findings.count == 1)
    }

    @Test func `a command that got a response without being applied, or was applied twice, is found`() throws {
        var sample = try Sample()
        sample.history.responses = [ResponseRecord(adventureID: sample.id, key: "run/1", body: "done")]
        #expect(sample.invariants(of: sample.history.checkResponses().violations) == [6])

        sample.adventure?.storedResponses = ["run/1": "done"]
        #expect(!sample.history.checkResponses().violations.isEmpty)
        sample.adventure?.inputs = [(2, .command(.attack, by: Sample.player))]
        #expect(sample.history.checkResponses().violations.isEmpty)

        sample.adventure?.inputs.append((3, .command(.attack, by: Sample.player)))
        #expect(sample.invariants(of: sample.history.checkResponses().violations) == [6])

        sample.adventure?.inputs.removeLast()
        sample.adventure?.storedResponses = ["run/1": "something else"]
        #expect(sample.invariants(of: sample.history.checkResponses().violations) == [6])
    }

    @Test func `a hero who acts out of turn and a violated constraint are found`() throws {
        var sample = try Sample()
        sample.add(.turnStarted(turn: 1, hero: Seat(rawValue: 0)))
        sample.add(.actionTaken(hero: Seat(rawValue: 0), action: .attack, damage: 1))
        #expect(sample.history.checkRules().violations.isEmpty)
        sample.add(.actionTaken(hero: Seat(rawValue: 0), action: .attack, damage: 1))
        #expect(sample.invariants(of: sample.history.checkRules().violations) == [7])

        sample = try Sample()
        sample.history.constraintViolations = ["a party is too large"]
        #expect(sample.invariants(of: sample.history.checkRules().violations) == [7])
    }

    @Test func `a command of a player outside the party is found`() throws {
        var sample = try Sample()
        sample.history.unauthorizedSuccesses = ["an outsider became leader"]
        #expect(sample.invariants(of: sample.history.violations()) == [8])
    }
}

/// The history of a journey that has just begun, with one activity that shows it.
private struct Sample {
    let id = AdventureID(rawValue: UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    static let player = PlayerID(rawValue: UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
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
        var newest = opening
        var events = try newest.advance(.start)
        while events.count < 4 { events += try newest.advance(.tick) }
        let logged = events.enumerated().map { offset, event in
            RunHistory.LoggedEvent(
                sequence: offset + 1,
                position: Int64(offset + 1),
                committedAt: Int64(offset),
                event: event
            )
        }
        let headline = events.last { $0.isHeadline } ?? .adventureStarted(kind: .journey)
        let state = AdventureAttributes.ContentState(of: newest, lastEvent: headline, turnEnds: nil)
        contentState = EncodedContentState(state).bytes(currentHealthLevel: newest.heroes[0].shownHealthLevel)
        history.logs[0] = RunHistory.ShardLog(
            head: Int64(events.count),
            entries: logged.map {
                RunHistory.CommittedEntry(
                    position: $0.position,
                    adventureID: id,
                    sequence: $0.sequence,
                    committedAt: $0.committedAt
                )
            }
        )
        history.adventures[id] = RunHistory.AdventureHistory(
            opening: opening,
            inputs: [],
            events: logged,
            newest: newest
        )
        var record = ActivityRecord(playerID: Self.player)
        record.tokenChanges = [(from: 0, until: 0)]
        // Registered after all these events, so that none of them requires an alert.
        history.activities[reference] = RunHistory.ActivityHistory(
            registeredPosition: Int64(events.count),
            shown: ShownActivity(),
            record: record
        )
        show(timestamp: 100, contentState: contentState)
    }

    func invariants(of violations: [InvariantViolation]) -> Set<Int> { Set(violations.map(\.invariant)) }

    /// Logs an event without applying it to the adventure.
    mutating func add(_ event: AdventureEvent) {
        guard let count = adventure?.events.count else { return }
        adventure?.events.append(
            RunHistory.LoggedEvent(
                sequence: count + 1,
                position: Int64(count + 1),
                committedAt: Int64(count) * 10_000_000,
                event: event
            )
        )
    }

    mutating func show(timestamp: Int64, ending isEnd: Bool = false, contentState: [UInt8]) {
        let payload = LiveActivityPayload(
            timestamp: timestamp,
            event: isEnd
                ? .end(dismissalDate: timestamp) : .update(staleDate: timestamp, relevanceScore: 0, alert: nil),
            contentState: contentState
        )
        guard let bytes = try? payload.encoded() else { return }
        history.activities[reference]?.shown.show(
            PushRecord(activity: reference, token: "00", node: "node", id: UUID(), payload: bytes, writtenAt: 0)
        )
    }

    mutating func push(
        timestamp: Int64,
        at moment: Int64,
        ending isEnd: Bool = false,
        alert: LiveActivityPayload.Alert? = nil,
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
