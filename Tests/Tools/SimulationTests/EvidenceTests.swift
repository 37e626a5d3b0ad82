import Foundation
import GameCore
import LiveActivityContent
import PushRules
import Simulation
import Testing

/// Each check with what holds, and with what does not: a check that cannot fail is none.
@Suite struct EvidenceTests {
    @Test func `a run without faults breaks nothing`() throws {
        #expect(try Sample().evidence.breaches().isEmpty)
    }

    @Test func `an event that is missing, twice or out of order is found`() throws {
        var sample = try Sample()
        sample.evidence.logs[0]?.entries.removeLast()
        #expect(sample.invariants(of: sample.evidence.examineLog().breaches) == [1])

        sample = try Sample()
        let last = try #require(sample.evidence.logs[0]?.entries.last)
        sample.evidence.logs[0]?.entries.append(last)
        #expect(!sample.evidence.examineLog().breaches.isEmpty)

        sample = try Sample()
        sample.evidence.logs[0]?.entries.swapAt(0, 1)
        #expect(!sample.evidence.examineLog().breaches.isEmpty)

        sample = try Sample()
        sample.evidence.logs[0]?.head += 1
        #expect(!sample.evidence.examineLog().breaches.isEmpty)
    }

    @Test func `a gap is no surprise where old entries are removed, and order is kept all the same`() throws {
        var sample = try Sample()
        let old = AdventureID(rawValue: UUID())
        let entries = sample.evidence.logs[0]?.entries ?? []
        sample.evidence.logs[0]?.entries = entries.map { entry in
            Evidence.Entry(
                position: entry.position + 7,
                adventureID: entry.adventureID,
                sequence: entry.sequence,
                committedAt: 0
            )
        }
        sample.evidence.logs[0]?.entries.insert(
            Evidence.Entry(position: 3, adventureID: old, sequence: 5, committedAt: 0),
            at: 0
        )
        sample.evidence.logs[0]?.head += 7
        sample.evidence.logs[0]?.losesEntries = true
        sample.evidence.forgotten = [old]
        #expect(sample.evidence.examineLog().findings.isEmpty)
        sample.evidence.forgotten = []
        #expect(sample.evidence.examineLog().findings.count == 1)
        sample.evidence.logs[0]?.entries.swapAt(0, 1)
        #expect(sample.evidence.examineLog().findings.count > 1)
    }

    @Test func `each check says how much it looked at`() throws {
        let examinations = try Sample().evidence.examinations()
        #expect(examinations.map(\.invariant) == Array(1...8))
        #expect(examinations.map(\.lookedAt) == [4, 1, 1, 0, 0, 0, 1, 1])
    }

    @Test func `a command or a card of a player without a hero is found`() throws {
        var sample = try Sample()
        let stranger = PlayerID(rawValue: UUID())
        sample.story?.inputs = [(2, .command(.attack, by: stranger))]
        #expect(sample.invariants(of: sample.evidence.examineMembership().breaches) == [8])

        sample = try Sample()
        sample.evidence.cards[sample.name]?.record = CardRecord(playerID: stranger)
        #expect(sample.invariants(of: sample.evidence.examineMembership().breaches) == [8])
    }

    @Test func `a push that was not processed may be written again as it was`() throws {
        var sample = try Sample()
        let id = UUID()
        try sample.push(timestamp: 300, at: 1_000, id: id, fate: .underWay)
        try sample.push(timestamp: 300, at: 2_000, id: id)
        #expect(sample.evidence.examinePushes().findings.isEmpty)
        try sample.push(timestamp: 300, at: 3_000, id: id)
        #expect(sample.evidence.examinePushes().findings.count == 1)
    }

    @Test func `an adventure that replays otherwise is found`() throws {
        var sample = try Sample()
        sample.story?.happenings[1] = Evidence.Happening(sequence: 2, position: 2, committedAt: 0, event: .partyWiped)
        #expect(sample.invariants(of: sample.evidence.examineReplays().breaches) == [2])
    }

    @Test func `a card that is behind is found`() throws {
        var sample = try Sample()
        sample.show(timestamp: 200, contentState: Array("{}".utf8))
        #expect(sample.invariants(of: sample.evidence.examineCards().breaches) == [3])

        sample = try Sample()
        sample.show(timestamp: 200, ending: true, contentState: sample.contentState)
        #expect(sample.invariants(of: sample.evidence.examineCards().breaches) == [3])

        // Its owner has let go of it after that end, which was too early all the same.
        sample.evidence.cards[sample.name]?.releasedAt = 100
        #expect(sample.invariants(of: sample.evidence.examineCards().breaches) == [3])

        sample.evidence.cards[sample.name]?.record.isAbandoned = true
        #expect(sample.evidence.examineCards().breaches.isEmpty)
    }

    @Test func `an alert that was not told is found, unless the rules have cancelled it`() throws {
        var sample = try Sample()
        sample.add(.heroDown(hero: Seat(rawValue: 0)))
        #expect(sample.invariants(of: sample.evidence.examineAlerts().breaches) == [4])

        sample.add(.heroRevived(hero: Seat(rawValue: 0), helper: nil))
        #expect(sample.evidence.examineAlerts().breaches.isEmpty)

        sample.add(.heroDown(hero: Seat(rawValue: 0)))
        try sample.tell(.heroDown(hero: Seat(rawValue: 0)), at: 500_000_000)
        #expect(sample.evidence.examineAlerts().breaches.isEmpty)
    }

    @Test func `an alert that comes twice is found, unless something has gone wrong`() throws {
        var sample = try Sample()
        sample.add(.heroDown(hero: Seat(rawValue: 0)))
        let id = UUID()
        try sample.tell(.heroDown(hero: Seat(rawValue: 0)), at: 50_000_000, id: id)
        try sample.tell(.heroDown(hero: Seat(rawValue: 0)), at: 52_000_000, id: id)
        #expect(sample.invariants(of: sample.evidence.examineAlerts().breaches) == [4])

        sample.evidence.disturbances = [50_500_000]
        #expect(sample.evidence.examineAlerts().breaches.isEmpty)
    }

    @Test func `what is sent against what was written down is found, whatever has gone wrong`() throws {
        var sample = try Sample()
        sample.add(.heroDown(hero: Seat(rawValue: 0)))
        let position = try #require(sample.story?.happenings.last?.position)
        let id = UUID()
        try sample.tell(.heroDown(hero: Seat(rawValue: 0)), at: 500_000_000, id: id)
        try sample.tell(.heroDown(hero: Seat(rawValue: 0)), at: 504_000_000, id: id)
        sample.evidence.disturbances = [501_000_000]
        func write(at moment: Int64, through position: Int64) {
            sample.evidence.notes[sample.name] = [Evidence.Note(committedAt: moment, settledPosition: position)]
        }
        write(at: 505_000_000, through: position)
        #expect(sample.evidence.examineAlerts().breaches.isEmpty)
        write(at: 502_000_000, through: position - 1)
        #expect(sample.evidence.examineAlerts().breaches.isEmpty)
        write(at: 502_000_000, through: position)
        #expect(sample.invariants(of: sample.evidence.examineAlerts().breaches) == [4])
        // What is owed to a token that died is settled, until there is a new one.
        sample.evidence.cards[sample.name]?.registrations = [503_000_000]
        #expect(sample.evidence.examineAlerts().breaches.isEmpty)

        sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000)
        sample.evidence.closedTokens = ["00": 1_500]
        #expect(sample.evidence.examinePushes().breaches.isEmpty)
        sample.evidence.closedTokens = ["00": 500]
        #expect(sample.invariants(of: sample.evidence.examinePushes().breaches) == [5])
    }

    @Test(arguments: [(Int64(1_000_999), Duration.milliseconds(1)), (1_001_000, .zero)])
    func `a repeated timestamp is found, also of another node`(moment: Int64, clockError: Duration) throws {
        var sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000, from: "another", clockError: clockError)
        try sample.push(timestamp: 300, at: moment)
        #expect(sample.invariants(of: sample.evidence.examinePushes().breaches) == [5])
    }

    @Test func `a repeated timestamp of a clock that is behind is excused, until it was written down`() throws {
        var sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000, from: "another", clockError: .milliseconds(1))
        try sample.push(timestamp: 300, at: 1_001_000)
        #expect(sample.evidence.examinePushes().breaches.isEmpty)
        func write(at moment: Int64) {
            sample.evidence.notes[sample.name] = [
                Evidence.Note(committedAt: moment, settledPosition: 0, lastTimestamp: 300)
            ]
        }
        write(at: 1_001_001)
        #expect(sample.evidence.examinePushes().breaches.isEmpty)
        write(at: 900_000)
        #expect(sample.invariants(of: sample.evidence.examinePushes().breaches) == [5])
    }

    @Test func `a timestamp that does not grow, a push after the end and to a dead token are found`() throws {
        var sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000)
        try sample.push(timestamp: 300, at: 2_000_000)
        #expect(sample.invariants(of: sample.evidence.examinePushes().breaches) == [5])

        sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000, ending: true)
        try sample.push(timestamp: 301, at: 2_000_000)
        #expect(sample.invariants(of: sample.evidence.examinePushes().breaches) == [5])
        sample.evidence.disturbances = [1_500_000]
        #expect(sample.evidence.examinePushes().breaches.isEmpty)
        sample.evidence.disturbances = []
        sample.evidence.disturbedSpans = [3_000_000...4_000_000]
        #expect(!sample.evidence.examinePushes().breaches.isEmpty)
        sample.evidence.disturbedSpans = [1_500_000...4_000_000]
        #expect(sample.evidence.examinePushes().breaches.isEmpty)

        sample = try Sample()
        try sample.push(timestamp: 300, at: 1_000, fate: .deadToken)
        try sample.push(timestamp: 301, at: 2_000_000, fate: .deadToken)
        #expect(sample.evidence.examinePushes().breaches.isEmpty)
        try sample.push(timestamp: 302, at: 4_000_000, fate: .deadToken)
        #expect(sample.invariants(of: sample.evidence.examinePushes().breaches) == [5])
        // Registered anew after the second of them.
        sample.evidence.cards[sample.name]?.registrations = [0, 3_000_000]
        #expect(sample.evidence.examinePushes().breaches.isEmpty)
        try sample.push(timestamp: 303, at: 6_000_000, fate: .deadToken)
        try sample.push(timestamp: 304, at: 8_000_000, fate: .deadToken)
        #expect(sample.evidence.examinePushes().findings.count == 1)
    }

    @Test func `a command that was answered and not applied, or applied twice, is found`() throws {
        var sample = try Sample()
        sample.evidence.answers = [AnswerRecord(adventureID: sample.id, key: "run/1", body: "done")]
        #expect(sample.invariants(of: sample.evidence.examineAnswers().breaches) == [6])

        sample.story?.keptAnswers = ["run/1": "done"]
        #expect(!sample.evidence.examineAnswers().breaches.isEmpty)
        sample.story?.inputs = [(2, .command(.attack, by: Sample.player))]
        #expect(sample.evidence.examineAnswers().breaches.isEmpty)

        sample.story?.inputs.append((3, .command(.attack, by: Sample.player)))
        #expect(sample.invariants(of: sample.evidence.examineAnswers().breaches) == [6])

        sample.story?.inputs.removeLast()
        sample.story?.keptAnswers = ["run/1": "something else"]
        #expect(sample.invariants(of: sample.evidence.examineAnswers().breaches) == [6])
    }

    @Test func `a hero who acts out of turn is found, and a constraint that did not hold`() throws {
        var sample = try Sample()
        sample.add(.turnStarted(turn: 1, hero: Seat(rawValue: 0)))
        sample.add(.actionTaken(hero: Seat(rawValue: 0), action: .attack, damage: 1))
        #expect(sample.evidence.examineRules().breaches.isEmpty)
        sample.add(.actionTaken(hero: Seat(rawValue: 0), action: .attack, damage: 1))
        #expect(sample.invariants(of: sample.evidence.examineRules().breaches) == [7])

        sample = try Sample()
        sample.evidence.violations = ["a party is too large"]
        #expect(sample.invariants(of: sample.evidence.examineRules().breaches) == [7])
    }

    @Test func `a trespass is found`() throws {
        var sample = try Sample()
        sample.evidence.trespasses = ["somebody leads a party of others"]
        #expect(sample.invariants(of: sample.evidence.breaches()) == [8])
    }
}

/// A journey that has just begun, with one card that shows it.
private struct Sample {
    let id = AdventureID(rawValue: UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    static let player = PlayerID(rawValue: UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    let name: ActivityName
    let contentState: [UInt8]
    var evidence = Evidence()

    var story: Evidence.Story? {
        get { evidence.stories[id] }
        set { evidence.stories[id] = newValue }
    }

    init() throws {
        name = ActivityName(
            adventureID: id,
            activityID: ActivityID(rawValue: UUID(uuid: (3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        )
        let hero = Hero(playerID: Self.player, id: HeroCatalogue.all[0].id, experience: 0, potions: 1)
        let opening = Adventure.journey(in: RegionCatalogue.all[0].id, heroes: [hero], seed: 1)
        var adventure = opening
        var events = try adventure.advance(.start)
        while events.count < 4 { events += try adventure.advance(.tick) }
        let happenings = events.enumerated().map { offset, event in
            Evidence.Happening(
                sequence: offset + 1,
                position: Int64(offset + 1),
                committedAt: Int64(offset),
                event: event
            )
        }
        let told = events.last { $0.isTold } ?? .adventureStarted(kind: .journey)
        let state = AdventureAttributes.ContentState(of: adventure, lastEvent: told, turnEnds: nil)
        contentState = EncodedContentState(state).bytes(currentHealthLevel: adventure.heroes[0].shownHealthLevel)
        evidence.logs[0] = Evidence.Log(
            head: Int64(events.count),
            entries: happenings.map {
                Evidence.Entry(
                    position: $0.position,
                    adventureID: id,
                    sequence: $0.sequence,
                    committedAt: $0.committedAt
                )
            }
        )
        evidence.stories[id] = Evidence.Story(
            opening: opening,
            inputs: [],
            happenings: happenings,
            newest: adventure
        )
        var record = CardRecord(playerID: Self.player)
        record.tokenChanges = [(from: 0, until: 0)]
        // After all of these events, so that no alert of theirs is owed.
        evidence.cards[name] = Evidence.Following(
            registeredAt: Int64(events.count),
            card: Card(),
            record: record
        )
        show(timestamp: 100, contentState: contentState)
    }

    func invariants(of breaches: [Breach]) -> Set<Int> { Set(breaches.map(\.invariant)) }

    /// Something happens, whether or not it fits the adventure.
    mutating func add(_ event: Event) {
        guard let count = story?.happenings.count else { return }
        story?.happenings.append(
            Evidence.Happening(
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
        evidence.cards[name]?.card.show(
            PushRecord(activity: name, token: "00", node: "node", id: UUID(), payload: bytes, writtenAt: 0)
        )
    }

    mutating func push(
        timestamp: Int64,
        at moment: Int64,
        ending isEnd: Bool = false,
        alert: LiveActivityPayload.Alert? = nil,
        id: UUID = UUID(),
        fate: PushRecord.Fate = .accepted,
        from node: String = "node",
        clockError: Duration = .zero
    ) throws {
        let payload = LiveActivityPayload(
            timestamp: timestamp,
            event: isEnd
                ? .end(dismissalDate: timestamp) : .update(staleDate: timestamp, relevanceScore: 0, alert: alert),
            contentState: contentState
        )
        evidence.pushes.append(
            PushRecord(
                activity: name,
                token: "00",
                node: node,
                clockError: clockError,
                id: id,
                payload: try payload.encoded(),
                writtenAt: moment,
                fate: fate
            )
        )
    }

    /// The card gets the alert of an event.
    mutating func tell(_ event: Event, at moment: Int64, id: UUID = UUID()) throws {
        let adventure = try #require(story?.newest)
        let rule = PushRules.rule(for: event, after: adventure, receiver: Seat(rawValue: 0))
        try push(timestamp: moment, at: moment, alert: try #require(rule.alert).content, id: id)
    }
}
