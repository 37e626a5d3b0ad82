import GameCore
import PushRules

// How a log of decisions is stored: a line for each decision, as short as words can be, since thousands of logs are
// rewritten every second.
//
//     1 1790000000123 4711
//     0 0 +registered s10 token !ok
//     b2s 5 turnStarted*3 w2bc turn
//
// First the version of this form, and the moment (milliseconds since 1970) and position that the others count from.
// Then of each decision the moment and the position (base 36), what happened with the number of events where that is
// not 1, and what was decided. Names of events and APNs's reasons are as they are elsewhere; the other words are below.

/// Reads and writes the text of a ``DecisionLog``.
enum DecisionText {
    /// What times and positions count from.
    struct Origin {
        let at: Timestamp
        let position: Int64

        var header: String { "1 \(at.epochMilliseconds) \(position)\n" }
    }

    /// Nil for a text of another version, or of none.
    static func read(_ text: String) -> (origin: Origin, decisions: [RecordedDecision])? {
        let lines = text.split(separator: "\n")
        guard let header = lines.first?.split(separator: " "), header.count == 3, header[0] == "1",
            let milliseconds = Int64(header[1]), let position = Int64(header[2]),
            (0...Self.latestMilliseconds).contains(milliseconds)
        else { return nil }
        let origin = Origin(at: Timestamp(microseconds: milliseconds * 1_000), position: position)
        let decisions = lines.dropFirst().compactMap { line in
            var words = Words(line, origin: origin)
            return words.decision()
        }
        return (origin, decisions)
    }

    /// Year 9999: far from what would overflow in microseconds.
    fileprivate static let latestMilliseconds: Int64 = 253_402_300_799_999
}

extension RecordedDecision {
    /// The line that stands for it.
    func line(from origin: DecisionText.Origin) -> String {
        let moment = String(at.milliseconds(since: origin.at), radix: 36)
        let place = String(position - origin.position, radix: 36)
        let count = events == 1 ? "" : "*\(String(events, radix: 36))"
        return "\(moment) \(place) \(change.word)\(count) \(verdict.words(from: at))\n"
    }
}

/// The words of a line, taken one by one.
private struct Words {
    private var words: ArraySlice<Substring>
    private let origin: DecisionText.Origin
    /// What waiting times count from, once it is known.
    private var at: Timestamp

    init(_ line: Substring, origin: DecisionText.Origin) {
        words = line.split(separator: " ")[...]
        self.origin = origin
        at = origin.at
    }

    mutating func decision() -> RecordedDecision? {
        guard let moment = time(since: origin.at, next()), let place = next().flatMap({ Int64($0, radix: 36) }),
            let happened = next()?.split(separator: "*", maxSplits: 1),
            let change = happened.first.flatMap({ RecordedDecision.Change(word: $0) }),
            let events = happened.count == 1 ? 1 : Int(happened[1], radix: 36)
        else { return nil }
        at = moment
        guard let verdict = verdict(), words.isEmpty else { return nil }
        return RecordedDecision(
            at: moment,
            position: origin.position &+ place,
            events: events,
            change: change,
            verdict: verdict
        )
    }

    private mutating func next() -> Substring? { words.popFirst() }

    private func time(since start: Timestamp, _ word: Substring?) -> Timestamp? {
        guard let milliseconds = word.flatMap({ Int64($0, radix: 36) }),
            milliseconds.magnitude <= UInt64(DecisionText.latestMilliseconds)
        else { return nil }
        return start + .milliseconds(milliseconds)
    }

    private mutating func verdict() -> RecordedDecision.Verdict? {
        guard let word = next() else { return nil }
        switch word.first {
        case "s":
            guard let priority = Int(word.dropFirst()).flatMap(PushPriority.init(rawValue:)),
                let reason = next().flatMap(SendReason.init(word:))
            else { return nil }
            var tries = 1
            if words.first?.first == "x" {
                guard let more = next().flatMap({ Int($0.dropFirst(), radix: 36) }) else { return nil }
                tries = more
            }
            if words.isEmpty { return .sent(priority, reason, tries: tries, answer: nil) }
            return answer().map { .sent(priority, reason, tries: tries, answer: $0) }
        case "w":
            guard let moment = time(since: at, word.dropFirst()), let reason = next().flatMap(WaitReason.init(word:))
            else { return nil }
            return .delayed(until: moment, reason)
        case "a": return answer().map { .answered($0) }
        case "i": return next().flatMap(IdleReason.init(word:)).map { .idle($0) }
        case "d":
            guard let subject = next().flatMap(Drop.Subject.init(word:)),
                let reason = next().flatMap(Drop.Reason.init(word:))
            else { return nil }
            return .dropped(subject, reason)
        case "l": return .letGo
        case "n": return .notServed
        default: return nil
        }
    }

    private mutating func answer() -> RecordedDecision.Answer? {
        guard let word = next() else { return nil }
        switch word.prefix(2) {
        case "!o": return .accepted
        case "!r":
            guard let moment = time(since: at, word.dropFirst(2)), let cause = cause() else { return nil }
            return .retry(at: moment, cause)
        case "!n": return cause().map { .refused($0) }
        case "!d": return cause().map { .tokenDead($0) }
        default: return nil
        }
    }

    private mutating func cause() -> RecordedDecision.Cause? {
        next().map { word in
            switch word {
            case "-": .silence
            case "+": .ourselves
            default: .apns(reason: String(word))
            }
        }
    }
}

extension RecordedDecision.Verdict {
    fileprivate func words(from at: Timestamp) -> String {
        switch self {
        case .sent(let priority, let reason, let tries, let answer):
            "s\(priority.rawValue) \(reason.word)" + (tries == 1 ? "" : " x\(String(tries, radix: 36))")
                + (answer.map { " " + $0.words(from: at) } ?? "")
        case .answered(let answer): "a " + answer.words(from: at)
        case .delayed(let moment, let reason): "w\(String(moment.milliseconds(since: at), radix: 36)) \(reason.word)"
        case .idle(let reason): "i \(reason.word)"
        case .dropped(let subject, let reason): "d \(subject.word) \(reason.word)"
        case .letGo: "l"
        case .notServed: "n"
        }
    }
}

extension RecordedDecision.Answer {
    fileprivate func words(from at: Timestamp) -> String {
        switch self {
        case .accepted: "!ok"
        case .retry(let moment, let cause): "!r\(String(moment.milliseconds(since: at), radix: 36)) \(cause.word)"
        case .refused(let cause): "!no \(cause.word)"
        case .tokenDead(let cause): "!dead \(cause.word)"
        }
    }
}

extension RecordedDecision.Cause {
    fileprivate var word: String {
        switch self {
        case .apns(let reason): reason
        case .silence: "-"
        case .ourselves: "+"
        }
    }
}

extension RecordedDecision.Change {
    fileprivate var word: String {
        switch self {
        case .event(let kind): kind
        case .unreadableEvent: "+unreadable"
        case .registered: "+registered"
        case .tokenReplaced: "+token"
        case .released: "+released"
        case .pushAsked: "+asked"
        case .endAsked: "+askedend"
        case .answer: "+answer"
        case .time: "+time"
        }
    }

    fileprivate init?(word: Substring) {
        switch word {
        case "+unreadable": self = .unreadableEvent
        case "+registered": self = .registered
        case "+token": self = .tokenReplaced
        case "+released": self = .released
        case "+asked": self = .pushAsked
        case "+askedend": self = .endAsked
        case "+answer": self = .answer
        case "+time": self = .time
        default:
            guard !word.hasPrefix("+") else { return nil }
            self = .event(kind: String(word))
        }
    }
}

extension Timestamp {
    fileprivate func milliseconds(since start: Self) -> Int64 { epochMilliseconds - start.epochMilliseconds }
}
