public import Encodings
import GameCore
public import PushRules

/// Decides when one Live Activity is pushed next, at which priority and with which alert.
///
/// A value without a clock: events, answers and time come in, one ``Decision`` comes out. It is level-triggered: of
/// all that happened it only remembers that the *newest* state is owed, since when and how urgently, so it neither
/// grows nor falls behind however many events there are. Alerts alone are queued, each with an expiry and with what
/// makes it pointless.
///
/// What always holds: one push under way at a time and at most one a second; timestamps strictly grow; the pushes of
/// priority 10 that were accepted stay within the phone's budget; an alert is never demoted, and is sent or dropped
/// with a reason (``takeDrops()``); `end` is sent until it is accepted or refused for good, and nothing follows it
/// (when the token changed under way it is sent to the new one too, since the phone may not have seen it).
///
/// How it is driven: ``observe(_:position:at:)`` for the events of the log in order, then
/// ``next(at:showing:spending:)``; on `send` the request is written at once and ``completed(_:at:refunding:)`` tells
/// its answer; then `next` again.
public struct ActivityCadence: Sendable {
    enum Life {
        /// The adventure goes on.
        case live
        /// The adventure, or the card's own life, is over: owes alerts that tell the end, then `end`, for that position.
        case ending(since: Int64, EndReason)
        /// `end` is accepted, or refused for good.
        case ended
    }

    /// Whether the phone was told that the card ends soon.
    enum AgeWarning {
        case notDue
        case owed
        case shown
    }

    let shared: CadencePolicy.Shared
    let frequentPushesEnabled: Bool

    let startedAt: Timestamp

    var life = Life.live
    var ageWarning = AgeWarning.notDue
    /// Whether an alert with the final state was accepted.
    var hasToldTheEnd = false
    /// Whether that was the alert of the very event whose `end` is owed.
    var isHalfTold = false
    /// How long the state that is newest stays true.
    var freshness: Freshness
    var owed: OwedState?
    var tokenIsDead = false
    /// Grows with each token: what went to an older one settles nothing.
    var tokenGeneration = 0
    var alerts: AlertQueue
    private var flightApart: FlightApart?
    var drops: [Drop] = []

    var lastTimestamp: Int64?
    var lastSent: Timestamp?
    var notBefore: Timestamp?

    var observedThrough: Int64
    var shownThrough: Int64

    /// The push that is under way.
    var flight: Flight? {
        get { if case .flight(let flight)? = flightApart { flight } else { nil } }
        set { flightApart = newValue.map(FlightApart.flight) }
    }

    /// A flight takes more room than all the rest, and hardly any activity has one at a time.
    private indirect enum FlightApart {
        case flight(Flight)
    }

    /// The cadence of an activity that owes nothing yet, with numbers of its own; see
    /// ``init(sharing:frequentPushesEnabled:startedAt:resuming:settledThrough:fresh:)``.
    public init(
        policy: CadencePolicy,
        frequentPushesEnabled: Bool,
        startedAt: Timestamp,
        resuming lastTimestamp: Int64?,
        settledThrough position: Int64,
        fresh freshness: Freshness = .brief
    ) {
        self.init(
            sharing: CadencePolicy.Shared(policy),
            frequentPushesEnabled: frequentPushesEnabled,
            startedAt: startedAt,
            resuming: lastTimestamp,
            settledThrough: position,
            fresh: freshness
        )
    }

    /// The cadence of an activity that owes nothing yet.
    /// - Parameters:
    ///   - shared: the numbers, which many activities have in common.
    ///   - frequentPushesEnabled: what the app reported; it holds for the activity's life.
    ///   - startedAt: when the app registered the activity: the system ends it eight hours after it started it, see
    ///     ``CadencePolicy/longestLife``.
    ///   - lastTimestamp: the timestamp of the last push, if any was sent before, by this process or another.
    ///   - position: nothing at or below this position of the log is owed.
    ///   - freshness: how long the state stays true that is newest now, which events before `position` tell; a fight's
    ///     unless told.
    public init(
        sharing shared: CadencePolicy.Shared,
        frequentPushesEnabled: Bool,
        startedAt: Timestamp,
        resuming lastTimestamp: Int64?,
        settledThrough position: Int64,
        fresh freshness: Freshness = .brief
    ) {
        self.shared = shared
        self.frequentPushesEnabled = frequentPushesEnabled
        self.startedAt = startedAt
        self.freshness = freshness
        self.alerts = AlertQueue(bound: shared.policy.alertQueueBound)
        self.lastTimestamp = lastTimestamp
        self.lastSent = lastTimestamp.map(Timestamp.init(epochSeconds:))
        self.observedThrough = position
        self.shownThrough = position
    }

    // MARK: - What is owed

    /// The first position of the log that something is still owed for; nil when nothing is.
    ///
    /// The lowest of these over all activities of a shard bounds the shard's checkpoint.
    public var owedSince: Int64? {
        if tokenIsDead { return nil }
        var positions = [owed?.since, alerts.owedSince, flight?.owed?.since, flight?.alerts.map(\.owedSince).min()]
        switch life {
        case .live, .ended: break
        case .ending(let since, _): positions.append(since)
        }
        return positions.compactMap(\.self).min()
    }

    /// Nothing at or below this position of the log is still owed; it never goes back.
    public var settledThrough: Int64 { owedSince.map { $0 - 1 } ?? observedThrough }

    /// Whether it owes what should not wait behind states of others: an alert, or the end.
    public var isUrgent: Bool {
        switch life {
        case .live: alerts.owedSince != nil
        case .ending: true
        case .ended: false
        }
    }

    /// Through which position of the log a cadence that goes on in the place of this one need not tell anything again.
    ///
    /// That is ``settledThrough``, but where an event owed an alert and `end`, of which only the alert was accepted: it counts
    /// as told here, and the other cadence, which is to observe it nevertheless, owes `end` alone.
    public var toldThrough: Int64 {
        guard isHalfTold, case .ending(let since, _) = life else { return settledThrough }
        let alert = [alerts.owedSince, flight?.alerts.map(\.owedSince).min()].compactMap(\.self).min()
        return max(settledThrough, min(since, alert.map { $0 - 1 } ?? since))
    }

    /// What was dropped since the last call, oldest first; the last ``dropsKept`` at most.
    public mutating func takeDrops() -> [Drop] {
        defer { drops = [] }
        return drops
    }

    /// How many drops are remembered for ``takeDrops()``.
    public static let dropsKept = 32

    var policy: CadencePolicy { shared.policy }
    var pace: CadencePolicy.Pace { policy.pace(frequentPushesEnabled: frequentPushesEnabled) }

    var isLive: Bool {
        switch life {
        case .live: true
        case .ending, .ended: false
        }
    }

    var isEnded: Bool {
        switch life {
        case .live, .ending: false
        case .ended: true
        }
    }

    mutating func record(_ new: [Drop]) {
        drops = (drops + new).suffix(Self.dropsKept)
    }
}
