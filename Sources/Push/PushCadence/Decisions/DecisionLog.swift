public import Encodings
import GameCore
public import PushRules

/// What was decided for one activity lately, and why: a bounded ring for whoever asks why a phone was pushed or not.
///
/// It only listens: nothing that is decided depends on it. Repeats are folded, so that the few entries that are kept
/// reach far back: a wait that goes on only moves its end and counts the events that wait, an answer belongs to
/// its push, and a push that is tried again is one entry however often it is tried.
///
/// They are kept as the bytes that are stored (``encoded``): a full log takes some 300 of them, and writing it down is
/// copying them.
public struct DecisionLog: Sendable {
    /// How many decisions are kept unless something else is asked for: the last minutes of a fight, an hour of a journey.
    public static let standardBound = 32
    /// How many bytes there may be for each decision kept: what most take.
    ///
    /// Older ones go when they take more.
    static let bytesPerDecision = 10

    /// What has happened since the last decision.
    private struct News {
        var change: RecordedDecision.Change
        var urgency: Urgency?
        var position: Int64
        var events: Int
    }

    private let bound: Int32
    private var count: Int32 = 0
    /// The entries, oldest first.
    private var entries: [UInt8] = []
    /// Where the newest of them begins.
    private var newestStart = 0
    /// What the oldest counts from.
    private var origin = DecisionPlace()
    /// What the newest counts from.
    private var beforeNewest = DecisionPlace()
    private var news: News?

    /// A log without entries that keeps some of the newest, 2 or more.
    public init(keeping bound: Int = Self.standardBound) {
        precondition(bound >= 2, "the newest decision alone tells nothing of what led to it")
        self.bound = Int32(bound)
    }

    /// The log that ``encoded`` gave; what another release wrote and this one cannot read is left out.
    public init(encoded bytes: [UInt8], keeping bound: Int = Self.standardBound) {
        self.init(keeping: bound)
        for decision in Self.decisions(in: bytes) { append(decision) }
    }

    /// The log as it is stored; nothing where it has no entry.
    public var encoded: [UInt8] { count == 0 ? [] : DecisionWriter.header(origin) + entries }

    /// What was decided, oldest first.
    public var decisions: [RecordedDecision] { Self.decisions(in: encoded) }

    /// Whether it tells that APNs has taken a push to the token that the activity has now.
    public var hasAcceptedToken: Bool {
        for decision in decisions.reversed() {
            // An answer by itself may be to a push that went to the token before.
            if case .sent(_, _, _, answer: .accepted) = decision.verdict { return true }
            if decision.change == .tokenReplaced || decision.change == .registered { return false }
        }
        return false
    }

    private static func decisions(in bytes: [UInt8]) -> [RecordedDecision] {
        var reader = DecisionReader(bytes[...])
        guard var place = reader.header() else { return [] }
        var decisions: [RecordedDecision] = []
        while let (_, decision) = reader.entry(after: &place) {
            if let decision { decisions.append(decision) }
        }
        return decisions
    }

    // MARK: - What happens

    /// An event of the activity's adventure; what is decided because of it follows.
    /// - Parameters:
    ///   - kind: its name in the log.
    ///   - urgency: of several events before a decision the most urgent is named.
    ///   - position: its position in the log.
    public mutating func happened(_ kind: String, urgency: Urgency, position: Int64) {
        let events = (news?.events ?? 0) + 1
        guard let known = news?.urgency, known > urgency else {
            news = News(change: .event(kind: kind), urgency: urgency, position: position, events: events)
            return
        }
        news?.position = position
        news?.events = events
    }

    /// Something else happened that makes somebody decide, at a position of the log.
    public mutating func happened(_ change: RecordedDecision.Change, position: Int64) {
        news = News(change: change, urgency: .high, position: position, events: news?.events ?? 0)
    }

    // MARK: - What is decided

    /// What the cadence wants.
    /// - Returns: whether that was worth an entry, or changed one.
    @discardableResult
    public mutating func decided(_ decision: Decision, at now: Timestamp) -> Bool {
        defer { news = nil }
        switch decision {
        case .send(let push):
            sent(push, at: now)
            return true
        case .wait(let moment, let reason):
            return delayed(until: moment.toTheMillisecond, reason, at: now)
        case .idle(let reason):
            // Looked at again, and nothing has changed: nothing to tell.
            guard let news, news.change != .answer else { return false }
            if let newest, newest.verdict == .idle(reason) {
                fold(into: newest)
            } else {
                appendNews(.idle(reason), at: now)
            }
            return true
        }
    }

    /// What was owed and never will be sent.
    /// - Parameters:
    ///   - drop: what, and why.
    ///   - change: what did it; nil for what has happened last. What has expired, time did, whatever came meanwhile.
    public mutating func dropped(_ drop: Drop, because change: RecordedDecision.Change? = nil) {
        // Its answer has told it.
        if case .sent(_, _, _, answer: .refused?)? = newest?.verdict, drop.reason == .refused { return }
        append(
            RecordedDecision(
                at: drop.moment,
                position: drop.position,
                events: 0,
                change: drop.reason == .expired ? .time : change ?? news?.change ?? .time,
                verdict: .dropped(drop.subject, drop.reason)
            )
        )
    }

    /// How the push that was under way went.
    /// - Parameters:
    ///   - completion: what it means.
    ///   - cause: who says so, where it did not get through.
    ///   - position: what the push was for.
    ///   - now: the time.
    public mutating func answered(
        _ completion: Completion,
        because cause: RecordedDecision.Cause,
        position: Int64,
        at now: Timestamp
    ) {
        let answer: RecordedDecision.Answer =
            switch completion {
            case .accepted: .accepted
            case .retryLater(let delay), .unanswered(let delay):
                .retry(at: (now + delay).toTheMillisecond, cause.printable)
            case .refusedForever: .refused(cause.printable)
            case .tokenDead: .tokenDead(cause.printable)
            }
        if var newest, case .sent(let priority, let reason, let tries, answer: nil) = newest.verdict {
            newest.verdict = .sent(priority, reason, tries: tries, answer: answer)
            replaceNewest(newest)
        } else {
            append(.answered(answer), .answer, position: position, events: 0, at: now)
        }
        if news == nil { news = News(change: .answer, urgency: nil, position: position, events: 0) }
    }

    /// The activity is pushed to no more, because of what has happened; nothing follows but a new registration.
    public mutating func ended(_ verdict: RecordedDecision.Verdict, at now: Timestamp) {
        defer { news = nil }
        append(verdict, news?.change ?? .time, position: news?.position ?? newest?.position ?? 0, events: 0, at: now)
    }

    // MARK: - Folding

    private mutating func sent(_ push: PlannedPush, at now: Timestamp) {
        if var newest, case .sent(let priority, let reason, let tries, answer: .retry?) = newest.verdict,
            priority == push.priority, reason == push.reason
        {
            newest.verdict = .sent(priority, reason, tries: tries + 1, answer: nil)
            newest.position = push.position
            newest.events = push.coveredEvents
            replaceNewest(newest)
            return
        }
        append(
            .sent(push.priority, push.reason, tries: 1, answer: nil),
            // Somebody's wish that had to wait is no less somebody's wish for that.
            push.reason.wish ?? news?.change ?? .time,
            position: push.position,
            events: push.coveredEvents,
            at: now
        )
    }

    /// Whether something has happened in the adventure since the last decision.
    private var hasEvents: Bool { (news?.events ?? 0) > 0 }

    private mutating func delayed(until moment: Timestamp, _ reason: WaitReason, at now: Timestamp) -> Bool {
        let newest = newest
        switch newest?.verdict {
        case .delayed(moment, reason)? where news == nil:
            return false
        case .delayed(_, reason)?:
            fold(into: newest, now: .delayed(until: moment, reason))
        case .sent(let priority, let sendReason, let tries, answer: .retry(_, let cause)?)?
        where reason.isOfTheActivity && (reason == .backingOff || !hasEvents):
            fold(into: newest, now: .sent(priority, sendReason, tries: tries, answer: .retry(at: moment, cause)))
        case .answered(.retry(_, let cause))?
        where reason.isOfTheActivity && (reason == .backingOff || !hasEvents):
            fold(into: newest, now: .answered(.retry(at: moment, cause)))
        case .sent?, .answered?, .delayed?, .idle?, .dropped?, .letGo?, .notServed?, nil:
            appendNews(.delayed(until: moment, reason), at: now)
        }
        return true
    }

    /// The news belong to what was decided before, which may be something else now.
    private mutating func fold(into newest: RecordedDecision?, now verdict: RecordedDecision.Verdict? = nil) {
        guard var newest else { return }
        if let verdict { newest.verdict = verdict }
        if let news {
            newest.events += news.events
            newest.position = max(newest.position, news.position)
        }
        replaceNewest(newest)
    }

    private mutating func appendNews(_ verdict: RecordedDecision.Verdict, at now: Timestamp) {
        append(
            verdict,
            news?.change ?? .time,
            position: news?.position ?? newest?.position ?? 0,
            events: news?.events ?? 0,
            at: now
        )
    }

    private mutating func append(
        _ verdict: RecordedDecision.Verdict,
        _ change: RecordedDecision.Change,
        position: Int64,
        events: Int,
        at now: Timestamp
    ) {
        append(RecordedDecision(at: now, position: position, events: events, change: change, verdict: verdict))
    }

    // MARK: - Entries

    /// The newest entry, which alone changes.
    private var newest: RecordedDecision? {
        guard count > 0 else { return nil }
        var reader = DecisionReader(entries[newestStart...])
        var place = beforeNewest
        return reader.entry(after: &place)?.decision
    }

    private mutating func replaceNewest(_ decision: RecordedDecision) {
        entries.removeSubrange(newestStart...)
        count -= 1
        keep(decision)
    }

    private mutating func append(_ decision: RecordedDecision) {
        if count == 0 {
            origin = DecisionPlace(of: decision)
            beforeNewest = origin
        } else {
            var reader = DecisionReader(entries[newestStart...])
            _ = reader.entry(after: &beforeNewest)
            newestStart = entries.count
        }
        keep(decision)
    }

    /// Puts an entry behind all others, and lets the oldest go that are too many then.
    private mutating func keep(_ decision: RecordedDecision) {
        let entry = DecisionWriter.entry(decision, after: beforeNewest)
        let mostBytes = Int(bound) * Self.bytesPerDecision
        count += 1
        while count > 1, count > bound || entries.count + entry.count > mostBytes { removeOldest() }
        // Never more room than a full log takes: an array that grows by itself would take up to twice as much.
        let bytes = entries.count + entry.count
        if bytes > entries.capacity { entries.reserveCapacity(min(2 * bytes, max(bytes, mostBytes))) }
        entries += entry
    }

    private mutating func removeOldest() {
        var reader = DecisionReader(entries[...])
        let length = reader.entry(after: &origin)?.length ?? entries.count
        entries.removeFirst(length)
        newestStart -= length
        count -= 1
    }
}

extension RecordedDecision.Cause {
    /// A cause that fits the log whatever a peer said: ASCII letters and digits, not many.
    fileprivate var printable: Self {
        switch self {
        case .silence, .ourselves:
            return self
        case .apns(let reason):
            let word = reason.utf8.filter {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
            return .apns(reason: word.isEmpty ? "Unnamed" : String(decoding: word.prefix(40), as: UTF8.self))
        }
    }
}

extension WaitReason {
    /// Whether it is the activity's own last try, or its own pace, that it waits for; what holds up all of them is told apart.
    fileprivate var isOfTheActivity: Bool {
        switch self {
        case .minimumSpacing, .backingOff, .turnSpacing, .lowSpacing, .budget: true
        case .routeStopped, .room: false
        }
    }
}

extension SendReason {
    /// What an operator has done to have this push sent; nil for all that nobody asks for.
    fileprivate var wish: RecordedDecision.Change? {
        switch self {
        case .asked: .pushAsked
        case .end(.asked): .endAsked
        case .alert, .end(.adventureOver), .end(.tooOld), .end(.replaced), .cardEndsSoon, .newToken, .turn,
            .turnWithoutFrequentPushes, .turnDemoted, .low:
            nil
        }
    }
}
