import Encodings
import GameCore
import TestSupport
import Testing

@testable import PushCadence
@testable import PushDispatch
@testable import PushRules

@Suite(.computing) struct DecisionLogTests {
    private let down = AdventureEvent.heroDown(hero: Seat(rawValue: 1))
    private let turn = AdventureEvent.turnStarted(turn: 2, hero: nil)
    private let hurt = AdventureEvent.heroHurt(hero: Seat(rawValue: 1), amount: 3, cause: .bossAttack)

    @Test func `each decision of a fight is one line`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.completes(.accepted)
        activity.pass(.seconds(1))
        activity.happens(turn)
        activity.pass(.milliseconds(500))
        activity.happens(hurt, hurt)
        activity.pass(.milliseconds(1_500))
        activity.decide()
        try activity.completes(.accepted)
        activity.pass(.seconds(2))
        activity.happens(hurt, down, turn)
        try activity.completes(.accepted)
        #expect(
            activity.lines == [
                "0 The app registered the activity. Sent at priority 5, accepted - the token is new: current state",
                "1 Turn started. 3 events delayed until 3 - turns are coalesced",
                """
                3 A wait was over. Sent at priority 10 for 3 events, accepted - a turn, at priority 10 since the \
                phone takes frequent pushes
                """,
                """
                5 Hero down. Alert "hero down, seat 1" sent at priority 10 for 3 events, accepted - alerts are \
                never demoted
                """,
            ]
        )
        let changes = activity.log.records.map { ($0.changeAt - LoggedActivity.start).wholeMicroseconds / 1_000 }
        #expect(changes == [0, 1_500, 1_500, 5_000])
    }

    @Test func `a requested push is sent at once, and says that an operator requested it`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.completes(.accepted)
        activity.pass(.seconds(1))
        activity.happens(turn)
        activity.pass(.milliseconds(500))
        activity.operatorRequests()
        try activity.completes(.accepted)
        activity.pass(.seconds(1))
        activity.operatorRequests(forEnd: true)
        try activity.completes(.accepted)
        activity.pass(.seconds(1))
        activity.operatorRequests()
        #expect(
            activity.lines == [
                "0 The app registered the activity. Sent at priority 5, accepted - the token is new: current state",
                "1 Turn started. Delayed until 3 - turns are coalesced",
                "1.500 An operator requested a push. Sent at priority 10, accepted - an operator requested it: current state",
                """
                2.500 An operator requested the end. End sent at priority 10, accepted - an operator requested the end: current \
                state
                """,
                "3.500 An operator requested a push. Nothing to send - the activity has ended",
            ]
        )
        // The decoded log equals the encoded one.
        #expect(DecisionLog(encoded: activity.log.encoded).records == activity.log.records)
    }

    @Test func `a requested push waits for the push in flight, and is ignored for a dead token`() throws {
        var activity = LoggedActivity()
        activity.registers()
        activity.operatorRequests()
        activity.pass(.seconds(1))
        try activity.completes(.accepted)
        try activity.completes(.tokenDead, because: .apns(reason: "Unregistered"))
        activity.operatorRequests()
        #expect(activity.sends == [.newToken, .requested])
        #expect(activity.lines.last == "1 An operator requested a push. Nothing to send - the token is dead")
    }

    @Test func `a requested push that has to wait still names the operator as its trigger`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.completes(.accepted)
        activity.pass(.seconds(1))
        activity.operatorRequests()
        try activity.completes(.accepted)
        activity.pass(.milliseconds(500))
        activity.operatorRequests()
        activity.pass(.milliseconds(500))
        activity.decide()
        try activity.completes(.accepted)
        activity.pass(.milliseconds(500))
        activity.operatorRequests(forEnd: true)
        activity.pass(.milliseconds(500))
        activity.decide()
        #expect(
            activity.lines.suffix(4) == [
                "1.500 An operator requested a push. Delayed until 2 - at most one push a second",
                "2 An operator requested a push. Sent at priority 10, accepted - an operator requested it: current state",
                "2.500 An operator requested the end. Delayed until 3 - at most one push a second",
                "3 An operator requested the end. End sent at priority 10 - an operator requested the end: current state",
            ]
        )
    }

    @Test func `a requested push is sent after an alert that goes first`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.completes(.accepted)
        activity.operatorRequests()
        activity.happens(.heroDown(hero: Seat(rawValue: 1)))
        for completion in [PushDisposition.unanswered(retryAfter: .seconds(1)), .accepted, .accepted] {
            activity.pass(.seconds(1))
            activity.decide()
            try activity.completes(completion)
        }
        activity.pass(.seconds(60))
        activity.decide()
        let alert = SendReason.alert(.companionDown(Seat(rawValue: 1)))
        #expect(activity.sends == [.newToken, alert, alert, .requested])
    }

    @Test func `events during a push in flight are merged into the next push`() throws {
        var activity = LoggedActivity()
        activity.registers()
        activity.happens(turn)
        activity.happens(hurt, hurt)
        try activity.completes(.accepted)
        #expect(
            activity.lines == [
                "0 The app registered the activity. Sent at priority 5 - the token is new: current state",
                "0 Turn started. 3 events merged into the next push - a push is in flight",
                "0 The push in flight completed. Last push accepted",
                "0 The push in flight completed. Delayed until 3 - turns are coalesced",
            ]
        )
        #expect(activity.log.records.map(\.name) == ["sent", "merged", "accepted", "delayed"])
    }

    @Test func `the trigger of an expiry is time, whatever happened in between`() {
        var log = DecisionLog()
        let moment = LoggedActivity.start
        log.observed(event: turn.kind, urgency: .high, at: moment)
        let event = DecisionRecord.Trigger.event(kind: turn.kind)
        log.dropped(
            Drop(subject: .state, changeAt: Timestamp(microseconds: 5), moment: moment, reason: .expired),
            because: event
        )
        log.dropped(Drop(subject: .state, changeAt: Timestamp(microseconds: 6), moment: moment, reason: .expired))
        log.dropped(
            Drop(subject: .state, changeAt: Timestamp(microseconds: 6), moment: moment, reason: .cancelledByEvent),
            because: event
        )
        #expect(log.records.map(\.trigger) == [.time, .time, event])
    }

    @Test func `consecutive tries are one entry, whose end moves`() throws {
        var activity = LoggedActivity()
        activity.registers()
        for _ in 0..<5 {
            try activity.completes(.retryLater(after: .seconds(4)), because: .apns(reason: "TooManyRequests"))
            activity.pass(.seconds(4))
            activity.decide()
        }
        try activity.completes(.retryLater(after: .seconds(8)))
        #expect(
            activity.lines == [
                """
                0 The app registered the activity. Sent at priority 5, tried 6 times, failed (no response from APNs), waiting \
                until 28 - the token is new: current state
                """
            ]
        )
        #expect(activity.log.records.last?.waitText == "Waiting before the next try: no response from APNs")
    }

    @Test func `a push that was not sent differs from one without a response`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.completes(.retryLater(after: .seconds(4)), because: .neverSent)
        let wait = "Waiting before the next try: not sent, since APNs could not be reached"
        #expect(activity.log.records.last?.waitText == wait)
        #expect(DecisionLog(encoded: activity.log.encoded).records == activity.log.records)
    }

    @Test func `a turn without budget is demoted`() throws {
        var policy = CadencePolicy()
        policy.frequent.highCapacity = 9
        var activity = LoggedActivity(policy: policy)
        activity.registers()
        try activity.completes(.accepted)
        activity.pass(.seconds(1))
        activity.operatorRequests()
        try activity.completes(.accepted)
        activity.pass(.seconds(3))
        activity.happens(turn)
        #expect(
            activity.lines.last == """
                4 Turn started. Demoted to priority 5 and sent - a turn, at priority 5 since the rest of the \
                budget is reserved for alerts
                """
        )
        #expect(activity.log.records.last?.name == "demoted")
    }

    @Test func `cancelled, expired and rejected alerts have their reasons`() throws {
        var activity = LoggedActivity()
        activity.registers()
        activity.happens(down)
        activity.happens(turn, .heroRevived(hero: Seat(rawValue: 1), helper: nil), turn)
        activity.happens(.bossAppeared(boss: "anyone"))
        activity.pass(.seconds(601))
        activity.decide()
        try activity.completes(.accepted)
        activity.pass(.seconds(1))
        try activity.completes(.accepted)
        activity.pass(.seconds(10))
        activity.happens(down)
        try activity.completes(.rejected, because: .apns(reason: "PayloadTooLarge"))
        let lines = activity.lines
        #expect(
            lines.contains(
                "0 Hero revived. Cancelled the alert \"hero down, seat 1\" - a later event made it obsolete"
            )
        )
        #expect(
            lines.contains(
                "601 A wait was over. Let the alert \"boss appeared\" expire - it waited too long to be worth a sound"
            )
        )
        #expect(
            lines.contains {
                $0.contains("Alert \"") && $0.contains(", rejected for good (APNs responded PayloadTooLarge)")
            }
        )
        #expect(lines.filter { $0.contains("rejected") }.count == 1)
    }

    @Test func `a dead token is recorded, and its successor is awaited`() throws {
        var activity = LoggedActivity()
        activity.registers()
        activity.happens(down)
        try activity.completes(.tokenDead, because: .apns(reason: "Unregistered"))
        activity.happens(turn)
        #expect(
            activity.lines.suffix(2) == [
                "0 The push in flight completed. Last push rejected, since the token is dead (APNs responded Unregistered)",
                "0 Turn started. Nothing to send - the token is dead",
            ]
        )
        #expect(activity.log.records.last?.waitText == "Waiting for a new token from the app: the old one is dead")
        activity.registers(.tokenReplaced)
        #expect(activity.lines.last?.hasPrefix("0 The app registered a new token. Delayed until 1 - ") == true)
    }

    @Test func `the log shows whether APNs accepted a push to the current token`() throws {
        var activity = LoggedActivity()
        #expect(!activity.log.hasProvenToken)
        activity.registers()
        #expect(!activity.log.hasProvenToken)
        try activity.completes(.accepted)
        #expect(activity.log.hasProvenToken)
        activity.pass(.seconds(60))
        activity.happens(turn)
        activity.pass(.seconds(2))
        activity.decide()
        // The token is replaced while a push is in flight, whose result says nothing about the new one.
        activity.registers(.tokenReplaced)
        #expect(!activity.log.hasProvenToken && !activity.log.hasUsedToken)
        // The next push follows at once, to the new token.
        try activity.completes(.accepted)
        #expect(!activity.log.hasProvenToken && activity.log.hasUsedToken)
        try activity.completes(.accepted)
        #expect(activity.log.hasProvenToken && DecisionLog(encoded: activity.log.encoded).hasProvenToken)
    }

    @Test func `a decision without a trigger is not recorded`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.completes(.accepted)
        let before = activity.log.encoded
        for _ in 0..<5 {
            activity.pass(.seconds(60))
            activity.decide()
        }
        #expect(activity.log.encoded == before)
    }

    @Test func `a released activity says so`() {
        var log = DecisionLog()
        log.observed(.released, at: LoggedActivity.start)
        log.stopped(.departed, at: LoggedActivity.start)
        #expect(log.records.map(\.actionText) == ["No longer pushed to"])
        #expect(log.records.map(\.changeAt) == [LoggedActivity.start])
    }

    // MARK: - Bounds and text

    @Test(arguments: 0..<60)
    func `the newest decisions are kept, in order and within bounds`(seed: UInt64) throws {
        let activity = try busyActivity(keeping: DecisionLog.defaultCapacity, seed: seed)
        let all = try busyActivity(keeping: 1_000_000, seed: seed)
        let kept = activity.log.records
        #expect(!kept.isEmpty && kept.count <= DecisionLog.defaultCapacity)
        #expect(kept == all.log.records.suffix(kept.count))
        #expect(activity.log.encoded.count <= 320 + 20)
        #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.at <= $1.at })

        // The unbounded log has every push and every drop.
        let records = all.log.records
        let sends = records.flatMap { entry -> [SendReason] in
            if case .sent(_, let reason, let tries, _) = entry.action {
                Array(repeating: reason, count: tries)
            } else {
                []
            }
        }
        #expect(sends == all.sends)
        let drops = records.compactMap { entry -> Drop.Subject? in
            if case .dropped(let subject, let reason) = entry.action, reason != .rejected { subject } else { nil }
        }
        #expect(drops == all.drops)

        // The decoded log equals the encoded one.
        let restored = DecisionLog(encoded: activity.log.encoded)
        #expect(restored.records == kept)
    }

    @Test func `a decoded log continues where it stopped`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.completes(.accepted)
        activity.pass(.seconds(1))
        activity.happens(turn)
        var resumed = DecisionLog(encoded: activity.log.encoded)
        let moment = LoggedActivity.start + .seconds(2)
        resumed.observed(event: "heroHurt", urgency: .low, at: moment)
        resumed.decided(.wait(until: LoggedActivity.start + .seconds(4), .turnSpacing), at: moment)
        #expect(resumed.records.map(\.events) == [1, 2])
        #expect(resumed.records.last?.until == LoggedActivity.start + .seconds(4))
    }

    @Test func `most entries fit into their space, including rejections`() throws {
        for seed in 0..<20 {
            let log = try busyActivity(keeping: DecisionLog.defaultCapacity, seed: UInt64(seed)).log
            #expect(log.records.count > DecisionLog.defaultCapacity * 3 / 4)
        }
    }

    @Test func `an invalid reason of APNs is shortened to letters and digits`() throws {
        var activity = LoggedActivity()
        activity.registers()
        let odd = "Bad\nthing 7*" + String(repeating: "x", count: 10_000)
        try activity.completes(.rejected, because: .apns(reason: odd))
        #expect(activity.log.encoded.count < 80)
        let decisions = DecisionLog(encoded: activity.log.encoded).records
        #expect(decisions == activity.log.records && decisions.count == 1)
        #expect(
            decisions.first?.actionText.hasPrefix(
                "Sent at priority 5, rejected for good (APNs responded Badthing7xxx"
            )
                == true
        )
    }

    /// The header: version 3, and 1,790,000,000,000 ms.
    private static let origin: [UInt8] = [3, 0x80, 0xd8, 0xc1, 0xa2, 0x8c, 0x34]
    /// A turn started 5 ms ago, while a push was in flight.
    private static let before: [UInt8] = [4, 0, 10, 47, 0x0a]
    /// A millisecond later: a hero went down 2 ms ago, and the end is sent and accepted.
    private static let after: [UInt8] = [5, 2, 4, 43, 0x4e, 0]

    @Test func `the encoding does not change, since other releases read it`() {
        var log = DecisionLog()
        let start = Timestamp(epochSeconds: 1_790_000_000)
        log.observed(event: "turnStarted", urgency: .turn, at: start - .milliseconds(5))
        log.decided(.idle(.inFlight), at: start)
        #expect(log.encoded == Self.origin + Self.before)
        let decisions = DecisionLog(encoded: Self.origin + Self.before + Self.after).records
        #expect(
            decisions == [
                DecisionRecord(
                    at: start,
                    changeAt: start - .milliseconds(5),
                    events: 1,
                    trigger: .event(kind: "turnStarted"),
                    action: .idle(.inFlight)
                ),
                DecisionRecord(
                    at: start + .milliseconds(1),
                    changeAt: start - .milliseconds(1),
                    events: 1,
                    trigger: .event(kind: "heroDown"),
                    action: .sent(.high, .end(.adventureOver), tries: 1, result: .accepted)
                ),
            ]
        )
    }

    /// Bytes that are not a log: of another version, with an invalid base, or cut short.
    private static let noLogs: [[UInt8]] = [
        [], Array("nonsense".utf8), [2] + origin.dropFirst() + before,
        [3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1] + before,
        [3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f] + before, [3, 5], [3], [3, 0xff],
    ]

    @Test(arguments: noLogs)
    func `bytes that are not a log give an empty one`(bytes: [UInt8]) {
        #expect(DecisionLog(encoded: bytes).records.isEmpty)
        #expect(DecisionLog(encoded: bytes).encoded.isEmpty)
    }

    private static let unreadable: [[UInt8]] = [
        // Nothing after the times; an unknown event; a missing number of events.
        [2, 0, 0], [4, 0, 0, 126, 10], [4, 0, 0, 0xaf, 0x8a],
        // A name that is cut short; an unknown action, reason, priority or result.
        [6, 0, 0, 127, 9, 65, 66], [4, 0, 0, 47, 7], [4, 0, 0, 47, 0xfa], [5, 0, 0, 47, 0xc6, 6],
        [5, 0, 0, 47, 0x3e, 6], [5, 0, 0, 47, 0xfb, 0], [5, 0, 0, 47, 3, 9],
        // A missing time or cause of a retry; a time out of range; surplus bytes.
        [5, 0, 0, 47, 0x16, 6], [6, 0, 0, 47, 0x1e, 6, 255], [6, 0, 0, 47, 0x1e, 6, 0],
        [13, 0, 0, 47, 4, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], [5, 0, 0, 47, 10, 0],
        // An age out of range.
        [12, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 47, 10],
        // Too many tries.
        [10, 0, 0, 47, 6, 0x86, 0xff, 0xff, 0xff, 0xff, 0x7f],
    ]

    @Test(arguments: unreadable)
    func `an entry that cannot be decoded is left out, and the others stay`(entry: [UInt8]) {
        let bytes = Self.origin + Self.before + entry + Self.after
        #expect(
            DecisionLog(encoded: bytes).records.map(\.trigger) == [
                .event(kind: "turnStarted"), .event(kind: "heroDown"),
            ]
        )
    }

    @Test(arguments: 0..<200)
    func `damaged logs survive decoding and encoding`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var bytes = try busyActivity(keeping: DecisionLog.defaultCapacity, seed: seed).log.encoded
        for _ in 0..<Int.random(in: 1...20, using: &generator) {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
        }
        let read = DecisionLog(encoded: bytes)
        #expect(DecisionLog(encoded: read.encoded).records == read.records)
        #expect(DecisionLog(encoded: Array(bytes.prefix(bytes.count / 2))).records.count <= DecisionLog.defaultCapacity)
    }

    @Test func `an event without a code is encoded by its name`() {
        var log = DecisionLog()
        log.observed(event: "somethingOfTheNextRelease", urgency: .low, at: LoggedActivity.start)
        log.decided(.idle(.inFlight), at: LoggedActivity.start)
        #expect(
            DecisionLog(encoded: log.encoded).records.map(\.trigger) == [.event(kind: "somethingOfTheNextRelease")]
        )
    }

    /// Simulates about ten minutes of bursts and pauses with successful and failed pushes.
    private func busyActivity(keeping bound: Int, seed: UInt64) throws -> LoggedActivity {
        var generator = SeededGenerator(seed: seed)
        var activity = LoggedActivity(
            frequentPushesEnabled: Bool.random(using: &generator),
            log: DecisionLog(capacity: bound)
        )
        activity.registers()
        let events = PushRules.examples.filter { event in
            if case .adventureEnded = event { false } else if case .memberLeft = event { false } else { true }
        }
        for _ in 0..<400 {
            activity.pass(.milliseconds([0, 100, 700, 3_000].randomElement(using: &generator) ?? 0))
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5 where activity.hasPushInFlight:
                switch Int.random(in: 0..<12, using: &generator) {
                case 0: try activity.completes(.retryLater(after: .milliseconds(900)))
                case 1: try activity.completes(.retryLater(after: .seconds(5)), because: .apns(reason: "Shutdown"))
                case 2: try activity.completes(.rejected, because: .apns(reason: "PayloadTooLarge"))
                case 3: try activity.completes(.tokenDead, because: .apns(reason: "Unregistered"))
                default: try activity.completes(.accepted)
                }
            case 0..<6: activity.decide()
            case 9: activity.registers(.tokenReplaced)
            default: activity.happens(events.randomElement(using: &generator) ?? turn)
            }
        }
        return activity
    }
}
