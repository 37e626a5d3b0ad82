public import Encodings
public import GameCore
import PushRules

/// The numbers of push-to-start, with their defaults and where these come from.
///
/// A phone has a budget of its own, which Apple keeps secret: senders report that after about ten starts in a short
/// time it starts nothing more, for up to a day, and that frequent pushes do not raise it.
public struct PushToStartPolicy: Hashable, Sendable {
    /// How many cards may be started on a player's phone within an hour: a journey and two fights.
    public var hourlyBudget = 3
    /// How many within a day: below the reported ten, with two to spare for starts that nobody counted.
    public var dailyBudget = 8
    /// How long a start waits for the app, which makes a card by itself when it is in the foreground.
    public var grace = Duration.seconds(3)
    /// How long a started card may take to report its token; until then nothing else is started.
    ///
    /// The token may come late: the system may wait for a person to allow it, and wakes an app when it suits it.
    public var answerLimit = Duration.seconds(10 * 60)
    /// How old the beginning of an adventure may be: a restart must not start cards for what is long under way.
    public var oldestBeginning = Duration.seconds(60)
    /// How long APNs keeps a start for a phone that is off: less than ``answerLimit``, so that two never arrive together.
    public var expiration = Duration.seconds(5 * 60)
    /// How long one adventure is not started twice: longer than the warning before a card's end can repeat a start.
    public var sameAdventureSpacing = Duration.seconds(60 * 60)

    /// How far the clocks of two nodes may be apart: with NTP milliseconds, and seconds when one has lost it for a while.
    public static let clockSkew = Duration.seconds(5)

    /// The defaults.
    public init() {}
}

/// Decides whether a card may be started on a player's phone by push.
///
/// A value without a clock. It counts claims, not successes: a start is never repeated because nobody answered, since
/// the phone may have done what it was told all the same.
public struct PushToStart: Sendable {
    /// A start that was claimed.
    public struct Start: Hashable, Sendable {
        /// Which adventure the card shows.
        public let adventureID: AdventureID
        /// When it was claimed.
        public let at: Timestamp

        /// A start.
        public init(adventureID: AdventureID, at: Timestamp) {
            self.adventureID = adventureID
            self.at = at
        }

        /// Whether a card of the adventure is the one that was started, by when it reported its token.
        ///
        /// Another node may have written that moment, so it may be ``PushToStartPolicy/clockSkew`` before the start.
        public func isAnswered(byCardRegisteredAt moment: Timestamp) -> Bool {
            moment > at - PushToStartPolicy.clockSkew
        }
    }

    /// How long a start is remembered.
    private static let memory = Duration.seconds(24 * 60 * 60)
    private static let hour = Duration.seconds(60 * 60)

    private let policy: PushToStartPolicy
    /// What is remembered, oldest first.
    public private(set) var starts: [Start]

    /// The starts of one player, oldest first.
    public init(policy: PushToStartPolicy, starts: [Start]) {
        self.policy = policy
        self.starts = starts
    }

    /// The newest start, if its card may still be about to report its token.
    public func outstanding(at now: Timestamp) -> Start? {
        starts.last.flatMap { now - $0.at < policy.answerLimit ? $0 : nil }
    }

    /// Claims a start.
    /// - Parameters:
    ///   - adventureID: which adventure the card is to show.
    ///   - isAnswered: whether a new activity of the ``outstanding(at:)`` start's adventure was registered since.
    ///   - now: the time.
    /// - Returns: nil when it is claimed, and ``starts`` holds it; else why not.
    public mutating func claim(
        for adventureID: AdventureID,
        outstandingIsAnswered isAnswered: Bool,
        at now: Timestamp
    ) -> StartRefusal? {
        func count(within duration: Duration) -> Int { starts.count { now - $0.at < duration } }
        let isRepeated = starts.contains {
            $0.adventureID == adventureID && now - $0.at < policy.sameAdventureSpacing
        }
        if isRepeated { return .alreadyStarted }
        if outstanding(at: now) != nil, !isAnswered { return .outstanding }
        if count(within: Self.hour) >= policy.hourlyBudget { return .hourlyBudget }
        if count(within: Self.memory) >= policy.dailyBudget { return .dailyBudget }
        starts.removeAll { now - $0.at >= Self.memory }
        starts.append(Start(adventureID: adventureID, at: now))
        return nil
    }
}

/// Why no card is started on a phone.
public enum StartRefusal: String, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The app has made one by itself, or had one.
    case hasCard
    /// One was started for this adventure already.
    case alreadyStarted
    /// Another start has not been answered.
    case outstanding
    /// This hour's starts are spent.
    case hourlyBudget
    /// This day's starts are spent.
    case dailyBudget
    /// The adventure's beginning, or what else asked for a card, is too long ago.
    case tooLate
    /// The adventure is over, or its player has left.
    case adventureOver
    /// APNs refuses everything that is sent to the token's environment.
    case routeStopped
    /// Another node has claimed a start, or the token has changed, again and again.
    case lostClaim

    /// For people who ask why a phone got no card.
    public var description: String {
        switch self {
        case .hasCard: "the phone has a card of the adventure, or had one"
        case .alreadyStarted: "a card of this adventure was started already"
        case .outstanding: "the last card that was started has not reported its token"
        case .hourlyBudget: "this hour's starts are spent"
        case .dailyBudget: "this day's starts are spent"
        case .tooLate: "it is too long ago that the card was wanted"
        case .adventureOver: "the adventure is over for this player"
        case .routeStopped: "APNs refuses all pushes from here, until an operator mends that"
        case .lostClaim: "others were faster to change what was read"
        }
    }
}

extension CadencePolicy {
    /// When the state of a card that is started now counts as out of date, in seconds since 1970.
    /// - Parameters:
    ///   - kind: what the card shows: a journey's state stays true for longer.
    ///   - frequentPushesEnabled: what the app reported.
    ///   - now: the time.
    /// - Returns: `stale-date`; a card that never reports its token shows from then on that it is behind.
    public func staleDateOfStart(
        of kind: AdventureKind,
        frequentPushesEnabled: Bool,
        at now: Timestamp
    ) -> Int64 {
        let freshness: Freshness =
            switch kind {
            case .bossFight: .brief
            case .journey: .lasting
            }
        return staleDate(of: freshness, frequentPushesEnabled: frequentPushesEnabled, at: now)
    }
}
