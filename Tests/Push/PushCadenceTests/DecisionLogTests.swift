import Encodings
import GameCore
import Testing

@testable import PushCadence
@testable import PushRules

struct DecisionLogTests {
    private let down = Event.heroDown(hero: Seat(rawValue: 1))
    private let turn = Event.turnStarted(turn: 2, hero: nil)
    private let hurt = Event.heroHurt(hero: Seat(rawValue: 1), amount: 3, cause: .bossAttack)

    @Test func `a fight is told line by line`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.answers(.accepted)
        activity.pass(.seconds(1))
        activity.happens(turn)
        activity.pass(.milliseconds(500))
        activity.happens(hurt, hurt)
        activity.pass(.milliseconds(1_500))
        activity.decide()
        try activity.answers(.accepted)
        activity.pass(.seconds(2))
        activity.happens(hurt, down, turn)
        try activity.answers(.accepted)
        #expect(
            activity.told == [
                "0 The phone registered the card. Sent at priority 10, accepted - the token is new: current state",
                "1 Turn started. 3 events delayed together until 3 - turns are put together for a moment",
                """
                3 Time passed. Sent at priority 10 for 3 events together, accepted - a turn, at priority 10 since the \
                phone takes frequent pushes
                """,
                """
                5 Hero down. Alert "hero down, seat 1" sent at priority 10 for 3 events together, accepted - alerts are \
                never demoted
                """,
            ]
        )
        #expect(activity.log.decisions.map(\.position) == [101, 104, 104, 106])
    }

    @Test func `what an operator asks for goes at once, and says who asked`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.answers(.accepted)
        activity.pass(.seconds(1))
        activity.happens(turn)
        activity.pass(.milliseconds(500))
        activity.asks()
        try activity.answers(.accepted)
        activity.pass(.seconds(1))
        activity.asks(forEnd: true)
        try activity.answers(.accepted)
        activity.pass(.seconds(1))
        activity.asks()
        #expect(
            activity.told == [
                "0 The phone registered the card. Sent at priority 10, accepted - the token is new: current state",
                "1 Turn started. Delayed until 3 - turns are put together for a moment",
                "1.500 An operator pushed. Sent at priority 10, accepted - an operator asked for it: current state",
                """
                2.500 An operator ended the card. End sent at priority 10, accepted - an operator asked for the end: current \
                state
                """,
                "3.500 An operator pushed. Nothing to send - the activity has ended",
            ]
        )
        // It reads back as it was written.
        #expect(DecisionLog(encoded: activity.log.encoded).decisions == activity.log.decisions)
    }

    @Test func `what an operator asks for waits for the answer under way, and is nothing to a dead token`() throws {
        var activity = LoggedActivity()
        activity.registers()
        activity.asks()
        activity.pass(.seconds(1))
        try activity.answers(.accepted)
        try activity.answers(.tokenDead, because: .apns(reason: "Unregistered"))
        activity.asks()
        #expect(activity.sends == [.newToken, .asked])
        #expect(activity.told.last == "1 An operator pushed. Nothing to send - the token is dead")
    }

    @Test func `what an operator asks for too soon goes later, and still because an operator asked`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.answers(.accepted)
        activity.pass(.seconds(1))
        activity.asks()
        try activity.answers(.accepted)
        activity.pass(.milliseconds(500))
        activity.asks()
        activity.pass(.milliseconds(500))
        activity.decide()
        try activity.answers(.accepted)
        activity.pass(.milliseconds(500))
        activity.asks(forEnd: true)
        activity.pass(.milliseconds(500))
        activity.decide()
        #expect(
            activity.told.suffix(4) == [
                "1.500 An operator pushed. Delayed until 2 - one push a second at most",
                "2 An operator pushed. Sent at priority 10, accepted - an operator asked for it: current state",
                "2.500 An operator ended the card. Delayed until 3 - one push a second at most",
                "3 An operator ended the card. End sent at priority 10 - an operator asked for the end: current state",
            ]
        )
    }

    @Test func `an alert that goes first leaves an operator the push that was asked for`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.answers(.accepted)
        activity.asks()
        activity.happens(.heroDown(hero: Seat(rawValue: 1)))
        for completion in [Completion.unanswered(retryAfter: .seconds(1)), .accepted, .accepted] {
            activity.pass(.seconds(1))
            activity.decide()
            try activity.answers(completion)
        }
        activity.pass(.seconds(60))
        activity.decide()
        let alert = SendReason.alert(.companionDown(Seat(rawValue: 1)))
        #expect(activity.sends == [.newToken, alert, alert, .asked])
    }

    @Test func `what comes while a push is under way is merged into the next one`() throws {
        var activity = LoggedActivity()
        activity.registers()
        activity.happens(turn)
        activity.happens(hurt, hurt)
        try activity.answers(.accepted)
        #expect(
            activity.told == [
                "0 The phone registered the card. Sent at priority 10 - the token is new: current state",
                "0 Turn started. 3 events merged into the next push - a push is under way",
                "0 An answer came. Last push accepted",
                "0 An answer came. Delayed until 3 - turns are put together for a moment",
            ]
        )
        #expect(activity.log.decisions.map(\.name) == ["sent", "merged", "accepted", "delayed"])
    }

    @Test func `what has expired was dropped by time, whatever happened meanwhile`() {
        var log = DecisionLog()
        log.happened(turn.kind, urgency: .high, position: 7)
        let moment = LoggedActivity.start
        let event = RecordedDecision.Change.event(kind: turn.kind)
        log.dropped(Drop(subject: .state, position: 5, moment: moment, reason: .expired), because: event)
        log.dropped(Drop(subject: .state, position: 6, moment: moment, reason: .expired))
        log.dropped(Drop(subject: .state, position: 6, moment: moment, reason: .cancelledByEvent), because: event)
        #expect(log.decisions.map(\.change) == [.time, .time, event])
    }

    @Test func `tries in a row are one entry, and each moves its end`() throws {
        var activity = LoggedActivity()
        activity.registers()
        for _ in 0..<5 {
            try activity.answers(.retryLater(after: .seconds(4)), because: .apns(reason: "TooManyRequests"))
            activity.pass(.seconds(4))
            activity.decide()
        }
        try activity.answers(.retryLater(after: .seconds(8)))
        #expect(
            activity.told == [
                """
                0 The phone registered the card. Sent at priority 10, tried 6 times, not taken (APNs gave no answer), waiting \
                until 28 - the token is new: current state
                """
            ]
        )
        #expect(activity.log.decisions.last?.waitsFor == "It waits before it tries again: APNs gave no answer")
    }

    @Test func `a turn without budget is demoted`() throws {
        var policy = CadencePolicy()
        policy.frequent.highCapacity = 9
        var activity = LoggedActivity(policy: policy)
        activity.registers()
        try activity.answers(.accepted)
        activity.pass(.seconds(3))
        activity.happens(turn)
        #expect(
            activity.told.last == """
                3 Turn started. Demoted to priority 5 and sent - a turn, at priority 5 since what is left of the \
                budget is kept for alerts
                """
        )
        #expect(activity.log.decisions.last?.name == "demoted")
    }

    @Test func `an alert that is cancelled, one that expires and one that is refused each say why`() throws {
        var activity = LoggedActivity()
        activity.registers()
        activity.happens(down)
        activity.happens(turn, .heroRevived(hero: Seat(rawValue: 1), helper: nil), turn)
        activity.happens(.bossAppeared(boss: "anyone"))
        activity.pass(.seconds(601))
        activity.decide()
        try activity.answers(.accepted)
        activity.pass(.seconds(1))
        try activity.answers(.accepted)
        activity.pass(.seconds(10))
        activity.happens(down)
        try activity.answers(.refusedForever, because: .apns(reason: "PayloadTooLarge"))
        let told = activity.told
        #expect(
            told.contains(
                "0 Hero revived. Cancelled the alert \"hero down, seat 1\" - what has happened since makes it pointless"
            )
        )
        #expect(
            told.contains(
                "601 Time passed. Let the alert \"boss appeared\" expire - it waited too long to be worth a sound"
            )
        )
        #expect(
            told.contains {
                $0.contains("Alert \"") && $0.contains(", refused for good (APNs answered PayloadTooLarge)")
            }
        )
        #expect(told.filter { $0.contains("refused") }.count == 1)
    }

    @Test func `a token that dies says so, and the next one is waited for`() throws {
        var activity = LoggedActivity()
        activity.registers()
        activity.happens(down)
        try activity.answers(.tokenDead, because: .apns(reason: "Unregistered"))
        activity.happens(turn)
        #expect(
            activity.told.suffix(2) == [
                "0 An answer came. Last push refused, as the token is dead (APNs answered Unregistered)",
                "0 Turn started. Nothing to send - the token is dead",
            ]
        )
        #expect(activity.log.decisions.last?.waitsFor == "It waits for a new token from the phone: the old one is dead")
        activity.registers(.tokenReplaced)
        #expect(activity.told.last?.hasPrefix("0 The phone sent a new token. Delayed until 1 - ") == true)
    }

    @Test func `it tells whether APNs has taken a push to the token there is now`() throws {
        var activity = LoggedActivity()
        #expect(!activity.log.hasAcceptedToken)
        activity.registers()
        #expect(!activity.log.hasAcceptedToken)
        try activity.answers(.accepted)
        #expect(activity.log.hasAcceptedToken)
        activity.pass(.seconds(60))
        activity.happens(turn)
        activity.pass(.seconds(2))
        activity.decide()
        // Replaced while a push is under way: its answer says nothing of the new one.
        activity.registers(.tokenReplaced)
        try activity.answers(.accepted)
        #expect(!activity.log.hasAcceptedToken)
        activity.pass(.seconds(2))
        activity.decide()
        #expect(!activity.log.hasAcceptedToken)
        try activity.answers(.accepted)
        #expect(activity.log.hasAcceptedToken && DecisionLog(encoded: activity.log.encoded).hasAcceptedToken)
    }

    @Test func `looking again without news tells nothing`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.answers(.accepted)
        let before = activity.log.encoded
        for _ in 0..<5 {
            activity.pass(.seconds(60))
            activity.decide()
        }
        #expect(activity.log.encoded == before)
    }

    @Test func `a card that its phone lets go of says so`() {
        var log = DecisionLog()
        log.happened(.released, position: 7)
        log.ended(.letGo, at: LoggedActivity.start)
        #expect(log.decisions.map(\.decided) == ["Pushed no more"])
        #expect(log.decisions.map(\.position) == [7])
    }

    // MARK: - Bounds and text

    @Test(arguments: 0..<60)
    func `of whatever was decided the newest is kept, in order and within bounds`(seed: UInt64) throws {
        let activity = try busyActivity(keeping: DecisionLog.standardBound, seed: seed)
        let all = try busyActivity(keeping: 1_000_000, seed: seed)
        let kept = activity.log.decisions
        #expect(!kept.isEmpty && kept.count <= DecisionLog.standardBound)
        #expect(kept == all.log.decisions.suffix(kept.count))
        #expect(activity.log.encoded.count <= 320 + 20)
        #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.at <= $1.at })

        // The whole of it holds every push and every drop.
        let told = all.log.decisions
        let sends = told.flatMap { entry -> [SendReason] in
            if case .sent(_, let reason, let tries, _) = entry.verdict {
                Array(repeating: reason, count: tries)
            } else {
                []
            }
        }
        #expect(sends == all.sends)
        let drops = told.compactMap { entry -> Drop.Subject? in
            if case .dropped(let subject, let reason) = entry.verdict, reason != .refused { subject } else { nil }
        }
        #expect(drops == all.drops)

        // Stored and read again it is the same.
        let restored = DecisionLog(encoded: activity.log.encoded)
        #expect(restored.decisions == kept)
    }

    @Test func `a log that was stored goes on where it stopped`() throws {
        var activity = LoggedActivity()
        activity.registers()
        try activity.answers(.accepted)
        activity.pass(.seconds(1))
        activity.happens(turn)
        var resumed = DecisionLog(encoded: activity.log.encoded)
        let moment = LoggedActivity.start + .seconds(2)
        resumed.happened("heroHurt", urgency: .low, position: 103)
        resumed.decided(.wait(until: LoggedActivity.start + .seconds(4), .turnSpacing), at: moment)
        #expect(resumed.decisions.map(\.events) == [1, 2])
        #expect(resumed.decisions.last?.until == LoggedActivity.start + .seconds(4))
    }

    @Test func `most entries take no more than is reckoned, refusals included`() throws {
        for seed in 0..<20 {
            let log = try busyActivity(keeping: DecisionLog.standardBound, seed: UInt64(seed)).log
            #expect(log.decisions.count > DecisionLog.standardBound * 3 / 4)
        }
    }

    @Test func `a peer's odd reason cannot break the text`() throws {
        var activity = LoggedActivity()
        activity.registers()
        let odd = "Bad\nthing 7*" + String(repeating: "x", count: 10_000)
        try activity.answers(.refusedForever, because: .apns(reason: odd))
        #expect(activity.log.encoded.count < 80)
        let decisions = DecisionLog(encoded: activity.log.encoded).decisions
        #expect(decisions == activity.log.decisions && decisions.count == 1)
        #expect(
            decisions.first?.decided.hasPrefix("Sent at priority 10, refused for good (APNs answered Badthing7xxx")
                == true
        )
    }

    /// Version 2, origin 1,790,000,000,000 ms and position 5, then each entry with its length.
    private static let origin: [UInt8] = [2, 0x80, 0xd8, 0xc1, 0xa2, 0x8c, 0x34, 5]
    /// Turn started, a push is under way.
    private static let before: [UInt8] = [4, 0, 0, 47, 0x0a]
    /// A millisecond and a position later a hero is down, and the end is sent and taken.
    private static let after: [UInt8] = [5, 2, 2, 43, 0x4e, 0]

    @Test func `the bytes stay as they are, since other releases read them`() {
        var log = DecisionLog()
        let start = Timestamp(epochSeconds: 1_790_000_000)
        log.happened("turnStarted", urgency: .turn, position: 5)
        log.decided(.idle(.inFlight), at: start)
        #expect(log.encoded == Self.origin + Self.before)
        let decisions = DecisionLog(encoded: Self.origin + Self.before + Self.after).decisions
        #expect(
            decisions == [
                RecordedDecision(
                    at: start,
                    position: 5,
                    events: 1,
                    change: .event(kind: "turnStarted"),
                    verdict: .idle(.inFlight)
                ),
                RecordedDecision(
                    at: start + .milliseconds(1),
                    position: 6,
                    events: 1,
                    change: .event(kind: "heroDown"),
                    verdict: .sent(.high, .end(.adventureOver), tries: 1, answer: .accepted)
                ),
            ]
        )
    }

    /// Those of another version, of impossible origins, and such as are cut short.
    private static let noLogs: [[UInt8]] = [
        [], Array("nonsense".utf8), [1] + origin.dropFirst() + before,
        [2, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1] + before,
        [2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 5] + before, [2, 5], [2], [2, 0xff],
    ]

    @Test(arguments: noLogs)
    func `bytes of no log give an empty one`(bytes: [UInt8]) {
        #expect(DecisionLog(encoded: bytes).decisions.isEmpty)
        #expect(DecisionLog(encoded: bytes).encoded.isEmpty)
    }

    private static let unreadable: [[UInt8]] = [
        // Nothing behind the place; an event that no one knows; events that are not told.
        [2, 0, 0], [4, 0, 0, 126, 10], [4, 0, 0, 0xaf, 0x8a],
        // A name that is cut short; a verdict, a reason, a priority, an answer that no one knows.
        [6, 0, 0, 127, 9, 65, 66], [4, 0, 0, 47, 7], [4, 0, 0, 47, 0xfa], [5, 0, 0, 47, 0xc6, 6],
        [5, 0, 0, 47, 0x3e, 6], [5, 0, 0, 47, 0xfb, 0], [5, 0, 0, 47, 3, 9],
        // When to try again, or why, is missing; until when is beyond what a clock may show; something is left.
        [5, 0, 0, 47, 0x16, 6], [6, 0, 0, 47, 0x1e, 6, 255], [6, 0, 0, 47, 0x1e, 6, 0],
        [13, 0, 0, 47, 4, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], [5, 0, 0, 47, 10, 0],
        // More tries than can be.
        [10, 0, 0, 47, 6, 0x86, 0xff, 0xff, 0xff, 0xff, 0x7f],
    ]

    @Test(arguments: unreadable)
    func `an entry that cannot be read is left out, and the others stay`(entry: [UInt8]) {
        let bytes = Self.origin + Self.before + entry + Self.after
        #expect(DecisionLog(encoded: bytes).decisions.map(\.position) == [5, 6])
    }

    @Test(arguments: 0..<200)
    func `whatever the bytes are, what can be read is written again as it was read`(seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        var bytes = try busyActivity(keeping: DecisionLog.standardBound, seed: seed).log.encoded
        for _ in 0..<Int.random(in: 1...20, using: &generator) {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
        }
        let read = DecisionLog(encoded: bytes)
        #expect(DecisionLog(encoded: read.encoded).decisions == read.decisions)
        #expect(DecisionLog(encoded: Array(bytes.prefix(bytes.count / 2))).decisions.count <= DecisionLog.standardBound)
    }

    @Test func `an event that has no code is told by its name`() {
        var log = DecisionLog()
        log.happened("somethingOfTheNextRelease", urgency: .low, position: 5)
        log.decided(.idle(.inFlight), at: LoggedActivity.start)
        #expect(
            DecisionLog(encoded: log.encoded).decisions.map(\.change) == [.event(kind: "somethingOfTheNextRelease")]
        )
    }

    /// A life of bursts and silences, of answers good and bad, for ten minutes or so.
    private func busyActivity(keeping bound: Int, seed: UInt64) throws -> LoggedActivity {
        var generator = SplitMix(state: seed)
        var activity = LoggedActivity(
            frequentPushesEnabled: Bool.random(using: &generator),
            log: DecisionLog(keeping: bound)
        )
        activity.registers()
        let events = PushRules.examples.filter { event in
            if case .adventureEnded = event { false } else if case .memberLeft = event { false } else { true }
        }
        for _ in 0..<400 {
            activity.pass(.milliseconds([0, 100, 700, 3_000].randomElement(using: &generator) ?? 0))
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5 where activity.mayAnswer:
                switch Int.random(in: 0..<12, using: &generator) {
                case 0: try activity.answers(.retryLater(after: .milliseconds(900)))
                case 1: try activity.answers(.retryLater(after: .seconds(5)), because: .apns(reason: "Shutdown"))
                case 2: try activity.answers(.refusedForever, because: .apns(reason: "PayloadTooLarge"))
                case 3: try activity.answers(.tokenDead, because: .apns(reason: "Unregistered"))
                default: try activity.answers(.accepted)
                }
            case 0..<6: activity.decide()
            case 9: activity.registers(.tokenReplaced)
            default: activity.happens(events.randomElement(using: &generator) ?? turn)
            }
        }
        return activity
    }
}
