public import Encodings
public import GameCore
import PushRules

/// The parameters of push-to-start, with their defaults and the sources of the defaults.
///
/// A device has a separate budget for starts, which Apple keeps secret. Senders report that after about ten starts in a
/// short time a phone starts nothing more for up to a day, and that frequent pushes do not raise that limit.
public struct PushToStartPolicy: Hashable, Sendable {
    /// The maximum number of activities started on a device within an hour: one more than a party's share.
    public var hourlyBudget = 4
    /// The maximum number within a day: below the reported ten, with two to spare for starts that were not counted.
    public var dailyBudget = 8
    /// The maximum number for the adventures of one party within an hour: enough for a journey and two fights.
    ///
    /// A leader decides how often a party sets out. Without shares, a hostile leader could spend the starts that the
    /// player's other parties need.
    public var partyHourlyBudget = 3
    /// The maximum number for the adventures of one party within a day: half of ``dailyBudget``.
    public var partyDailyBudget = 4
    /// The delay of a start, since an app in the foreground starts an activity by itself.
    public var appGracePeriod = Duration.seconds(3)
    /// The time within which a started activity must register its token; until then no other start is sent.
    ///
    /// The token may arrive late: the system may ask the user for permission, and decides when it wakes the app.
    public var registrationTimeout = Duration.seconds(10 * 60)
    /// The maximum age of a request for a start: after a restart, no activities are started for adventures that began
    /// long ago.
    public var maxRequestAge = Duration.seconds(60)
    /// The time for which APNs keeps a start for a phone that is off: less than ``registrationTimeout``, so that two
    /// starts never arrive together.
    public var expiration = Duration.seconds(5 * 60)
    /// The minimum time between two starts for one adventure.
    ///
    /// It is longer than ``CadencePolicy/ageWarningBefore``: the age warning of an activity would otherwise repeat the
    /// start.
    public var sameAdventureSpacing = Duration.seconds(60 * 60)

    /// The maximum difference between the clocks of two nodes: milliseconds with NTP, seconds after a node lost it for
    /// a while.
    public static let maxClockSkew = Duration.seconds(5)

    /// Creates a policy with the defaults.
    public init() {}
}

/// The budget of activities that are started by push on one device.
///
/// Each party has a share of it (``PushToStartPolicy/partyHourlyBudget``, ``PushToStartPolicy/partyDailyBudget``), and the
/// last start of an hour or of a day is left to a party that had none in that time.
///
/// The budget is a value without a clock. It counts claims, not successes: a start is never repeated for lack of a
/// response, since the phone may have started the activity anyway.
public struct PushToStartBudget: Sendable {
    /// A start that was claimed.
    public struct Start: Hashable, Sendable {
        /// The adventure that the activity shows.
        public let adventureID: AdventureID
        /// The party of the adventure.
        public let partyID: PartyID
        /// The time at which it was claimed.
        public let at: Timestamp

        /// Creates a start.
        public init(adventureID: AdventureID, partyID: PartyID, at: Timestamp) {
            self.adventureID = adventureID
            self.partyID = partyID
            self.at = at
        }

        /// Returns whether an activity of the adventure that was registered at `moment` is the result of this start.
        ///
        /// `moment` may come from another node's clock, so it may be up to ``PushToStartPolicy/maxClockSkew`` before
        /// the start.
        public func isConfirmed(byActivityRegisteredAt moment: Timestamp) -> Bool {
            moment > at - PushToStartPolicy.maxClockSkew
        }
    }

    /// The time for which a start is remembered.
    private static let retention = Duration.seconds(24 * 60 * 60)
    private static let hour = Duration.seconds(60 * 60)

    private let policy: PushToStartPolicy
    /// The starts of the last day, oldest first.
    public private(set) var starts: [Start]

    /// Creates a budget from the starts of one device, oldest first.
    public init(policy: PushToStartPolicy, starts: [Start]) {
        self.policy = policy
        self.starts = starts
    }

    /// Returns the newest start if its activity may still register its token; nil otherwise.
    public func outstanding(at now: Timestamp) -> Start? {
        starts.last.flatMap { now - $0.at < policy.registrationTimeout ? $0 : nil }
    }

    /// Claims a start.
    /// - Parameters:
    ///   - adventureID: the adventure that the activity would show.
    ///   - partyID: the party of the adventure.
    ///   - isConfirmed: whether an activity was registered for the adventure of the ``outstanding(at:)`` start after
    ///     that start.
    ///   - now: the time.
    /// - Returns: nil if the start was claimed and added to ``starts``; otherwise the reason for the denial.
    public mutating func claim(
        for adventureID: AdventureID,
        of partyID: PartyID,
        outstandingIsConfirmed isConfirmed: Bool,
        at now: Timestamp
    ) -> StartDenial? {
        let isRepeated = starts.contains {
            $0.adventureID == adventureID && now - $0.at < policy.sameAdventureSpacing
        }
        if isRepeated { return .alreadyStarted }
        if outstanding(at: now) != nil, !isConfirmed { return .outstanding }
        let hour = starts.filter { now - $0.at < Self.hour }
        let day = starts.filter { now - $0.at < Self.retention }
        if hour.count >= policy.hourlyBudget { return .hourlyBudget }
        if day.count >= policy.dailyBudget { return .dailyBudget }
        let isWithinShare =
            Self.leavesOthers(hour, of: policy.hourlyBudget, share: policy.partyHourlyBudget, to: partyID)
            && Self.leavesOthers(day, of: policy.dailyBudget, share: policy.partyDailyBudget, to: partyID)
        if !isWithinShare { return .partyShare }
        starts.removeAll { now - $0.at >= Self.retention }
        starts.append(Start(adventureID: adventureID, partyID: partyID, at: now))
        return nil
    }

    /// Whether another start for a party stays within its share, and leaves the last start of the budget to a party that
    /// has had none.
    private static func leavesOthers(_ starts: [Start], of budget: Int, share: Int, to partyID: PartyID) -> Bool {
        let own = starts.count { $0.partyID == partyID }
        return own < share && (own == 0 || starts.count < budget - 1)
    }
}

/// The reason why no activity is started on a device.
public enum StartDenial: String, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The device has, or had, an activity of the adventure.
    case hasActivity
    /// The device has as many live activities as iOS shows for an app.
    case deviceFull
    /// An activity was already started for this adventure.
    case alreadyStarted
    /// The activity of the last start has not registered yet.
    case outstanding
    /// The budget of this hour is spent.
    case hourlyBudget
    /// The budget of this day is spent.
    case dailyBudget
    /// The party has used its share, and the rest is left to other parties.
    case partyShare
    /// The request is older than ``PushToStartPolicy/maxRequestAge``.
    case tooLate
    /// The adventure is over, or its player left.
    case adventureOver
    /// The circuit breaker of the token's environment is open.
    case breakerOpen
    /// Other nodes' claims or new tokens made every attempt to claim fail.
    case lostClaim

    /// A clause for logs.
    public var description: String {
        switch self {
        case .hasActivity: "the device has, or had, an activity of the adventure"
        case .deviceFull: "the device has as many live activities as iOS shows for an app"
        case .alreadyStarted: "an activity of this adventure was started already"
        case .outstanding: "the last activity that was started has not registered its token"
        case .hourlyBudget: "the budget of this hour is spent"
        case .dailyBudget: "the budget of this day is spent"
        case .partyShare: "the party has used its share of the budget, and the rest is left to other parties"
        case .tooLate: "the occasion of the start is too long ago"
        case .adventureOver: "the adventure is over for this player"
        case .breakerOpen: "APNs rejects all pushes from here until an operator fixes the cause"
        case .lostClaim: "other nodes changed the record at every attempt"
        }
    }
}

extension CadencePolicy {
    /// Returns the `stale-date` of an activity that is started now.
    ///
    /// From then on, the phone shows an activity that has not registered its token as out of date.
    /// - Parameters:
    ///   - kind: the kind of the adventure; the state of a journey stays true for longer.
    ///   - frequentPushesEnabled: the value that the app reported.
    ///   - now: the time.
    /// - Returns: seconds since 1970.
    public func staleDateOfStart(
        of kind: AdventureKind,
        frequentPushesEnabled: Bool,
        at now: Timestamp
    ) -> Int64 {
        let freshness: Freshness =
            switch kind {
            case .bossFight, .raid: .brief
            case .journey: .lasting
            }
        return staleDate(of: freshness, frequentPushesEnabled: frequentPushesEnabled, at: now)
    }
}
