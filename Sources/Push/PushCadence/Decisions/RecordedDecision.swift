public import Encodings
import GameCore
public import PushRules

/// One entry of a ``DecisionLog``: what happened, what was decided then, and why.
public struct RecordedDecision: Hashable, Sendable {
    /// What made somebody decide.
    public enum Change: Hashable, Sendable {
        /// An event of the adventure, by its name in the log; the most urgent one where several came at once.
        case event(kind: String)
        /// An entry of the log that could not be read.
        case unreadableEvent
        /// The phone registered the activity.
        case registered
        /// The phone gave the activity a new token.
        case tokenReplaced
        /// The phone let go of the activity.
        case released
        /// An operator asked for a push with the current state.
        case pushAsked
        /// An operator asked for the card's end.
        case endAsked
        /// APNs answered, or did not.
        case answer
        /// A moment came that had been waited for.
        case time
    }

    /// What was decided.
    public enum Verdict: Hashable, Sendable {
        /// A push; `tries` counts how often in a row it was tried, `answer` is nil while there is none.
        case sent(PushPriority, SendReason, tries: Int, answer: Answer?)
        /// The answer to a push further up, after something else had been decided.
        case answered(Answer)
        /// To wait.
        case delayed(until: Timestamp, WaitReason)
        /// To do nothing; while a push is under way what happened goes into the next one.
        case idle(IdleReason)
        /// Never to send something that was owed.
        case dropped(Drop.Subject, Drop.Reason)
        /// To push to the activity no more, since its phone has let go of it.
        case letGo
        /// To leave the activity to others: nobody here sends to its token's environment.
        case notServed
    }

    /// How a push went.
    public enum Answer: Hashable, Sendable {
        /// APNs took it.
        case accepted
        /// It did not get through, and what is newest then is tried again.
        case retry(at: Timestamp, Cause)
        /// It will never be taken.
        case refused(Cause)
        /// Its token is dead.
        case tokenDead(Cause)
    }

    /// Who says why a push did not get through.
    public enum Cause: Hashable, Sendable {
        /// APNs, by its reason, such as `TooManyRequests`.
        case apns(reason: String)
        /// There was no answer.
        case silence
        /// The push could not even be made.
        case ourselves
    }

    /// When, to the millisecond; of entries that were folded, when the first was made.
    public let at: Timestamp
    /// The position of the log that it is about.
    public internal(set) var position: Int64
    /// How many events it is about; those that one push tells of, or that wait together.
    public internal(set) var events: Int
    /// What happened.
    public let change: Change
    /// What was decided.
    public internal(set) var verdict: Verdict

    init(at moment: Timestamp, position: Int64, events: Int, change: Change, verdict: Verdict) {
        self.at = moment.toTheMillisecond
        self.position = position
        self.events = events
        self.change = change
        self.verdict = verdict
    }

    /// `apns-priority` of the push that was decided on, if one was.
    public var priority: Int? {
        if case .sent(let priority, _, _, _) = verdict { priority.rawValue } else { nil }
    }

    /// The answer to the push that was decided on, once there is one.
    public var answer: Answer? {
        if case .sent(_, _, _, let answer) = verdict { answer } else { nil }
    }

    /// Until when it was decided to wait, if it was, and if somebody knows.
    public var until: Timestamp? {
        switch verdict {
        case .delayed(_, .room): nil
        case .delayed(let moment, _): moment
        case .sent(_, _, _, .retry(let moment, _)?), .answered(.retry(let moment, _)): moment
        case .sent, .answered, .idle, .dropped, .letGo, .notServed: nil
        }
    }
}

extension Timestamp {
    /// Without what is finer than a millisecond: decisions are stored so.
    var toTheMillisecond: Self { Self(microseconds: epochMilliseconds * 1_000) }
}
