import Encodings
import GameCore
import PushCadence
import PushDispatch
import PushRules

/// A simulated device; its activities share both budgets.
struct CadenceDevice {
    /// The device's own budget.
    var budget: ModelledBudget
    /// The budget that the dispatcher spends.
    var cadenceBudget: DeviceBudget

    init(_ frequency: PushFrequency, policy: CadencePolicy) {
        budget = ModelledBudget(perHour: frequency.budgetPerHour)
        cadenceBudget = DeviceBudget(policy.pace(frequentPushesEnabled: frequency == .frequent))
    }
}

/// One Live Activity from start to end: the real cadence with a simulated log, APNs and device.
///
/// It never reaches the maximum age of an activity, since no adventure lasts eight hours.
struct CadenceActivity {
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

    /// Creates an activity with its first state pending.
    init(
        of adventure: Int,
        seat: Seat,
        record: CadenceRecords.Activity,
        policy: CadencePolicy,
        position: Int64,
        startedAt: Timestamp,
        tokenInvalidAt: Timestamp?
    ) {
        self.adventure = adventure
        self.seat = seat
        self.record = record
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
    }

    /// The time of its next response or wake-up.
    var next: Timestamp? { inFlight?.respondsAt ?? wakesAt }

    // MARK: - Log entries

    /// Observes the events of one moment.
    mutating func observe(_ events: [AdventureEvent], of adventure: Adventure, from first: Int64, at moment: Timestamp)
    {
        var position = first
        for event in events {
            let rule = PushRules.rule(for: event, after: adventure, receiver: seat)
            cadence.observe(rule, moment: .inLog(position), at: moment)
            alerts.observe(rule, moment: .inLog(position), at: moment)
            position += 1
        }
        unshown.append((position - 1, moment))
    }

    /// Observes the registration of the second token.
    mutating func observeNewToken(position: Int64, at now: Timestamp) {
        tokenGeneration = 1
        cadence.currentStateRequired(moment: .inLog(position), at: now)
    }

    // MARK: - Pushes

    /// Processes a response that is due, and carries out the cadence's next decision.
    mutating func act(
        at now: Timestamp,
        showing newest: Int64,
        over network: inout NetworkModel,
        to device: inout CadenceDevice
    ) {
        if let inFlight, inFlight.respondsAt <= now { complete(inFlight, at: now, &network, &device) }
        wakesAt = nil
        switch cadence.next(at: now, showing: .inLog(newest), spending: &device.cadenceBudget) {
        case .send(let push):
            let request = network.request()
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
        for drop in cadence.takeDrops() { alerts.dropped(drop) }
    }

    private mutating func complete(
        _ push: InFlightPush,
        at now: Timestamp,
        _ network: inout NetworkModel,
        _ device: inout CadenceDevice
    ) {
        inFlight = nil
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
