import Encodings
import GameCore
import PushCadence
import PushDispatch
import PushRules

/// A simulated device; its activities share both budgets.
struct CadenceDevice {
    let frequency: PushFrequency
    /// The device's own budget.
    var budget: ModelledBudget
    /// The budget that the dispatcher spends.
    var cadenceBudget: DeviceBudget
    /// When that budget is full again, as far as it is stored.
    var storedFullAt: Timestamp?
    private let pace: CadencePolicy.Pace

    init(_ frequency: PushFrequency, policy: CadencePolicy) {
        self.frequency = frequency
        pace = policy.pace(frequentPushesEnabled: frequency == .frequent)
        budget = ModelledBudget(perHour: frequency.budgetPerHour)
        cadenceBudget = DeviceBudget(pace)
    }

    /// Replaces the dispatcher's budget by that of the next dispatcher, which knows what is stored.
    mutating func restart() { cadenceBudget = DeviceBudget(pace, fullAt: storedFullAt) }
}

/// One Live Activity from start to end: the real cadence with a simulated log, APNs and device.
///
/// It never reaches the maximum age of an activity, since no adventure lasts eight hours.
struct CadenceActivity {
    /// What the dispatcher has stored of an activity.
    private struct Checkpoint {
        var lastTimestamp: Int64?
        var acknowledgedAt: Timestamp
        var acceptedAlerts: [AcceptedAlert] = []
    }

    /// What was observed, and is observed again by the next dispatcher.
    private enum Observation {
        case event(PushRule, moment: Timestamp, at: Timestamp)
        case token(moment: Timestamp, at: Timestamp)

        var moment: Timestamp {
            switch self {
            case .event(_, let moment, _), .token(let moment, _): moment
            }
        }
    }

    /// The times within which a dispatcher stores what must not be repeated, and everything else.
    private static let flushIntervals = (urgent: Duration.seconds(1), lazy: Duration.seconds(10))

    private struct InFlightPush {
        let push: PlannedPush
        /// The newest position that the push shows.
        let position: Int64
        let tokenGeneration: Int
        let respondsAt: Timestamp
        let succeeds: Bool
    }

    /// The number of its adventure within the party.
    let adventure: Int
    let seat: Seat
    /// The number of its device within the party.
    let device: Int
    private let policy: CadencePolicy
    private let startedAt: Timestamp
    /// The moment at which its first token becomes invalid; nil for never.
    let tokenInvalidAt: Timestamp?

    private var cadence: ActivityCadence
    private var alerts = AlertTracker()
    private var record: CadenceRecords.Activity
    private var inFlight: InFlightPush?
    private var wakesAt: Timestamp?
    private var backoff = RetryBackoff()
    /// The token's number: 0 for the first token, 1 for the second.
    private var tokenGeneration = 0
    /// The changes that the device does not show yet, oldest first.
    private var unshown: [(position: Int64, at: Timestamp)] = []
    private(set) var hasEnded = false
    /// When its adventure ended; nil before.
    private var endedAt: Timestamp?
    private var checkpoint: Checkpoint
    private var observations: [Observation]
    private var lastTimestamp: Int64?
    /// When the dispatcher stores what has changed; nil if nothing has.
    private var flushesAt: Timestamp?

    /// Creates an activity with its first state pending.
    init(
        of adventure: Int,
        seat: Seat,
        on device: Int,
        record: CadenceRecords.Activity,
        policy: CadencePolicy,
        position: Int64,
        startedAt: Timestamp,
        tokenInvalidAt: Timestamp?
    ) {
        self.adventure = adventure
        self.seat = seat
        self.device = device
        self.record = record
        self.policy = policy
        self.startedAt = startedAt
        self.tokenInvalidAt = tokenInvalidAt
        cadence = ActivityCadence(
            policy: policy,
            frequentPushesEnabled: record.frequency == .frequent,
            startedAt: startedAt,
            resuming: nil,
            acknowledgedAt: .inLog(position - 1)
        )
        cadence.currentStateRequired(moment: .inLog(position), at: startedAt)
        checkpoint = Checkpoint(acknowledgedAt: .inLog(position - 1))
        observations = [.token(moment: .inLog(position), at: startedAt)]
    }

    /// The time of its next response, wake-up or flush.
    var next: Timestamp? {
        let next = inFlight?.respondsAt ?? wakesAt
        return [next, flushesAt].compactMap(\.self).min()
    }

    // MARK: - Log entries

    /// Observes the events of one moment.
    mutating func observe(_ events: [AdventureEvent], of adventure: Adventure, from first: Int64, at moment: Timestamp)
    {
        var position = first
        for event in events {
            let rule = PushRules.rule(for: event, after: adventure, receiver: seat)
            cadence.observe(rule, moment: .inLog(position), at: moment)
            observations.append(.event(rule, moment: .inLog(position), at: moment))
            alerts.observe(rule, moment: .inLog(position), at: moment)
            if rule.endsActivity { endedAt = .inLog(position) }
            position += 1
        }
        unshown.append((position - 1, moment))
    }

    /// Observes the registration of the second token.
    mutating func observeNewToken(position: Int64, at now: Timestamp) {
        tokenGeneration = 1
        cadence.currentStateRequired(moment: .inLog(position), at: now)
        observations.append(.token(moment: .inLog(position), at: now))
    }

    // MARK: - Flushes and crashes

    private mutating func flush(within interval: Duration, at now: Timestamp) {
        let due = now + interval
        flushesAt = min(flushesAt ?? due, due)
    }

    private mutating func store(_ device: inout CadenceDevice) {
        flushesAt = nil
        checkpoint = Checkpoint(
            lastTimestamp: lastTimestamp,
            acknowledgedAt: cadence.acknowledgedAt,
            acceptedAlerts: cadence.acceptedAlerts
        )
        observations.removeAll { $0.moment <= checkpoint.acknowledgedAt }
        device.storedFullAt = max(device.storedFullAt ?? device.cadenceBudget.fullAt, device.cadenceBudget.fullAt)
    }

    /// The dispatcher crashes, and the next one goes on with what is stored, as a `ShardFollower` does.
    ///
    /// A push in flight reaches the device, and its response is lost.
    mutating func crash(at now: Timestamp, on device: inout CadenceDevice) {
        if let inFlight, inFlight.succeeds, inFlight.tokenGeneration > 0 || tokenInvalidAt.map({ $0 > now }) ?? true {
            arrive(inFlight, on: &device.budget, at: now)
        }
        (inFlight, flushesAt, backoff) = (nil, nil, RetryBackoff())
        cadence = ActivityCadence(
            sharing: CadencePolicy.Shared(policy),
            frequentPushesEnabled: record.frequency == .frequent,
            startedAt: startedAt,
            resuming: checkpoint.lastTimestamp,
            acknowledgedAt: checkpoint.acknowledgedAt,
            acceptedAlerts: checkpoint.acceptedAlerts
        )
        cadence.firstTimestamp = now.epochSeconds + 2
        lastTimestamp = checkpoint.lastTimestamp
        observations.removeAll { $0.moment <= checkpoint.acknowledgedAt }
        var rules: [(rule: PushRule, moment: Timestamp)] = []
        for observation in observations {
            switch observation {
            case .event(let rule, let moment, let at):
                cadence.observe(rule, moment: moment, at: at)
                rules.append((rule, moment))
            case .token(let moment, let at): cadence.currentStateRequired(moment: moment, at: at)
            }
        }
        if let endedAt { cadence.adventureEnded(moment: endedAt, at: now) }
        device.cadenceBudget.assumeSpent(exceptFor: cadence.pace.alertReserve, at: now)
        let pushes = cadence.unrecordedPushes(rules, at: now) + (checkpoint.lastTimestamp == nil ? 1 : 0)
        device.cadenceBudget.assumeSpent(pushes, at: now)
    }

    /// The next dispatcher evaluates the activity.
    mutating func wake(at moment: Timestamp) { wakesAt = moment }

    // MARK: - Pushes

    /// Processes a response that is due, and carries out the cadence's next decision.
    mutating func act(
        at now: Timestamp,
        showing newest: Int64,
        over network: inout NetworkModel,
        to device: inout CadenceDevice
    ) {
        if let flushesAt, flushesAt <= now { store(&device) }
        if let inFlight, inFlight.respondsAt <= now { complete(inFlight, at: now, &network, &device) }
        wakesAt = nil
        switch cadence.next(at: now, showing: .inLog(newest), spending: &device.cadenceBudget) {
        case .send(let push):
            let request = network.request()
            lastTimestamp = push.timestamp
            inFlight = InFlightPush(
                push: push,
                position: newest,
                tokenGeneration: tokenGeneration,
                respondsAt: now + request.latency,
                succeeds: request.succeeds
            )
        case .wait(let moment, _): wakesAt = moment
        case .idle(.ended): hasEnded = true
        case .idle(.nothingPending), .idle(.inFlight), .idle(.tokenDead): break
        }
        for drop in cadence.takeDrops() {
            alerts.dropped(drop)
            flush(within: Self.flushIntervals.urgent, at: now)
        }
    }

    private mutating func complete(
        _ push: InFlightPush,
        at now: Timestamp,
        _ network: inout NetworkModel,
        _ device: inout CadenceDevice
    ) {
        inFlight = nil
        let isUrgent = push.push.alert != nil || push.push.reason == .newToken
        flush(within: isUrgent ? Self.flushIntervals.urgent : Self.flushIntervals.lazy, at: now)
        if !push.succeeds {
            let wait = backoff.wait(randomBits: network.randomBits())
            cadence.completed(.unanswered(retryAfter: wait), at: now, refunding: &device.cadenceBudget)
        } else if push.tokenGeneration == 0, let tokenInvalidAt, tokenInvalidAt <= now {
            let completion = tokenGeneration == 0 ? PushDisposition.tokenDead : .retryLater(after: .zero)
            cadence.completed(completion, at: now, refunding: &device.cadenceBudget)
        } else {
            backoff.reset()
            cadence.completed(.accepted, at: now, refunding: &device.cadenceBudget)
            arrive(push, on: &device.budget, at: now)
        }
    }

    private mutating func arrive(_ push: InFlightPush, on device: inout ModelledBudget, at now: Timestamp) {
        let isShown: Bool
        switch push.push.priority {
        case .high:
            record.highPushes += 1
            isShown = device.receivesPush(at: now)
        case .low:
            record.lowPushes += 1
            isShown = true
        }
        if let alert = push.push.alert {
            alerts.accepted(alert, for: push.push.alertMoments, isThrottled: !isShown, at: now)
        }
        guard isShown else { return }
        let shown = unshown.prefix { $0.position <= push.position }
        for change in shown { record.staleness.add(now - change.at) }
        unshown.removeFirst(shown.count)
    }

    /// Adds the records of an activity that has ended.
    func add(to records: inout CadenceRecords, at now: Timestamp) {
        var record = record
        record.lifetime = now - startedAt
        records.activities.append(record)
        records.alerts += alerts.alerts(on: record.frequency)
    }
}

extension Timestamp {
    /// Returns a moment that stands for a position of the simulated log, which gives each event a position of its own.
    fileprivate static func inLog(_ position: Int64) -> Self { Self(microseconds: position) }
}
