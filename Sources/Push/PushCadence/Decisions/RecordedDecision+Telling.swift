import GameCore
import PushRules

// What people read: an entry is "`happened`. `decided`, until then – `why`."

extension RecordedDecision {
    /// What happened, such as `Hero down`.
    public var happened: String {
        switch change {
        case .event(let kind): kind.inWords
        case .unreadableEvent: "Something happened that this release cannot read"
        case .registered: "The phone registered the card"
        case .tokenReplaced: "The phone sent a new token"
        case .released: "The phone let go of the card"
        case .pushAsked: "An operator pushed"
        case .endAsked: "An operator ended the card"
        case .answer: "An answer came"
        case .time: "Time passed"
        }
    }

    /// What was decided, such as `Sent at priority 10 for 3 events together, accepted`; ``until`` belongs behind it.
    public var decided: String {
        switch verdict {
        case .sent(let priority, let reason, let tries, let answer):
            sending(priority, reason) + (events > 1 ? " for \(events) events together" : "")
                + (tries > 1 ? ", tried \(tries) times" : "") + (answer.map { ", \($0.decided)" } ?? "")
        case .answered(let answer): "Last push \(answer.decided)"
        case .delayed: events > 1 ? "\(events) events delayed together" : "Delayed"
        case .idle(.inFlight): (events > 1 ? "\(events) events merged" : "Merged") + " into the next push"
        case .idle(.nothingOwed), .idle(.ended), .idle(.tokenDead): "Nothing to send"
        case .dropped(let subject, let reason):
            switch reason {
            case .cancelledByEvent, .cancelledByEnd, .outwaited: "Cancelled \(subject.inWords)"
            case .expired: "Let \(subject.inWords) expire"
            case .queueFull, .replaced, .refused: "Dropped \(subject.inWords)"
            }
        case .letGo: "Pushed no more"
        case .notServed: "Not pushed from here"
        }
    }

    private func sending(_ priority: PushPriority, _ reason: SendReason) -> String {
        switch reason {
        case .turnDemoted: "Demoted to priority \(priority.rawValue) and sent"
        case .newToken where priority == .low, .asked where priority == .low:
            "Demoted to priority \(priority.rawValue) and sent"
        case .alert(let kind): "Alert \"\(kind.inWords)\" sent at priority \(priority.rawValue)"
        case .end: "End sent at priority \(priority.rawValue)"
        case .newToken, .asked, .turn, .turnWithoutFrequentPushes, .low, .cardEndsSoon:
            "Sent at priority \(priority.rawValue)"
        }
    }

    /// Why, as a part of a sentence; nil where what was decided says it.
    public var why: String? {
        switch verdict {
        case .sent(_, .alert, _, _): "alerts are never demoted"
        case .sent(_, let reason, _, _): reason.description
        case .delayed(_, let reason): reason.description
        case .idle(let reason): reason.description
        case .dropped(_, let reason): reason.description
        case .letGo: "the phone shows it no more"
        case .notServed: "this server does not send to the environment of its token"
        case .answered: nil
        }
    }

    /// One word for what was decided, for programs.
    public var name: String {
        switch verdict {
        case .sent(.low, .turnDemoted, _, _), .sent(.low, .newToken, _, _), .sent(.low, .asked, _, _): "demoted"
        case .sent: "sent"
        case .answered(let answer): answer.name
        case .delayed: "delayed"
        case .idle(.inFlight): "merged"
        case .idle(.nothingOwed), .idle(.ended), .idle(.tokenDead): "idle"
        case .dropped(_, let reason):
            switch reason {
            case .cancelledByEvent, .cancelledByEnd, .outwaited: "cancelled"
            case .expired: "expired"
            case .queueFull, .replaced, .refused: "dropped"
            }
        case .letGo: "letGo"
        case .notServed: "notServed"
        }
    }

    /// What the activity waits for after this was decided last, while it is live; ``until`` says until when.
    public var waitsFor: String {
        switch verdict {
        case .delayed(_, let reason): "It waits: \(reason)"
        case .sent(_, _, _, answer: nil), .idle(.inFlight): "It waits for the answer to its last push"
        case .sent(_, _, _, answer: .retry(_, let cause)?), .answered(.retry(_, let cause)):
            "It waits before it tries again: \(cause.inWords)"
        case .sent(_, _, _, answer: .tokenDead?), .answered(.tokenDead), .idle(.tokenDead):
            "It waits for a new token from the phone: the old one is dead"
        case .sent(_, _, _, answer: .accepted?), .sent(_, _, _, answer: .refused?), .answered(.accepted),
            .answered(.refused), .idle(.nothingOwed), .dropped:
            "Nothing is owed: it waits for something to happen"
        case .idle(.ended), .letGo: "It waits for nothing: the card has ended"
        case .notServed: "It waits for a token that this server can send to"
        }
    }
}

extension RecordedDecision.Answer {
    /// One word, for programs.
    public var name: String {
        switch self {
        case .accepted: "accepted"
        case .retry: "retried"
        case .refused: "refused"
        case .tokenDead: "tokenDead"
        }
    }

    /// What became of a push, behind it.
    fileprivate var decided: String {
        switch self {
        case .accepted: "accepted"
        case .retry(_, let cause): "not taken (\(cause.inWords)), waiting"
        case .refused(let cause): "refused for good (\(cause.inWords))"
        case .tokenDead(let cause): "refused, as the token is dead (\(cause.inWords))"
        }
    }
}

extension RecordedDecision.Cause {
    fileprivate var inWords: String {
        switch self {
        case .apns(let reason): "APNs answered \(reason)"
        case .silence: "APNs gave no answer"
        case .ourselves: "no push could be made of it"
        }
    }
}

extension Drop.Subject {
    fileprivate var inWords: String {
        switch self {
        case .alert(let kind): "the alert \"\(kind.inWords)\""
        case .state: "a state"
        case .end: "the end"
        }
    }
}

extension AlertKind {
    /// For people: a seat counts from 0, as everywhere.
    var inWords: String {
        switch self {
        case .ownHeroDown: "the own hero is down"
        case .companionDown(let seat): "hero down, seat \(seat.rawValue)"
        case .ownTurn: "own turn"
        case .bossAppeared: "boss appeared"
        case .bossDefeated: "boss defeated"
        case .partyWiped: "party wiped"
        case .adventureOver: "adventure over"
        }
    }
}

extension String {
    /// `heroDown` as `Hero down`: names of events are English sentences without spaces.
    fileprivate var inWords: String {
        let words = reduce(into: "") { words, letter in
            words += letter.isUppercase ? " \(letter.lowercased())" : String(letter)
        }
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
