import Encodings
import Foundation
import GameCore
import GameLog
import PushCadence
import PushDispatch
import PushRules

/// One activity in virtual time, on a device on which one cause keeps pushes from being shown.
///
/// Cadence, decision log, receipts and judge are the real ones; game, APNs, device and app are simulated. Reports are
/// lost, late, repeated and out of order.
struct VerdictSimulation {
    /// A judged push, with what became of it.
    struct Judgement {
        /// The cause for which the device has not shown it; nil if it has shown its state or a newer one.
        let truth: PushVerdict.Cause?
        /// `timestamp` of the push.
        let timestamp: Int64
        let verdict: PushVerdict
        let text: String
    }

    private static let start = Timestamp(microseconds: 1_790_000_000_250_137)
    private static let adventureID = AdventureID(rawValue: UUID(bytes: Array(1...16)))
    private static let activityID = ActivityID(rawValue: UUID(bytes: Array(17...32)))

    private let cause: PushVerdict.Cause
    private let isFight: Bool
    private let endsAtLast: Bool
    private let plantedAt: Timestamp
    private let lastEventAt: Timestamp
    private let judgedAt: Timestamp
    private let adventure: Adventure
    private var generator: Generator

    private var phone: VerdictPhone
    private var app: VerdictApp
    private var cadence: ActivityCadence
    private var budget: DeviceBudget
    private var log = DecisionLog()
    private var receipts: ActivityReceipts?
    /// The reports on their way.
    private var reports: [(report: ReceiptReport, at: Timestamp)] = []

    private var moment: Timestamp
    private var sequence = 0
    private var generation = 1
    private var tokenRegisteredAt: Timestamp
    private var turn = 0
    private var dueAt: Timestamp?
    /// When the device gets a new token, and when the server learns of it; nil for never.
    private let tokenChange: (issuedAt: Timestamp, registeredAt: Timestamp?)?

    /// Creates a run.
    /// - Parameters:
    ///   - seed: the seed of everything random.
    ///   - cause: the planted cause.
    ///   - isHard: whether the app does not know the budget of its device, and the device may save power besides the
    ///     planted cause.
    init(seed: UInt64, planting cause: PushVerdict.Cause, isHard: Bool = false) {
        var generator = Generator(seed: seed &* 31 &+ UInt64(PushVerdict.Cause.allCases.firstIndex(of: cause) ?? 0))
        func seconds(_ range: Range<Int>) -> Duration {
            .seconds(range.lowerBound + generator.number(below: range.count))
        }
        let start = Self.start
        self.cause = cause
        // A budget concerns priority 10, and saving power priority 5.
        let isFight = cause == .budget || cause != .lowPower && generator.number(below: 2) == 0
        let hasFrequentPushes = isFight || generator.number(below: 2) == 0
        self.isFight = isFight
        endsAtLast = cause != .phoneAway && generator.number(below: 2) == 0
        plantedAt = start + seconds(600..<1_500)
        lastEventAt = plantedAt + seconds(300..<720)
        // Pushes for an activity that goes on have expired by then.
        let returnsAt = lastEventAt + .seconds(700)
        judgedAt = (cause == .phoneAway ? returnsAt : lastEventAt) + seconds(1_000..<1_500)
        let isPlanted = cause == .staleToken
        if isPlanted || generator.number(below: 3) == 0 {
            let issuedAt = isPlanted ? plantedAt : start + seconds(60..<1_500)
            let isLost = isPlanted && generator.number(below: 2) == 0
            let delay = isPlanted ? lastEventAt + .seconds(60) - issuedAt : seconds(1..<6)
            tokenChange = (issuedAt, isLost ? nil : issuedAt + delay)
        } else {
            tokenChange = nil
        }
        adventure = AdventureContent.all[0].opening(heroes: RandomParty.heroes(2, level: 1, seed: seed), seed: seed)
        phone = VerdictPhone(
            cause,
            at: plantedAt,
            returnsAt: returnsAt,
            hasFrequentPushes: hasFrequentPushes,
            start: start,
            isHard: isHard,
            &generator
        )
        app = VerdictApp(
            of: Self.adventureID,
            Self.activityID,
            knowsBudget: !isHard,
            at: start,
            seed: UInt64(generator.number(below: .max))
        )
        let policy = CadencePolicy()
        budget = DeviceBudget(policy.pace(frequentPushesEnabled: hasFrequentPushes))
        cadence = ActivityCadence(
            policy: policy,
            frequentPushesEnabled: hasFrequentPushes,
            startedAt: start,
            resuming: nil,
            acknowledgedAt: start - .microseconds(1)
        )
        tokenRegisteredAt = start
        moment = start
        self.generator = generator
    }

    /// Runs until the end, and judges the pushes of the decision log: at random times, and at the end.
    /// - Returns: the judgements of the end, and those of other times that named a cause which never held.
    mutating func run() -> (judgements: [Judgement], wrongBefore: [Judgement]) {
        cadence.currentStateRequired(moment: moment, at: moment)
        log.observed(.registered, at: moment)
        evaluate(at: moment)
        var earlier: [Judgement] = []
        var now = Self.start
        while now < judgedAt {
            now = now + .seconds(1)
            if now <= lastEventAt { play(at: now) }
            if let tokenChange { change(tokenChange, at: now) }
            if let dueAt, dueAt <= now { evaluate(at: now) }
            phone.pass(to: now)
            exchangeReports(at: now)
            if generator.number(below: 400) == 0 { earlier += judge(at: now) }
        }
        let wrong = earlier.filter { judgement in
            judgement.verdict.cause.map { phone.causes[judgement.timestamp]?.contains($0) != true } ?? false
        }
        return (judge(at: now), wrong)
    }

    // MARK: - The game and the server

    private mutating func play(at now: Timestamp) {
        if endsAtLast, now + .seconds(1) > lastEventAt {
            moment = max(moment + .microseconds(1), now)
            cadence.endRequested(moment: moment, at: now)
            log.observed(.endRequested, at: now)
            return evaluate(at: now)
        }
        let seat = Seat(rawValue: generator.number(below: 2))
        var events: [AdventureEvent] = []
        if generator.number(below: isFight ? 15 : 60) == 0 {
            turn += 1
            events.append(
                isFight ? .turnStarted(turn: turn, hero: nil) : .heroHurt(hero: seat, amount: 1, cause: .bossAttack)
            )
        }
        // Small changes are sent at priority 5, which spends no budget.
        let isQuiet = cause == .budget && now >= plantedAt
        if !isQuiet, generator.number(below: 12) == 0 {
            events.append(.heroHurt(hero: seat, amount: 3, cause: .bossAttack))
        }
        if generator.number(below: 200) == 0 { events.append(.heroDown(hero: seat)) }
        for event in events { observe(event, at: now) }
        if !events.isEmpty { evaluate(at: now) }
    }

    private mutating func observe(_ event: AdventureEvent, at now: Timestamp) {
        sequence += 1
        moment = max(moment + .microseconds(1), now)
        let rule = PushRules.rule(for: event, after: adventure, receiver: Seat(rawValue: 0))
        cadence.observe(rule, moment: moment, at: now)
        log.observed(event: event.kind, urgency: rule.urgency, at: now)
    }

    private mutating func evaluate(at now: Timestamp) {
        dueAt = nil
        for drop in cadence.takeDrops() { log.dropped(drop) }
        let decision = cadence.next(at: now, showing: moment, spending: &budget)
        log.decided(decision, with: PushContent(sequence: sequence, generation: generation), at: now)
        switch decision {
        case .wait(let until, _): dueAt = until
        case .idle: break
        case .send(let push):
            let sent = VerdictPhone.Push(
                sequence: sequence,
                timestamp: push.timestamp,
                isHigh: push.priority == .high,
                isEnd: push.reason == .end(.requested),
                expiration: Timestamp(epochSeconds: push.expiration),
                generation: generation
            )
            // Something may happen while the push is in flight.
            if generator.number(below: 8) == 0 {
                observe(.heroHurt(hero: Seat(rawValue: 1), amount: 1, cause: .bossAttack), at: now)
                log.decided(cadence.next(at: now, showing: moment, spending: &budget), at: now)
            }
            let answeredAt = now + .milliseconds(20 + generator.number(below: 200))
            // One answer in thirty is lost, after the push has reached the device.
            let isLost = generator.number(below: 30) == 0
            let disposition: PushDisposition = isLost ? .unanswered(retryAfter: .seconds(2)) : .accepted
            cadence.completed(disposition, at: answeredAt, refunding: &budget)
            log.completed(disposition, because: .noResponse, changeAt: push.changeAt, at: answeredAt)
            phone.receive(sent, at: now)
            // The next second evaluates it again.
            dueAt = now + .seconds(1)
        }
    }

    private mutating func change(_ change: (issuedAt: Timestamp, registeredAt: Timestamp?), at now: Timestamp) {
        if phone.generation == 1, change.issuedAt <= now {
            phone.generation = 2
            app.tokenIssued(at: change.issuedAt)
        }
        guard generation == 1, let registeredAt = change.registeredAt, registeredAt <= now else { return }
        generation = 2
        tokenRegisteredAt = now
        // The planted change reaches the server after the game, when no push follows that would heal it.
        guard cause != .staleToken else { return }
        moment = max(moment + .microseconds(1), now)
        cadence.currentStateRequired(moment: moment, at: now)
        log.observed(.tokenReplaced, at: now)
        evaluate(at: now)
    }

    // MARK: - Reports

    private mutating func exchangeReports(at now: Timestamp) {
        if let report = app.pass(to: now, on: phone), generator.number(below: 5) > 0 {
            let isLate = generator.number(below: 10) == 0
            let latency = isLate ? 1_000 + generator.number(below: 120_000) : 50 + generator.number(below: 550)
            reports.append((report, now + .milliseconds(latency)))
            if generator.number(below: 5) == 0 {
                reports.append((report, now + .milliseconds(latency + generator.number(below: 300_000))))
            }
        }
        for (report, arrivesAt) in reports where arrivesAt <= now {
            _ = ActivityReceipts.merge(
                into: &receipts,
                report,
                of: report.activities[0],
                receivedAt: arrivesAt,
                newestSequence: sequence
            )
            receipts = receipts.flatMap { ActivityReceipts(encoded: $0.encoded) }
        }
        reports.removeAll { $0.at <= now }
    }

    // MARK: - Judging

    private func judge(at now: Timestamp) -> [Judgement] {
        let evidence = VerdictEvidence(
            receipts: receipts,
            // The app announced the start late.
            startedAt: cause == .tooOld ? plantedAt - CadencePolicy.maxLifetime : Self.start,
            generation: generation,
            tokenRegisteredAt: tokenRegisteredAt
        )
        let records = DecisionLog(encoded: log.encoded).records
        return PushVerdict.judge(records, with: evidence, at: now).map { judged in
            Judgement(
                truth: judged.push.facts.flatMap { truth(of: $0, named: judged.verdict.cause) },
                timestamp: judged.push.facts?.timestamp ?? 0,
                verdict: judged.verdict,
                text: judged.text
            )
        }
    }

    /// Returns the cause for which the device has not shown a push.
    ///
    /// If it has drawn a newer state since, of which the server may not know yet, a cause that kept it from drawing this
    /// push is right, too.
    private func truth(of push: SentPush, named: PushVerdict.Cause?) -> PushVerdict.Cause? {
        if let drawn = phone.drawn, drawn.sequence >= push.sequence {
            guard let named, phone.fates[push.timestamp] == .dropped(named) else { return nil }
            return named
        }
        switch phone.fates[push.timestamp] {
        case .dropped(let cause), .kept(let cause): return cause
        case .drawn, .outdated, nil: return nil
        }
    }
}
