import GameCore
public import PushCadence
import PushRules

// The English texts for operators. An entry reads "`triggerText`. `actionText`, until then – `reasonText`."

extension DecisionRecord {
    /// The trigger of the decision, such as `Hero down`.
    public var triggerText: String {
        switch trigger {
        case .event(let kind): kind.asWords
        case .registered: "The app registered the activity"
        case .tokenReplaced: "The app registered a new token"
        case .released: "The app released the activity"
        case .pushRequested: "An operator requested a push"
        case .endRequested: "An operator requested the end"
        case .outage: "The game stood still during an outage"
        case .pushCompleted: "The push in flight completed"
        case .time: "A wait was over"
        }
    }

    /// The action, such as `Sent at priority 10 for 3 events, accepted`; ``until`` follows it.
    public var actionText: String {
        switch action {
        case .sent(let priority, let reason, let tries, let result):
            sendingText(priority, reason) + (events > 1 ? " for \(events) events" : "")
                + (tries > 1 ? ", tried \(tries) times" : "") + (result.map { ", \($0.text)" } ?? "")
        case .completed(let result): "Last push \(result.text)"
        case .delayed: events > 1 ? "\(events) events delayed" : "Delayed"
        case .idle(.inFlight): (events > 1 ? "\(events) events merged" : "Merged") + " into the next push"
        case .idle(.nothingPending), .idle(.ended), .idle(.tokenDead): "Nothing to send"
        case .dropped(let subject, let reason):
            switch reason {
            case .cancelledByEvent, .cancelledByEnd, .starved: "Cancelled \(subject.text)"
            case .expired: "Let \(subject.text) expire"
            case .queueFull, .replaced, .rejected, .muted: "Dropped \(subject.text)"
            }
        case .departed: "No longer pushed to"
        case .notServed: "Not pushed to by this server"
        }
    }

    private func sendingText(_ priority: PushPriority, _ reason: SendReason) -> String {
        switch reason {
        case .turnDemoted: "Demoted to priority \(priority.rawValue) and sent"
        case .requested where priority == .low: "Demoted to priority \(priority.rawValue) and sent"
        case .alert(let kind): "Alert \"\(kind.text)\" sent at priority \(priority.rawValue)"
        case .end: "End sent at priority \(priority.rawValue)"
        case .newToken, .requested, .turn, .turnWithoutFrequentPushes, .low, .activityEndsSoon:
            "Sent at priority \(priority.rawValue)"
        }
    }

    /// The reason for the action, as a clause; nil if the text of the action includes it.
    public var reasonText: String? {
        switch action {
        case .sent(_, .alert, _, _): "alerts are never demoted"
        case .sent(_, let reason, _, _): reason.text
        case .delayed(_, let reason): reason.text
        case .idle(let reason): reason.text
        case .dropped(_, let reason): reason.text
        case .departed: "the phone no longer shows the activity"
        case .notServed: "this server does not send to the environment of the token"
        case .completed: nil
        }
    }

    /// The action in one word, for programs.
    public var name: String {
        switch action {
        case .sent(.low, .turnDemoted, _, _), .sent(.low, .requested, _, _): "demoted"
        case .sent: "sent"
        case .completed(let result): result.name
        case .delayed: "delayed"
        case .idle(.inFlight): "merged"
        case .idle(.nothingPending), .idle(.ended), .idle(.tokenDead): "idle"
        case .dropped(_, let reason):
            switch reason {
            case .cancelledByEvent, .cancelledByEnd, .starved: "cancelled"
            case .expired: "expired"
            case .queueFull, .replaced, .rejected, .muted: "dropped"
            }
        case .departed: "departed"
        case .notServed: "notServed"
        }
    }

    /// The cause of the wait after this decision, as a sentence; ``until`` is the end of the wait.
    public var waitText: String {
        switch action {
        case .delayed(_, let reason): "Waiting: \(reason.text)"
        case .sent(_, _, _, result: nil), .idle(.inFlight): "Waiting for the response to the last push"
        case .sent(_, _, _, result: .retry(_, let cause)?), .completed(.retry(_, let cause)):
            "Waiting before the next try: \(cause.text)"
        case .sent(_, _, _, result: .tokenDead?), .completed(.tokenDead), .idle(.tokenDead):
            "Waiting for a new token from the app: the old one is dead"
        case .sent(_, _, _, result: .accepted?), .sent(_, _, _, result: .rejected?), .completed(.accepted),
            .completed(.rejected), .idle(.nothingPending), .dropped:
            "Nothing is pending: waiting for the next event"
        case .idle(.ended), .departed: "Waiting for nothing: the activity has ended"
        case .notServed: "Waiting for a token that this server can send to"
        }
    }
}

extension DecisionRecord.Result {
    /// The result in one word, for programs.
    public var name: String {
        switch self {
        case .accepted: "accepted"
        case .retry: "retried"
        case .rejected: "rejected"
        case .tokenDead: "tokenDead"
        }
    }

    /// The reason why the push was not accepted; nil if it was.
    public var cause: DecisionRecord.Cause? {
        switch self {
        case .accepted: nil
        case .retry(_, let cause), .rejected(let cause), .tokenDead(let cause): cause
        }
    }

    fileprivate var text: String {
        switch self {
        case .accepted: "accepted"
        case .retry(_, let cause): "failed (\(cause.text)), waiting"
        case .rejected(let cause): "rejected for good (\(cause.text))"
        case .tokenDead(let cause): "rejected, since the token is dead (\(cause.text))"
        }
    }
}

extension DecisionRecord.Cause {
    /// The cause as a clause for operators.
    public var text: String {
        switch self {
        case .apns(let reason, _): "APNs responded \(reason)"
        case .noResponse: "no response from APNs"
        case .neverSent: "not sent, since APNs could not be reached"
        case .invalidRequest: "the request could not be built"
        }
    }
}

extension SendReason {
    fileprivate var text: String {
        switch self {
        case .alert(let kind): "alert: \(kind.text)"
        case .end(.adventureOver): "the adventure is over for this phone: final state"
        case .end(.tooOld): "the activity reached the maximum age that phones allow"
        case .end(.replaced): "a newer activity shows the adventure"
        case .end(.requested): "an operator requested the end: current state"
        case .activityEndsSoon: "the activity says that it ends soon, at its maximum age"
        case .newToken: "the token is new: current state"
        case .requested: "an operator requested it: current state"
        case .turn: "a turn, at priority 10 since the phone takes frequent pushes"
        case .turnWithoutFrequentPushes: "a turn, at priority 5 since the phone takes no frequent pushes"
        case .turnDemoted: "a turn, at priority 5 since the rest of the budget is reserved for alerts"
        case .low: "small changes, coalesced into one push"
        }
    }
}

extension WaitReason {
    fileprivate var text: String {
        switch self {
        case .minimumSpacing: "at most one push a second"
        case .backingOff: "the last try failed"
        case .turnSpacing: "turns are coalesced"
        case .lowSpacing: "small changes are coalesced"
        case .budget: "the budget of priority 10 is spent"
        case .breakerOpen: "APNs rejects all pushes from here until an operator fixes the cause"
        case .concurrencyLimit: "the maximum number of pushes is in flight"
        case .scheduled: "the activity is scheduled, and has not started"
        }
    }
}

extension IdleReason {
    fileprivate var text: String {
        switch self {
        case .nothingPending: "the phone shows the newest state"
        case .inFlight: "a push is in flight"
        case .ended: "the activity has ended"
        case .tokenDead: "the token is dead"
        }
    }
}

extension Drop.Reason {
    /// The reason for the drop, as a clause.
    public var text: String {
        switch self {
        case .cancelledByEvent: "a later event made it obsolete"
        case .cancelledByEnd: "the adventure was over first"
        case .starved: "it waited for budget until a later event made it obsolete"
        case .expired: "it waited too long to be worth a sound"
        case .queueFull: "too many alerts were waiting for the phone"
        case .replaced: "a newer alert of its kind replaced it"
        case .rejected: "APNs rejected it for good"
        case .muted: "muted by the player"
        }
    }
}

extension Drop.Subject {
    fileprivate var text: String {
        switch self {
        case .alert(let kind): "the alert \"\(kind.text)\""
        case .state: "a state"
        case .end: "the end"
        }
    }
}

extension AlertKind {
    /// The kind in words, with seats that count from 0.
    fileprivate var text: String {
        switch self {
        case .ownHeroDown: "own hero down"
        case .companionDown(let seat): "hero down, seat \(seat.rawValue)"
        case .heroInDanger: "own hero in danger"
        case .ownTurn: "own turn"
        case .bossAppeared: "boss appeared"
        case .bossDefeated: "boss defeated"
        case .partyWiped: "party wiped"
        case .adventureOver: "adventure over"
        }
    }
}

extension String {
    /// The words of a camelCase name: `Hero down` for `heroDown`.
    fileprivate var asWords: String {
        let words = reduce(into: "") { words, letter in
            words += letter.isUppercase ? " \(letter.lowercased())" : String(letter)
        }
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
