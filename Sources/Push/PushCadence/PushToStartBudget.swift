public import Encodings
public import GameCore
public import GameLog
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
    /// The maximum age of a request for the activity of a raid: longer than ``registrationTimeout``, since it waits for the
    /// start of the party's own activity, and for the requests of other parties.
    public var maxRaidRequestAge = Duration.seconds(15 * 60)
    /// The delay of the start of a raid's activity, and of each retry: the raid's channel, and the token of the party's own
    /// activity, usually exist within it.
    public var raidDelay = Duration.seconds(10)
    /// The minimum time between the requests for raids' activities that one node processes, each for the devices of one
    /// party: fifty in a second leave most of the node's starts to adventures.
    public var raidSpacing = Duration.milliseconds(20)
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
/// last start of an hour or of a day is left to a party that had none in that time: no activity of a raid takes it.
///
/// The budget is a value without a clock. It counts claims, not successes: a start is never repeated for lack of a
/// response, since the phone may have started the activity anyway.
public struct PushToStartBudget: Sendable {
    /// The time for which a start is remembered.
    private static let retention = Duration.seconds(24 * 60 * 60)
    private static let hour = Duration.seconds(60 * 60)

    private let policy: PushToStartPolicy
    /// The starts of the last day, oldest first.
    public private(set) var starts: [PushToStart]

    /// Creates a budget from the starts of one device, oldest first.
    public init(policy: PushToStartPolicy, starts: [PushToStart]) {
        self.policy = policy
        self.starts = starts
    }

    /// Returns the newest start of an adventure's activity if that may still register its token; nil otherwise.
    public func outstanding(at now: Timestamp) -> PushToStart? {
        starts.last { $0.raidID == nil }.flatMap { now - $0.at < policy.registrationTimeout ? $0 : nil }
    }

    /// Claims a start.
    ///
    /// An activity of a raid is not started again while the start is remembered.
    /// - Parameters:
    ///   - subject: what the activity would show.
    ///   - isConfirmed: whether an activity was registered for the adventure of the ``outstanding(at:)`` start after
    ///     that start.
    ///   - now: the time.
    /// - Returns: nil if the start was claimed and added to ``starts``; otherwise the reason for the denial.
    public mutating func claim(
        _ subject: PushToStart.Subject,
        outstandingIsConfirmed isConfirmed: Bool,
        at now: Timestamp
    ) -> StartDenial? {
        let (spacing, partyID): (Duration, PartyID?) =
            switch subject {
            case .adventure(_, let partyID): (policy.sameAdventureSpacing, partyID)
            case .raid: (Self.retention, nil)
            }
        if starts.contains(where: { $0.subject == subject && now - $0.at < spacing }) { return .alreadyStarted }
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
        starts.append(PushToStart(subject, at: now))
        return nil
    }

    /// Whether another start for a party, or for a raid without one, stays within the party's share, and leaves the last
    /// start of the budget to a party that has had none.
    private static func leavesOthers(
        _ starts: [PushToStart],
        of budget: Int,
        share: Int,
        to partyID: PartyID?
    ) -> Bool {
        guard let partyID else { return starts.count < budget - 1 }
        let own = starts.count { $0.partyID == partyID }
        return own < share && (own == 0 || starts.count < budget - 1)
    }
}

extension PushToStart {
    /// Returns whether an activity of the adventure that was registered at `moment` is the result of this start.
    ///
    /// `moment` may come from another node's clock, so it may be up to ``PushToStartPolicy/maxClockSkew`` before the start.
    public func isConfirmed(byActivityRegisteredAt moment: Timestamp) -> Bool {
        moment > at - PushToStartPolicy.maxClockSkew
    }
}

/// The reason why no activity is started on a device.
public enum StartDenial: String, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The device has, or had, an activity of the adventure.
    case hasActivity
    /// The device has as many live activities as iOS shows for an app.
    case deviceFull
    /// An activity was already started for this adventure or raid.
    case alreadyStarted
    /// The activity of the last start has not registered yet.
    case outstanding
    /// The budget of this hour is spent.
    case hourlyBudget
    /// The budget of this day is spent.
    case dailyBudget
    /// The party has used its share, and the rest is left to other parties.
    case partyShare
    /// The request is older than ``PushToStartPolicy/maxRequestAge``, or ``PushToStartPolicy/maxRaidRequestAge``.
    case tooLate
    /// The adventure is over, or its player left.
    case adventureOver
    /// The raid's channel has had no broadcast yet.
    case channelNotLive
    /// The circuit breaker of the token's environment is open.
    case breakerOpen
    /// Other nodes' claims or new tokens made every attempt to claim fail.
    case lostClaim

    /// A clause for logs.
    public var description: String {
        switch self {
        case .hasActivity: "the device has, or had, an activity of the adventure"
        case .deviceFull: "the device has as many live activities as iOS shows for an app"
        case .alreadyStarted: "an activity of this adventure or raid was started already"
        case .outstanding: "the last activity that was started has not registered its token"
        case .hourlyBudget: "the budget of this hour is spent"
        case .dailyBudget: "the budget of this day is spent"
        case .partyShare: "the party has used its share of the budget, and the rest is left to other parties"
        case .tooLate: "the occasion of the start is too long ago"
        case .adventureOver: "the adventure is over for this player"
        case .channelNotLive: "the raid's channel is not live yet"
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
