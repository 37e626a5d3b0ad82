import Encodings
import Foundation
import GameCore
import GameLog
import LiveActivityContent
import PushCadence
import PushRules
import Testing

@testable import GameStore
@testable import Simulation

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
        let entries = sample.history.logs[0]?.entries ?? []
        sample.history.logs[0]?.entries = entries.map { Sample.entry($0.position + 7, at: $0.at) }
        sample.history.logs[0]?.clockMoves = []
        sample.history.logs[0]?.entries.insert(Sample.entry(3, at: Sample.start), at: 0)
        sample.history.logs[0]?.head += 7
        #expect(!sample.history.checkLogs().findings.isEmpty)
        sample.history.logs[0]?.isPruned = true
        #expect(sample.history.checkLogs().findings.isEmpty)
        sample.history.logs[0]?.entries.swapAt(0, 1)
        #expect(!sample.history.checkLogs().findings.isEmpty)
    }

    @Test func `clocks that go back, and entries that do not follow the clock, are found`() throws {
        var sample = try Sample()
        sample.history.logs[0]?.clockMoves.append(Sample.move(seconds: 8, head: 2))
        #expect(sample.history.checkLogs().findings.count == 1)

        // An input at the moment of the clock before it, one after the clock with which it was committed, and one that
        // is earlier than the entry before it.
        for (seconds, count) in [(10, 1), (21, 1), (5, 2)] {
            sample = try Sample()
            sample.append(Sample.entry(3, at: Sample.start + .seconds(seconds)), clock: 20)
            #expect(sample.history.checkLogs().findings.count == count)
        }
        sample = try Sample()
        sample.append(Sample.entry(3, at: Sample.start + .seconds(20)), clock: 20)
        #expect(sample.history.checkLogs().findings.isEmpty)
    }

    @Test func `an outage begins at the clock`() throws {
        for (seconds, count) in [(10, 0), (11, 1)] {
            var sample = try Sample()
            let moment = Sample.start + .seconds(seconds)
            sample.append(Sample.entry(3, of: nil, at: moment, .outage(.seconds(3))), clock: 20)
            #expect(sample.history.checkLogs().findings.count == count)
        }
    }

    @Test func `ticks of more than two seconds at once are found`() throws {
        var sample = try Sample()
        sample.history.logs[0]?.clockMoves.removeFirst()
        #expect(sample.history.checkLogs().findings.allSatisfy { $0.contains("at once") })
        #expect(!sample.history.checkLogs().findings.isEmpty)
    }

    @Test func `each check counts the items that it checked`() throws {
        let checks = try Sample().history.checks()
        #expect(checks.map(\.invariant) == Array(1...8))
        #expect(checks.map(\.checkedCount) == [2, 3, 1, 0, 0, 0, 1, 1])
    }

    @Test func `commands and activities of players without a hero are found`() throws {
        var sample = try Sample()
        let stranger = PlayerID(rawValue: UUID())
        sample.adventure?.inputs = [Sample.input(.command(.attack, by: stranger))]
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
        sample.add(.partyWiped)
        #expect(sample.invariants(of: sample.history.checkReplays().violations) == [2])

        sample = try Sample()
        sample.adventure?.events.remove(at: 1)
        #expect(sample.invariants(of: sample.history.checkReplays().violations) == [2])

        sample = try Sample()
        _ = try sample.adventure?.newest.advance(.tick)
        #expect(sample.invariants(of: sample.history.checkReplays().violations) == [2])

        // Inputs that the service did not apply, and one that it refuses.
        for input in [AdventureInput.end, .command(.attack, by: PlayerID(rawValue: UUID()))] {
            sample = try Sample()
            sample.adventure?.inputs = [Sample.input(input)]
            #expect(sample.invariants(of: sample.history.checkReplays().violations) == [2])
        }

        sample = try Sample()
        sample.history.unplayable = ["its digest differs"]
        #expect(sample.invariants(of: sample.history.checkReplays().violations) == [2])
    }

    @Test func `what a client was shown and what was taken back is found`() throws {
        var sample = try Sample()
        let event = try #require(sample.adventure?.events.last)
        let early = StoredEvent(
            sequence: event.sequence,
            tick: event.tick,
            at: event.at - .microseconds(1),
            event: event.event
        )
        sample.adventure?.shown.add(events: [ShownAdventure.text(of: early)])
        #expect(sample.history.checkReplays().findings.count == 1)
        sample.adventure?.shown.add(events: [], state: "another state")
        #expect(sample.history.checkReplays().findings.count == 2)
    }

    @Test func `an activity that shows an old state or ended too early is found`() throws {
        var sample = try Sample()
        sample.show(timestamp: 200, contentState: Array("{}".utf8))
        #expect(sample.invariants(of: sample.history.checkShownStates().violations) == [3])

        sample = try Sample()
        sample.show(timestamp: 200, ending: true, contentState: sample.contentState)
        #expect(sample.invariants(of: sample.history.checkShownStates().violations) == [3])

        // The premature end made the app release the activity, which does not excuse the violation.
        sample.history.activities[sample.reference]?.entries.releasedAt = Sample.start
        #expect(sample.invariants(of: sample.history.checkShownStates().violations) == [3])

        sample.history.activities[sample.reference]?.record.isAbandoned = true
        #expect(sample.history.checkShownStates().violations.isEmpty)
    }

    @Test func `an activity may have ended before the database lost the end of its adventure`() throws {
        var sample = try Sample()
        sample.show(timestamp: 200, ending: true, contentState: sample.contentState)
        try sample.push(timestamp: 200, at: 1_000, ending: true)
        sample.history.failoverTimes = [500]
        #expect(sample.history.checkShownStates().findings.count == 1)
        sample.history.failoverTimes = [500, 2_000]
        #expect(sample.history.checkShownStates().findings.isEmpty)
        sample.history.lossSpans = [1_500...2_500]
        #expect(sample.history.checkShownStates().findings.count == 1)
        sample.history.lossSpans = [500...2_500]
        #expect(sample.history.checkShownStates().findings.isEmpty)
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

    @Test
    func `an alert is required only if it rings all the time, and forbidden if its sender knows that it is muted`()
        throws
    {
        let down = AdventureEvent.heroDown(hero: Seat(rawValue: 0))
        let isMuted = AlertPreferences(muted: [.danger])
        let isQuiet = AlertPreferences(quietHours: .init(from: 0, to: 1_439, timeZone: "UTC"))
        var sample = try Sample()
        sample.add(down)
        for preferences in [isMuted, isQuiet] {
            sample.history.alertPreferences[sample.reference] = [(0, preferences)]
            #expect(sample.history.checkAlerts().violations.isEmpty)
            sample.history.alertPreferences[sample.reference] = [(0, preferences), (1, AlertPreferences())]
            #expect(sample.invariants(of: sample.history.checkAlerts().violations) == [4])
            sample.history.alertPreferences[sample.reference] = [(0, AlertPreferences()), (500_000_000, preferences)]
            #expect(sample.history.checkAlerts().violations.isEmpty)
        }
        try sample.sendAlert(for: down, at: 510_000_000)
        #expect(sample.history.checkAlerts().violations.isEmpty)
        sample.history.alertPreferences[sample.reference] = [(0, isQuiet)]
        #expect(sample.invariants(of: sample.history.checkAlerts().violations) == [4])
        sample.history.faultTimes = [509_000_000]
        #expect(sample.history.checkAlerts().violations.isEmpty)
    }

    @Test func `an alert about one of two equal heroes that names no player, or a wrong one, is found`() throws {
        var sample = try Sample()
        let other = PlayerID(rawValue: UUID())
        let heroes = [Sample.player, other].map { player in
            Hero(playerID: player, id: HeroCatalogue.all[0].id, experience: 0, potions: 1)
        }
        var journey = Adventure.journey(in: RegionCatalogue.all[0].id, heroes: heroes, seed: 1)
        _ = try journey.advance(.start)
        sample.adventure?.newest = journey
        sample.adventure?.playerNames = [Sample.player: "Ada", other: "Ben"]
        func send(naming name: String?, in sample: inout Sample, _ state: Adventure) throws {
            let rule = PushRules.rule(
                for: .heroDown(hero: Seat(rawValue: 1)),
                after: state,
                receiver: Seat(rawValue: 0),
                playerNames: name.map { [other: $0] } ?? [:]
            )
            try sample.push(timestamp: 510, at: 510_000_000, alert: try #require(rule.alert).content)
        }
        for (name, isRight) in [("Ben", true), ("Ada", false), (nil, false)] as [(String?, Bool)] {
            var sample = sample
            try send(naming: name, in: &sample, journey)
            #expect(sample.history.checkAlerts().violations.isEmpty == isRight)
        }
        try send(naming: "Ben", in: &sample, journey)
        sample.add(.memberLeft(hero: Seat(rawValue: 1)))
        _ = try journey.advance(.leave(other))
        sample.adventure?.newest = journey
        #expect(sample.invariants(of: sample.history.checkAlerts().violations) == [4])
        sample.history.faultTimes = [509_000_000]
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
        // A fault that ends a lease of a second afterwards.
        sample.history.faultTimes = [49_200_000]
        #expect(sample.history.checkAlerts().violations.isEmpty)
        sample.history.faultTimes = [48_800_000]
        #expect(sample.invariants(of: sample.history.checkAlerts().violations) == [4])
    }

    @Test func `no fault excuses pushes that contradict a flush`() throws {
        var sample = try Sample()
        sample.add(.heroDown(hero: Seat(rawValue: 0)))
        let moment = try #require(sample.adventure?.events.last?.at)
        let id = UUID()
        try sample.sendAlert(for: .heroDown(hero: Seat(rawValue: 0)), at: 500_000_000, id: id)
        try sample.sendAlert(for: .heroDown(hero: Seat(rawValue: 0)), at: 504_000_000, id: id)
        sample.history.faultTimes = [501_000_000]
        func flush(at committedAt: Int64, through moment: Timestamp) {
            sample.flush(at: committedAt, through: moment)
        }
        flush(at: 505_000_000, through: moment)
        #expect(sample.history.checkAlerts().violations.isEmpty)
        flush(at: 502_000_000, through: moment - .microseconds(1))
        #expect(sample.history.checkAlerts().violations.isEmpty)
        flush(at: 502_000_000, through: moment)
        #expect(sample.invariants(of: sample.history.checkAlerts().violations) == [4])
        // A new token makes the alert pending again.
        sample.history.activities[sample.reference]?.entries.registrationTimes = [503_000_000]
        #expect(sample.history.checkAlerts().violations.isEmpty)

        sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000)
        sample.history.closedTokens = ["00": 1_500]
        #expect(sample.history.checkPushes().violations.isEmpty)
        sample.history.closedTokens = ["00": 500]
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
    }

    @Test(arguments: [Int64(200_999), 201_000])
    func `a repeated timestamp of another node is found`(moment: Int64) throws {
        var sample = try Sample()
        sample.history.serverClockSteps = [RunHistory.ClockStep(at: 201_000, microseconds: moment == 201_000 ? 1 : -1)]
        try sample.push(timestamp: 300, at: 1_000, from: "another")
        try sample.push(timestamp: 300, at: moment)
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
    }

    @Test func `a database's clock that was set back excuses a repeated timestamp that was not flushed`() throws {
        var sample = try Sample()
        sample.history.serverClockSteps = [RunHistory.ClockStep(at: 100_000, microseconds: -1)]
        try sample.push(timestamp: 300, at: 1_000, from: "another")
        try sample.push(timestamp: 300, at: 201_000)
        #expect(sample.history.checkPushes().violations.isEmpty)
        func flush(at moment: Int64) {
            sample.flush(at: moment, through: Sample.start, lastTimestamp: 300)
        }
        flush(at: 201_001)
        #expect(sample.history.checkPushes().violations.isEmpty)
        flush(at: 200_000)
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
    }

    @Test func `repeated timestamps, pushes after the end and pushes to dead tokens are found`() throws {
        var sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000)
        try sample.push(timestamp: 300, at: 2_000_000)
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])

        sample = try Sample()
        let end = UUID()
        try sample.push(timestamp: 300, at: 1_000, ending: true, id: end)
        try sample.push(timestamp: 301, at: 4_000_000, ending: true, id: end)
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
        sample.history.faultTimes = [2_500_000]
        #expect(sample.history.checkPushes().violations.isEmpty)
        #expect(sample.history.checkPushes().excused == [.repeatedEnd: 1])
        // Another identifier is not excused.
        sample.history.pushes.removeLast()
        try sample.push(timestamp: 301, at: 4_000_000, ending: true)
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
        sample.history.faultTimes = []
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
        sample.history.activities[sample.reference]?.entries.registrationTimes = [0, 3_000_000]
        #expect(sample.history.checkPushes().violations.isEmpty)
        try sample.push(timestamp: 303, at: 6_000_000, outcome: .deadToken)
        try sample.push(timestamp: 304, at: 8_000_000, outcome: .deadToken)
        #expect(sample.history.checkPushes().findings.count == 1)
    }

    @Test func `starts beyond a party's share, or repeated, and updates before a start are found`() throws {
        var sample = try Sample()
        sample.history.policy = CadencePolicy()
        func start(_ adventure: UUID, on device: UUID) -> SimulatedAPNs.StartRecord {
            SimulatedAPNs.StartRecord(
                deviceID: DeviceID(rawValue: device),
                adventureID: AdventureID(rawValue: adventure),
                writtenAt: 0
            )
        }
        let (phone, tablet, adventure) = (UUID(), UUID(), UUID())
        sample.history.starts = [start(adventure, on: phone), start(adventure, on: tablet)]
        sample.history.starts += (0..<2).map { _ in start(UUID(), on: phone) }
        #expect(sample.history.checkPushes().findings.isEmpty)
        sample.history.starts.append(start(UUID(), on: phone))
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
        sample.history.starts = [start(adventure, on: phone), start(adventure, on: phone)]
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
        sample.history.failoverTimes = [0]
        #expect(sample.history.checkPushes().findings.isEmpty)

        sample = try Sample()
        sample.history.activities[sample.reference]?.record = ActivityRecord(
            playerID: Sample.player,
            startsAt: Timestamp(epochSeconds: 301)
        )
        try sample.push(timestamp: 301, at: 1_000_000)
        #expect(sample.history.checkPushes().findings.isEmpty)
        sample.history.pushes = []
        try sample.push(timestamp: 300, at: 1_000_000)
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
    }

    @Test func `pushes beyond the budget of a phone are found, whichever nodes send them`() throws {
        var sample = try Sample()
        sample.history.policy = CadencePolicy()
        // Six at once, and one more after 400 seconds.
        for second in [Int64(0), 1, 2, 3, 4, 5, 400] {
            try sample.push(timestamp: 300 + second, at: second * 1_000_000, isHigh: true)
        }
        try sample.push(timestamp: 701, at: 401_000_000)
        #expect(sample.history.checkPushes().findings.isEmpty)
        try sample.push(timestamp: 702, at: 402_000_000, isHigh: true, from: "another")
        #expect(sample.invariants(of: sample.history.checkPushes().violations) == [5])
        // The database lost how much was spent, or the phone never got the push.
        sample.history.failoverTimes = [3_000_000]
        #expect(sample.history.checkPushes().findings.isEmpty)
        #expect(sample.history.checkPushes().excused == [.spentBudget: 1])
        sample.history.failoverTimes = []
        sample.history.pushes[8].outcome = .rejected
        #expect(sample.history.checkPushes().findings.isEmpty)
    }

    @Test func `a command that got a response without being applied, or was applied twice, is found`() throws {
        var sample = try Sample()
        sample.history.responses = [ResponseRecord(adventureID: sample.id, key: "run/1", body: "done")]
        #expect(sample.invariants(of: sample.history.checkResponses().violations) == [6])

        sample.adventure?.storedResponses = ["run/1": "done"]
        #expect(!sample.history.checkResponses().violations.isEmpty)
        sample.adventure?.inputs = [Sample.input(.command(.attack, by: Sample.player))]
        #expect(sample.history.checkResponses().violations.isEmpty)

        sample.adventure?.inputs.append(Sample.input(.command(.attack, by: Sample.player)))
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

    @Test func `awards that are missing, repeated or not in the sums are found`() throws {
        var sample = try Sample()
        let award = try sample.endWithAward()
        #expect(sample.history.violations().isEmpty)
        sample.history.progress?.histories[Sample.player] = []
        #expect(sample.history.checkResponses().findings.count == 4)

        sample = try Sample()
        _ = try sample.endWithAward()
        sample.history.progress?.histories[Sample.player] = [award, award]
        #expect(sample.invariants(of: sample.history.checkResponses().violations) == [6])

        sample = try Sample()
        _ = try sample.endWithAward()
        sample.history.progress?.players[Sample.player]?.experience += 1
        sample.history.progress?.scores = [:]
        sample.history.progress?.buckets = [:]
        #expect(sample.history.checkResponses().findings.count == 3)
    }
}
