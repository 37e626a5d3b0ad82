public import PushRules

/// The parameters of the cadence, with their defaults and the sources of the defaults.
///
/// Apple keeps the real budgets secret, so each default is a judgement and each number is a setting. "Reported" below
/// refers to figures that senders have published and Apple has not confirmed: about 15 pushes of priority 10 an hour
/// without frequent pushes; one push a second exhausts any budget within a minute; iOS 18 draws an activity at most
/// once in 5 to 15 seconds, while iOS 17 drew it every second.
public struct CadencePolicy: Hashable, Sendable {
    /// The parameters that depend on `frequentPushesEnabled`.
    public struct Pace: Hashable, Sendable {
        /// The time between two pushes while turns of a boss fight are pending.
        public var turnSpacing: Duration
        /// The time between two pushes while only small changes are pending; at least ``turnSpacing``.
        public var lowSpacing: Duration
        /// The number of pushes of priority 10 that may be sent in a burst; more than
        /// ``CadencePolicy/personalReserve``.
        public var highCapacity: Int
        /// The time after which one more push of priority 10 is allowed.
        public var highRefill: Duration
        /// The part of ``highCapacity`` that is reserved for all alerts except those of the player's own turn and of the
        /// own hero in danger; at least ``CadencePolicy/personalReserve``.
        public var alertReserve: Int
        /// The time after a push at which the phone shows the state of a fight as out of date.
        ///
        /// It is longer than any spacing, tick and turn, and leaves room for priority 5, which the system may hold
        /// back.
        public var staleAfter: Duration
        /// The time after a push at which the phone shows the state of a journey as out of date: by default twice as
        /// long, since little happens from one tick to the next.
        public var journeyStaleAfter: Duration

        /// Creates a pace.
        public init(
            turnSpacing: Duration,
            lowSpacing: Duration,
            highCapacity: Int,
            highRefill: Duration,
            alertReserve: Int,
            staleAfter: Duration,
            journeyStaleAfter: Duration
        ) {
            self.turnSpacing = turnSpacing
            self.lowSpacing = lowSpacing
            self.highCapacity = highCapacity
            self.highRefill = highRefill
            self.alertReserve = alertReserve
            self.staleAfter = staleAfter
            self.journeyStaleAfter = journeyStaleAfter
        }

        /// Returns the number of pushes of priority 10 that an alert of this weight leaves to alerts of higher weight.
        public func reserve(for weight: AlertWeight) -> Int {
            switch weight {
            case .routine, .warning: alertReserve
            case .companion: CadencePolicy.personalReserve
            case .personal: CadencePolicy.endReserve
            case .final: 0
            }
        }

        /// The defaults for phones with frequent pushes.
        ///
        /// - Turns every 3 s: between what iOS 17 and iOS 18 draw, so that a fight of players who respond at once can
        ///   still be followed. The budget below limits it.
        /// - Small changes every 10 s: the default tick of a journey, so each tick is shown.
        /// - 30 pushes of priority 10 in a burst and one more every 14 s: enough for a minute of the fastest fight, and
        ///   for every turn of a fight with the default turn of 15 s; at most 300 in any hour. Senders report only "far
        ///   more than 15" an hour, and that iOS 18 draws an activity once in 5 to 15 s; 300 an hour, one in 12 s, is
        ///   within that range.
        /// - 8 reserved for alerts: every hero of the largest party goes down once.
        public static let frequent = Self(
            turnSpacing: .seconds(3),
            lowSpacing: .seconds(10),
            highCapacity: 30,
            highRefill: .seconds(14),
            alertReserve: 8,
            staleAfter: Freshness.brief.staleAfter(frequentPushesEnabled: true),
            journeyStaleAfter: Freshness.lasting.staleAfter(frequentPushesEnabled: true)
        )

        /// The defaults for phones without frequent pushes.
        ///
        /// - Turns and small changes every 30 s, at priority 5: two turns or three ticks of a journey in one push. The
        ///   system may coalesce these further.
        /// - 6 pushes of priority 10 in a burst and one more every 400 s (9 an hour): at most the reported 15 in any
        ///   hour.
        /// - 4 reserved for alerts: a boss that appears, a hero who is down, the end, and one more. The other 2 are for
        ///   alerts of the own hero in danger and of the player's own turns, and for requested pushes.
        public static let standard = Self(
            turnSpacing: .seconds(30),
            lowSpacing: .seconds(30),
            highCapacity: 6,
            highRefill: .seconds(400),
            alertReserve: 4,
            staleAfter: Freshness.brief.staleAfter(frequentPushesEnabled: false),
            journeyStaleAfter: Freshness.lasting.staleAfter(frequentPushesEnabled: false)
        )
    }

    /// The minimum time between two pushes of one activity: timestamps are whole seconds and must increase.
    public static let minimumSpacing = Duration.seconds(1)

    /// The number of pushes of priority 10 that are reserved for the alert that announces the outcome.
    public static let endReserve = 1
    /// The number of pushes of priority 10 that are reserved for personal alerts and the alert that announces the
    /// outcome.
    public static let personalReserve = endReserve + 1

    /// The pace of phones with frequent pushes.
    public var frequent = Pace.frequent
    /// The pace of phones without frequent pushes.
    public var standard = Pace.standard
    /// The maximum number of alerts that wait for one phone; above it, the oldest of the lowest weight is dropped.
    ///
    /// The default suffices for one alert for each hero of the largest party, one for the boss and one for the end, so
    /// no alert is dropped.
    public var maxQueuedAlerts = 10
    /// The maximum time that an alert waits for its push.
    ///
    /// An alert stays valid while it waits, since any event that invalidates it cancels it. The default is longer than
    /// the time in which a spent budget regains one push.
    public var alertExpiry = Duration.seconds(600)
    /// The time for which the Lock Screen keeps an ended activity: enough to be noticed, and well below the system's
    /// limit of 4 hours.
    public var dismissalAfter = Duration.seconds(15 * 60)
    /// The time for which APNs keeps an `end` for a phone that is off: the maximum lifetime of an activity, after which
    /// the system has ended it anyway.
    public var endExpiration = Duration.seconds(8 * 60 * 60)

    /// The time before its maximum age at which an activity warns that it ends soon.
    ///
    /// It leaves the player time to open the app, or the server time to start a new activity.
    public var ageWarningBefore = Duration.seconds(25 * 60)
    /// The time before its maximum age at which the server ends an activity, so that the system does not.
    ///
    /// The age counts from the registration, which may come up to ``PushToStartPolicy/registrationTimeout`` after a
    /// start by push. Even then, the server ends the activity two minutes before the system does.
    public var ageEndBefore = Duration.seconds(12 * 60)

    /// The maximum number of ordinary alerts to a device within an hour, while it shows no Live Activity of the adventure: a
    /// fight with some turns and its end, and not more than players bear without muting the app.
    public var fallbackHourlyBudget = 6

    /// The policy for starting activities by push.
    public var pushToStart = PushToStartPolicy()

    /// The minimum time between two pushes to the widgets of a device, which report all changes in between.
    ///
    /// Apple keeps the budget of such pushes secret; for the reloads that widgets plan themselves it names 40 to 70 a day,
    /// so at most 96 a day suit players who play all day.
    public var widgetSpacing = Duration.seconds(15 * 60)

    /// The age at which the system ends a Live Activity (Apple, "Displaying live data with Live Activities").
    public static let maxLifetime = Duration.seconds(8 * 60 * 60)

    var warnsAtAge: Duration { Self.maxLifetime - max(ageWarningBefore, ageEndBefore) }
    var endsAtAge: Duration { Self.maxLifetime - ageEndBefore }

    /// Creates a policy with the defaults.
    public init() {}

    /// Returns the pace of phones with or without frequent pushes.
    public func pace(frequentPushesEnabled: Bool) -> Pace {
        frequentPushesEnabled ? frequent : standard
    }

    /// A policy that many activities share: it takes several hundred bytes, and exists once for all of them.
    public final class Shared: Sendable {
        /// The policy.
        public let policy: CadencePolicy

        /// Creates a shared policy.
        public init(_ policy: CadencePolicy) {
            self.policy = policy
        }
    }
}
