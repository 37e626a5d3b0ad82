import Encodings
import GameCore
import PushCadence
import PushRules

/// What the cards of one phone share.
struct SimulatedPhone {
    /// What the phone lets through.
    var device: DeviceBudget
    /// What the dispatcher spends.
    var budget: PhoneBudget

    init(_ flags: Flags, policy: CadencePolicy) {
        device = DeviceBudget(perHour: flags.budgetPerHour)
        budget = PhoneBudget(policy.pace(frequentPushesEnabled: flags == .frequent))
    }
}

/// One Live Activity from its start to its end: the real cadence between a log, APNs and a phone that are not real.
///
/// It is never ended for its age: no adventure comes near eight hours.
struct SimulatedCard {
    /// A push under way.
    private struct Flight {
        let push: PlannedPush
        let through: Int64
        let generation: Int
        let answersAt: Timestamp
        let succeeds: Bool
    }

    /// Which adventure it shows.
    let adventure: Int
    let seat: Seat
    private let kind: CardKind
    private let startedAt: Timestamp
    /// When its first token dies, if it does.
    let tokenDiesAt: Timestamp?

    private var cadence: ActivityCadence
    private var ledger = AlertLedger()
    private var counts = CadenceTally.Cards()
    private var flight: Flight?
    private var wakesAt: Timestamp?
    private var failures = 0
    /// 0 for the first token, 1 for the one that follows it.
    private var generation = 0
    /// The changes that the phone does not show yet, oldest first.
    private var unshown: [(position: Int64, at: Timestamp)] = []
    /// Whether it has had its end.
    private(set) var isOver = false

    /// A card that owes its first state.
    init(
        of adventure: Int,
        seat: Seat,
        kind: CardKind,
        policy: CadencePolicy,
        position: Int64,
        startedAt: Timestamp,
        tokenDiesAt: Timestamp?
    ) {
        self.adventure = adventure
        self.seat = seat
        self.kind = kind
        self.startedAt = startedAt
        self.tokenDiesAt = tokenDiesAt
        cadence = ActivityCadence(
            policy: policy,
            frequentPushesEnabled: kind.flags == .frequent,
            startedAt: startedAt,
            resuming: nil,
            settledThrough: position - 1
        )
        cadence.owesCurrentState(position: position, at: startedAt)
    }

    /// When something happens by itself.
    var next: Timestamp? { flight?.answersAt ?? wakesAt }

    // MARK: - What the log tells

    /// Observes the events of one moment.
    mutating func observe(_ events: [Event], of adventure: Adventure, from first: Int64, at moment: Timestamp) {
        var position = first
        for event in events {
            let rule = PushRules.rule(for: event, after: adventure, receiver: seat)
            cadence.observe(rule, position: position, at: moment)
            ledger.observe(rule, position: position, at: moment)
            position += 1
        }
        unshown.append((position - 1, moment))
    }

    /// The app has registered the token that followed the first.
    mutating func observeNewToken(position: Int64, at now: Timestamp) {
        generation = 1
        cadence.owesCurrentState(position: position, at: now)
    }

    // MARK: - What the dispatcher does

    /// Takes an answer that is there, and asks the cadence what is to be done.
    mutating func act(
        at now: Timestamp,
        showing newest: Int64,
        over network: inout PushNetwork,
        to phone: inout SimulatedPhone
    ) {
        if let flight, flight.answersAt <= now { answer(to: flight, at: now, &network, &phone) }
        wakesAt = nil
        switch cadence.next(at: now, showing: newest, spending: &phone.budget) {
        case .send(let push):
            let course = network.course()
            flight = Flight(
                push: push,
                through: newest,
                generation: generation,
                answersAt: now + course.latency,
                succeeds: course.succeeds
            )
        case .wait(let moment, _): wakesAt = moment
        case .idle(.ended): isOver = true
        case .idle(.nothingOwed), .idle(.inFlight), .idle(.tokenDead): break
        }
        for drop in cadence.takeDrops() { ledger.dropped(drop) }
    }

    private mutating func answer(
        to flight: Flight,
        at now: Timestamp,
        _ network: inout PushNetwork,
        _ phone: inout SimulatedPhone
    ) {
        self.flight = nil
        if !flight.succeeds {
            failures += 1
            let backoff = network.backoff(afterFailures: failures)
            cadence.completed(.unanswered(retryAfter: backoff), at: now, refunding: &phone.budget)
        } else if flight.generation == 0, let tokenDiesAt, tokenDiesAt <= now {
            let completion = generation == 0 ? Completion.tokenDead : .retryLater(after: .zero)
            cadence.completed(completion, at: now, refunding: &phone.budget)
        } else {
            failures = 0
            cadence.completed(.accepted, at: now, refunding: &phone.budget)
            arrive(flight, on: &phone.device, at: now)
        }
    }

    private mutating func arrive(_ flight: Flight, on device: inout DeviceBudget, at now: Timestamp) {
        let getsThrough: Bool
        switch flight.push.priority {
        case .high:
            counts.highPushes += 1
            getsThrough = device.letsThrough(at: now)
        case .low:
            counts.lowPushes += 1
            getsThrough = true
        }
        if let alert = flight.push.alert {
            ledger.taken(alert, telling: flight.push.alertPositions, isThrottled: !getsThrough, at: now)
        }
        guard getsThrough else { return }
        let shown = unshown.prefix { $0.position <= flight.through }
        for change in shown { counts.staleness.add(now - change.at) }
        unshown.removeFirst(shown.count)
    }

    /// Counts a card that is over.
    func count(into tally: inout CadenceTally, at now: Timestamp) {
        var counts = counts
        counts.count = 1
        counts.life = now - startedAt
        tally.cards[kind, default: CadenceTally.Cards()].add(counts)
        ledger.count(into: &tally, of: kind.flags)
    }
}
