public import Encodings
import GameCore
public import PushCadence
public import PushRules

/// One entry of a ``DecisionLog``: a decision about an activity, with its trigger and its reason.
public struct DecisionRecord: Hashable, Sendable {
    /// The trigger of the decision.
    public enum Trigger: Hashable, Sendable {
        /// An event of the adventure, by its name; of several events the most urgent.
        case event(kind: String)
        /// The app registered the activity.
        case registered
        /// The app registered a new token for the activity.
        case tokenReplaced
        /// The app released the activity.
        case released
        /// An operator requested a push with the current state.
        case pushRequested
        /// An operator requested the end of the activity.
        case endRequested
        /// The game stood still during an outage, which moved the deadline of the turn.
        case outage
        /// The push in flight completed.
        case pushCompleted
        /// A wait ended.
        case time
    }

    /// The decision itself: what is done about the activity.
    public enum Action: Hashable, Sendable {
        /// Send a push; `tries` is the number of consecutive tries, and `result` is nil until the push completes.
        case sent(PushPriority, SendReason, tries: Int, result: Result?)
        /// The result of an earlier push, after which another decision was made.
        case completed(Result)
        /// Wait until a time, for a reason.
        case delayed(until: Timestamp, WaitReason)
        /// Do nothing; while a push is in flight, the next push includes the new events.
        case idle(IdleReason)
        /// Drop something that was pending.
        case dropped(Drop.Subject, Drop.Reason)
        /// Stop following the activity, since its app released it.
        case departed
        /// Leave the activity to other nodes: this node does not send to the environment of its token.
        case notServed
    }

    /// The result of a push.
    public enum Result: Hashable, Sendable {
        /// APNs accepted it.
        case accepted
        /// The push failed; the state that is newest at the given time is sent then.
        case retry(at: Timestamp, Cause)
        /// APNs rejected it for good.
        case rejected(Cause)
        /// The token is dead.
        case tokenDead(Cause)
    }

    /// The reason why a push was not accepted.
    public enum Cause: Hashable, Sendable {
        /// APNs gave this reason, such as `TooManyRequests`, with this HTTP status, which is kept only of a reason that
        /// Apple does not document.
        case apns(reason: String, status: Int? = nil)
        /// The push was sent, but there was no response: APNs may have accepted it.
        case noResponse
        /// The push was never sent, for example without a connection to APNs.
        case neverSent
        /// The request could not be built.
        case invalidRequest

        /// The HTTP status of the response of APNs: that which Apple documents for the reason, or else the one that was
        /// kept; nil without a response, and if an older release recorded an undocumented reason.
        public var status: Int? {
            guard case .apns(let reason, let status) = self else { return nil }
            return switch reason {
            case "BadPath": 404
            case "MethodNotAllowed": 405
            case "ExpiredToken", "Unregistered": 410
            case "PayloadTooLarge": 413
            case "TooManyProviderTokenUpdates", "TooManyRequests": 429
            case "InternalServerError": 500
            case "ServiceUnavailable", "Shutdown": 503
            case "BadCertificate", "BadCertificateEnvironment", "BadEnvironmentKeyInToken", "ExpiredProviderToken",
                "Forbidden", "InvalidProviderToken", "MissingProviderToken", "TopicMismatch", "UnrelatedKeyIdInToken":
                403
            default: CodedNames.reasons.code(of: reason).map { _ in 400 } ?? status
            }
        }
    }

    /// The time of the decision, to the millisecond; for merged entries, the time of the first one.
    public let at: Timestamp
    /// The moment of the newest change that the decision concerns, such as an event, to the millisecond.
    public internal(set) var changeAt: Timestamp
    /// The number of events that the decision concerns: those that one push reports, or that wait together.
    public internal(set) var events: Int
    /// The trigger of the decision.
    public let trigger: Trigger
    /// The decision itself.
    public internal(set) var action: Action
    /// The facts about the push, if one was sent; nil if an older release recorded it.
    public internal(set) var push: SentPush?

    init(
        at moment: Timestamp,
        changeAt: Timestamp,
        events: Int,
        trigger: Trigger,
        action: Action,
        push: SentPush? = nil
    ) {
        self.at = moment.roundedDownToMilliseconds
        self.changeAt = changeAt.roundedDownToMilliseconds
        self.events = events
        self.trigger = trigger
        self.action = action
        self.push = push
    }

    /// `apns-priority` of the push, if one was sent.
    public var priority: Int? {
        if case .sent(let priority, _, _, _) = action { priority.rawValue } else { nil }
    }

    /// The result of the push, if one was sent and has completed.
    public var result: Result? {
        if case .sent(_, _, _, let result) = action { result } else { nil }
    }

    /// The end of the wait; nil if the decision is not a wait, or if the end is unknown.
    public var until: Timestamp? {
        switch action {
        case .delayed(_, .concurrencyLimit): nil
        case .delayed(let moment, _): moment
        case .sent(_, _, _, .retry(let moment, _)?), .completed(.retry(let moment, _)): moment
        case .sent, .completed, .idle, .dropped, .departed, .notServed: nil
        }
    }
}

extension Timestamp {
    /// The time rounded down to milliseconds, the precision with which decisions are stored.
    var roundedDownToMilliseconds: Self { Self(microseconds: epochMilliseconds * 1_000) }
}
