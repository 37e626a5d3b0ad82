public import Encodings
import GameCore
public import PushRules

/// Decides when one Live Activity is pushed next, at which priority and with which alert.
///
/// The cadence is a value without a clock: the caller passes events, push dispositions and the time, and gets a
/// ``CadenceDecision``. It is level-triggered: of all pending events it keeps only the first moment, the highest
/// urgency and their number, and the *newest* state is sent for all of them. Its size therefore does not depend on the
/// number of events. Only alerts are queued, each with an expiry and with the events that cancel it.
///
/// What concerns the activity is ordered by its moment. All events of a tick or an input have the same moment.
///
/// Invariants:
///
/// - At most one push is in flight, and at most one push is sent a second.
/// - Timestamps strictly increase.
/// - The accepted pushes of priority 10 stay within the budget of the phone.
/// - An alert is never demoted. It is sent, or dropped with a reason (``takeDrops()``).
/// - `end` is sent until APNs accepts it or rejects it for good, and nothing follows it. If the token changes while
///   `end` is in flight, `end` is sent to the new token too, since the phone may not have received it.
///
/// To drive a cadence, call ``observe(_:moment:at:)`` for the events in order, then
/// ``next(at:showing:spending:)``. When that returns ``CadenceDecision/send(_:)``, write the request at once, report
/// its disposition with ``completed(_:at:refunding:)`` and call `next` again.
public struct ActivityCadence: Sendable {
    /// The phase of the activity's life.
    enum Life {
        /// The adventure goes on. Next: `ending`.
        ///
        /// The outcome is announced when APNs has accepted an alert such as "the boss is defeated", which may come
        /// before the event that ends the adventure.
        case live(isOutcomeAnnounced: Bool)
        /// The adventure or the activity's own life is over: alerts that announce the outcome are pending, then `end`,
        /// for the event at `moment`. Next: `announced` or `ended`.
        case ending(moment: Timestamp, EndReason, isOutcomeAnnounced: Bool)
        /// The adventure is over, and APNs has accepted the alert of the events that ended it, at
        /// `moment`. `end` is pending for that event. Next: `ended`, or `ending` for a new token.
        case announced(moment: Timestamp)
        /// APNs accepted `end`, or rejected it for good. Nothing follows.
        case ended
    }

    /// The state of deliveries to the activity's push token: at most one push is in flight.
    enum Delivery {
        /// No push is in flight. Next: `inFlight`.
        case ready(pending: PendingState?)
        /// One push awaits its outcome; `pending` summarizes the events since it was sent. Next: `ready` or
        /// `tokenDead`.
        case inFlight(BoxedPush, pending: PendingState?)
        /// APNs reported the token as dead. No state is pending, since the next token requires the current state
        /// anyway. Next: `ready`.
        case tokenDead
    }

    /// A push in flight, on the heap: it is larger than the rest of the cadence, and few activities have one at a time.
    final class BoxedPush: Sendable {
        let push: InFlightPush

        init(_ push: InFlightPush) {
            self.push = push
        }
    }

    /// The warning that the activity soon reaches its maximum age.
    ///
    /// It is independent of ``Life``: a warning may still be pending while the alert of the outcome waits for budget.
    enum AgeWarning {
        case notDue
        case pending
        case shown
    }

    /// The newest push that was sent.
    struct LastPush {
        /// Its `timestamp`, in seconds since 1970.
        var timestamp: Int64
        var sentAt: Timestamp
    }

    let shared: CadencePolicy.Shared
    let frequentPushesEnabled: Bool

    /// The time from which the age of the activity counts.
    private(set) var startedAt: Timestamp
    /// The time before which only its `end` is sent, since it is scheduled; nil for an activity that the app registered
    /// as running.
    private var startsAt: Timestamp?

    var life = Life.live(isOutcomeAnnounced: false)
    var delivery = Delivery.ready(pending: nil)
    var ageWarning = AgeWarning.notDue
    /// The freshness of the newest state.
    var freshness: Freshness
    /// The number of tokens that replaced the first one; a push to an older token acknowledges nothing.
    var tokenGeneration = 0
    var alerts: AlertQueue
    /// The alerts after ``acknowledgedAt`` that APNs has accepted, while an earlier or a lighter one, or `end`, is pending.
    ///
    /// A successor of this cadence, on this node or another, observes their events again, and must not repeat them. They
    /// are no more than the budget allows until the waiting alert expires.
    public internal(set) var acceptedAlerts: [AcceptedAlert]
    var drops: [Drop] = []

    var lastPush: LastPush?
    /// The lowest timestamp of the next push, in seconds since 1970.
    ///
    /// Earlier holders of the lease may have used lower ones that are not stored.
    public var firstTimestamp: Int64 = 0
    /// The end of the wait after a push that failed.
    var notBefore: Timestamp?

    /// The newest moment that was observed.
    var observedUntil: Timestamp
    /// The newest moment that an accepted push shows.
    var shownUntil: Timestamp

    /// Creates the cadence of an activity without pending events, with its own policy; see
    /// ``init(sharing:frequentPushesEnabled:startedAt:startsAt:resuming:acknowledgedAt:acceptedAlerts:freshness:)``.
    public init(
        policy: CadencePolicy,
        frequentPushesEnabled: Bool,
        startedAt: Timestamp,
        resuming lastTimestamp: Int64?,
        acknowledgedAt: Timestamp,
        freshness: Freshness = .brief
    ) {
        self.init(
            sharing: CadencePolicy.Shared(policy),
            frequentPushesEnabled: frequentPushesEnabled,
            startedAt: startedAt,
            resuming: lastTimestamp,
            acknowledgedAt: acknowledgedAt,
            acceptedAlerts: [],
            freshness: freshness
        )
    }

    /// Creates the cadence of an activity for which nothing is pending.
    /// - Parameters:
    ///   - shared: the policy, which many activities share.
    ///   - frequentPushesEnabled: the value that the app reported; it is fixed for the life of the activity.
    ///   - startedAt: the time at which the app registered the activity. The system ends an activity eight hours after
    ///     it started it; see ``CadencePolicy/maxLifetime``.
    ///   - startsAt: the time at which the device starts a scheduled activity, from which its age counts; nil for an
    ///     activity that is not scheduled.
    ///   - lastTimestamp: the timestamp of the newest push, sent by this process or another; nil before the first push.
    ///   - acknowledgedAt: the moment up to which nothing is pending.
    ///   - acceptedAlerts: the ``acceptedAlerts`` of the predecessor of this cadence.
    ///   - freshness: the freshness of the newest state, according to the events up to `acknowledgedAt`; by
    ///     default that of a fight.
    public init(
        sharing shared: CadencePolicy.Shared,
        frequentPushesEnabled: Bool,
        startedAt: Timestamp,
        startsAt: Timestamp? = nil,
        resuming lastTimestamp: Int64?,
        acknowledgedAt: Timestamp,
        acceptedAlerts: [AcceptedAlert],
        freshness: Freshness = .brief
    ) {
        self.shared = shared
        self.frequentPushesEnabled = frequentPushesEnabled
        self.startedAt = startsAt ?? startedAt
        self.startsAt = startsAt
        self.freshness = freshness
        self.alerts = AlertQueue(bound: shared.policy.maxQueuedAlerts)
        self.acceptedAlerts = acceptedAlerts
        self.lastPush = lastTimestamp.map { LastPush(timestamp: $0, sentAt: Timestamp(epochSeconds: $0)) }
        self.observedUntil = acknowledgedAt
        self.shownUntil = acknowledgedAt
    }

    // MARK: - Pending and acknowledged

    /// The first moment for which something is pending; nil if nothing is pending or the token is dead.
    public var pendingSince: Timestamp? {
        var first = alerts.pendingSince
        switch delivery {
        case .ready(let pending):
            first = earlier(first, pending?.firstAt)
        case .inFlight(let boxed, let pending):
            first = earlier(first, earlier(pending?.firstAt, boxed.push.pendingSince))
        case .tokenDead: return nil
        }
        switch life {
        case .live, .ended: return first
        case .ending(let moment, _, _), .announced(let moment): return earlier(first, moment)
        }
    }

    /// The moment up to which nothing is pending; it never decreases.
    public var acknowledgedAt: Timestamp { pendingSince.map { $0.previous } ?? observedUntil }

    /// Whether a push is pending whose result an operator who requested one gets: the requested push, or the end.
    public var isRequestPending: Bool {
        if isTokenDead { return false }
        switch life {
        case .live: return pending?.requestedAt != nil || boxedPush?.push.pending?.requestedAt != nil
        case .ending, .announced: return true
        case .ended: return false
        }
    }

    /// Counts the pushes of priority 10 that an earlier holder of the lease may have sent without a record, besides those
    /// that leave the reserve of alerts: for each alert that was pending since its last record and may use the reserve,
    /// and the end.
    /// - Parameters:
    ///   - rules: the rules of the events since the last record, each with its moment.
    ///   - now: the time.
    /// - Returns: the number.
    public func unrecordedPushes(_ rules: some Sequence<(rule: PushRule, moment: Timestamp)>, at now: Timestamp) -> Int
    {
        let alerts = rules.count { rule, moment in
            guard let kind = rule.alert?.kind, pace.reserve(for: kind.weight) < pace.alertReserve else { return false }
            return !acceptedAlerts.contains(AcceptedAlert(kind: kind, moment: moment))
        }
        return alerts + (isLive && now < startedAt + policy.endsAtAge ? 0 : 1)
    }

    /// Returns the start of a scheduled activity that has not started; nil otherwise.
    ///
    /// Until then only its `end` is sent: the device shows nothing yet, and takes no updates.
    public func pendingStart(at now: Timestamp) -> Timestamp? { startsAt.flatMap { $0 > now ? $0 : nil } }

    /// Notes when the device starts, or has started, a scheduled activity.
    public mutating func scheduled(for moment: Timestamp) {
        startsAt = moment
        startedAt = moment
    }

    /// Whether the wait after a push that failed is not over.
    public func isBackingOff(at now: Timestamp) -> Bool { notBefore.map { $0 > now } ?? false }

    /// Whether an alert or the end is pending; both take precedence over the states of other activities.
    public var isUrgent: Bool {
        switch life {
        case .live: alerts.pendingSince != nil
        case .ending, .announced: true
        case .ended: false
        }
    }

    /// Returns and removes the drops since the last call, oldest first; at most ``maxDrops``.
    public mutating func takeDrops() -> [Drop] {
        defer { drops = [] }
        return drops
    }

    /// The maximum number of drops that are kept for ``takeDrops()``; older ones are discarded.
    public static let maxDrops = 32

    var policy: CadencePolicy { shared.policy }
    /// The parameters for the phone.
    public var pace: CadencePolicy.Pace { policy.pace(frequentPushesEnabled: frequentPushesEnabled) }

    mutating func record(_ new: [Drop]) {
        guard !new.isEmpty else { return }
        drops = (drops + new).suffix(Self.maxDrops)
    }
}

// MARK: - Reading and changing the states

extension ActivityCadence {
    var isLive: Bool {
        switch life {
        case .live: true
        case .ending, .announced, .ended: false
        }
    }

    /// Whether `end` was accepted, or rejected for good, so that nothing follows.
    public var isEnded: Bool {
        switch life {
        case .live, .ending, .announced: false
        case .ended: true
        }
    }

    var isTokenDead: Bool {
        switch delivery {
        case .ready, .inFlight: false
        case .tokenDead: true
        }
    }

    /// The push that awaits its outcome.
    var boxedPush: BoxedPush? {
        switch delivery {
        case .ready, .tokenDead: nil
        case .inFlight(let boxed, _): boxed
        }
    }

    /// The state to send next.
    var pending: PendingState? {
        switch delivery {
        case .ready(let pending), .inFlight(_, let pending): pending
        case .tokenDead: nil
        }
    }

    /// Adds to the pending state; changes nothing while the token is dead.
    mutating func addPending(_ state: PendingState) {
        switch delivery {
        case .ready(let pending): delivery = .ready(pending: state.merged(with: pending))
        case .inFlight(let boxed, let pending): delivery = .inFlight(boxed, pending: state.merged(with: pending))
        case .tokenDead: break
        }
    }

    mutating func addPending(_ urgency: Urgency, moment: Timestamp) {
        addPending(PendingState(firstAt: moment, lastAt: moment, urgency: urgency, events: 1))
    }

    /// Marks alerts of the push in flight as cancelled, which matters only if the push fails.
    mutating func cancelAlertsInFlight(because reason: Drop.Reason, where isCancelled: (AlertKind) -> Bool) {
        guard case .inFlight(let boxed, let pending) = delivery, !boxed.push.alerts.isEmpty else { return }
        var push = boxed.push
        guard push.cancelAlerts(because: reason, where: isCancelled) else { return }
        delivery = .inFlight(BoxedPush(push), pending: pending)
    }
}

/// Returns the earlier of two moments, of which either may be missing.
func earlier(_ one: Timestamp?, _ other: Timestamp?) -> Timestamp? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
}

extension Timestamp {
    /// The next moment that can be told apart.
    var next: Self { Self(microseconds: microseconds + 1) }

    /// The moment before, up to which everything is acknowledged if this one is pending.
    var previous: Self { Self(microseconds: microseconds - 1) }
}
