public import PushRules

/// Every number of the cadence, with its default and where that comes from.
///
/// Apple keeps the real budgets secret, so each default is a judgement and each number a setting. "Reported" below
/// means what senders have published, none of it confirmed by Apple: about 15 pushes of priority 10 an hour without
/// frequent pushes; one a second empties any budget within a minute; iOS 18 draws an activity at most once in 5 to
/// 15 seconds, where iOS 17 drew it every second.
public struct CadencePolicy: Hashable, Sendable {
    /// The numbers that depend on `frequentPushesEnabled`.
    public struct Pace: Hashable, Sendable {
        /// Time between two pushes when turns of a boss fight are owed.
        public var turnSpacing: Duration
        /// Time between two pushes when nothing but low things are owed; not shorter than ``turnSpacing``.
        public var lowSpacing: Duration
        /// How many pushes of priority 10 may follow each other at once; more than ``CadencePolicy/personalReserve``.
        public var highCapacity: Int
        /// How long it takes until one more push of priority 10 is allowed.
        public var highRefill: Duration
        /// How much of ``highCapacity`` all that is no alert, and the alert of an own turn, leave to the other alerts; at
        /// least ``CadencePolicy/personalReserve``.
        public var alertReserve: Int
        /// How long after a push the phone shows a fight's state as out of date.
        ///
        /// Longer than any spacing, tick and turn, and with room for priority 5, which the system may hold back.
        public var staleAfter: Duration
        /// The same of a journey's state, where little happens from one tick to the next: twice as long by default.
        public var journeyStaleAfter: Duration

        /// The pace of one kind of phone.
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

        /// How many pushes of priority 10 an alert leaves to weightier ones.
        public func reserve(for weight: AlertWeight) -> Int {
            switch weight {
            case .routine: alertReserve
            case .companion: CadencePolicy.personalReserve
            case .personal: CadencePolicy.endReserve
            case .final: 0
            }
        }

        /// Phones with frequent pushes.
        ///
        /// - Turns every 3 s: between what iOS 17 and iOS 18 draw, so that a fight of players who answer at once is
        ///   still followed; the budget below is what keeps it in bounds.
        /// - Low things every 10 s: the default tick of a journey, so each tick is shown.
        /// - 30 pushes of priority 10 at once and one more every 14 s: a minute of the quickest fight, and every turn of
        ///   a fight whose turns take the default 15 s; in no hour more than 300. Reported is only "far more than 15",
        ///   and that iOS 18 draws an activity once in 5 to 15 s, of which one in 12 s is the careful half.
        /// - 8 kept for alerts: every hero of the largest party goes down once.
        public static let frequent = Self(
            turnSpacing: .seconds(3),
            lowSpacing: .seconds(10),
            highCapacity: 30,
            highRefill: .seconds(14),
            alertReserve: 8,
            staleAfter: .seconds(120),
            journeyStaleAfter: .seconds(240)
        )

        /// Phones without frequent pushes.
        ///
        /// - Turns and low things every 30 s, at priority 5: two turns or three ticks of a journey in one push, of
        ///   which the system may put more together still.
        /// - 6 pushes of priority 10 at once and one more every 400 s (9 an hour): in no hour more than the reported 15.
        /// - 4 kept for alerts: a boss that appears, a hero who is down, the end, and one more; of the other 2 one brings
        ///   a new token up to date at once, and one tells of a turn.
        public static let standard = Self(
            turnSpacing: .seconds(30),
            lowSpacing: .seconds(30),
            highCapacity: 6,
            highRefill: .seconds(400),
            alertReserve: 4,
            staleAfter: .seconds(300),
            journeyStaleAfter: .seconds(600)
        )
    }

    /// Time between any two pushes of one activity: timestamps are whole seconds and must grow.
    public static let minimumSpacing = Duration.seconds(1)

    /// How many pushes of priority 10 are left to the alert that tells the end.
    public static let endReserve = 1
    /// How many are left to what nobody else can do anything about, and to the alert that tells the end.
    public static let personalReserve = endReserve + 1

    /// Phones with frequent pushes.
    public var frequent = Pace.frequent
    /// The other phones.
    public var standard = Pace.standard
    /// How many alerts may wait for one phone; of more the least weighty is dropped.
    ///
    /// Ten is one for every hero of the largest party, one for the boss and one for the end: by default none is ever
    /// dropped.
    public var alertQueueBound = 10
    /// How long an alert may wait for its push.
    ///
    /// What it tells is true for all that time, since what makes it untrue cancels it; longer than a phone whose budget
    /// is spent waits for the next push.
    public var alertExpiry = Duration.seconds(600)
    /// How long the Lock Screen keeps an ended activity: long enough to be seen, well below the system's 4 hours.
    public var dismissalAfter = Duration.seconds(15 * 60)
    /// How long APNs keeps an `end` for a phone that is off: the longest life of an activity, after which the system
    /// has ended it anyway.
    public var endExpiration = Duration.seconds(8 * 60 * 60)

    /// How long before the end of its life a card says that it ends soon: time to open the app, or to start a new card.
    public var ageWarningBefore = Duration.seconds(25 * 60)
    /// How long before the end of its life a card is ended: the last word is ours and not the system's.
    ///
    /// Its life is counted from its registration, which may come as late as ``PushToStartPolicy/answerLimit`` after the
    /// card was started by push, and ends two minutes before the system's also then.
    public var ageEndBefore = Duration.seconds(12 * 60)

    /// When a card may be started by push.
    public var pushToStart = PushToStartPolicy()

    /// How long the system lets a Live Activity live (Apple, "Displaying live data with Live Activities").
    public static let longestLife = Duration.seconds(8 * 60 * 60)

    var warnsAtAge: Duration { Self.longestLife - max(ageWarningBefore, ageEndBefore) }
    var endsAtAge: Duration { Self.longestLife - ageEndBefore }

    /// The defaults.
    public init() {}

    /// The pace of one kind of phone.
    public func pace(frequentPushesEnabled: Bool) -> Pace {
        frequentPushesEnabled ? frequent : standard
    }

    /// A policy that many activities have in common: it takes some hundred bytes, and is there once for all of them.
    public final class Shared: Sendable {
        /// The numbers.
        public let policy: CadencePolicy

        /// A policy to be shared.
        public init(_ policy: CadencePolicy) {
            self.policy = policy
        }
    }
}
