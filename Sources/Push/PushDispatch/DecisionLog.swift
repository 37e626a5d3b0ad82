public import Encodings
import GameCore
public import PushCadence
public import PushRules

/// The latest decisions about one activity: a bounded ring that shows operators why pushes were or were not sent.
///
/// The log only observes: no decision depends on it. It merges repetitions, so that few entries reach far back. A wait
/// that is extended updates its entry and counts the waiting events; a result belongs to the entry of its push; and
/// consecutive tries of a push are one entry.
///
/// Entries are kept in their stored form (``encoded``). A full log takes about 400 bytes, and storing it only copies
/// them.
public struct DecisionLog: Sendable {
    /// The default number of entries: the last minutes of a fight, or an hour of a journey.
    public static let defaultCapacity = 32
    /// The space for each entry in bytes, enough for most entries; if a log needs more, its oldest entries are removed.
    static let bytesPerEntry = 14

    /// The trigger of the next decision: the events and other changes since the last one.
    private struct PendingTrigger {
        var trigger: DecisionRecord.Trigger
        var urgency: Urgency?
        var changeAt: Timestamp
        var events: Int
    }

    private let capacity: Int32
    private var count: Int32 = 0
    /// The encoded entries, oldest first.
    private var entries: [UInt8] = []
    /// The index of the newest entry's first byte.
    private var newestStart = 0
    /// The base of the oldest entry.
    private var oldestBase = DecisionBase()
    /// The base of the newest entry.
    private var newestBase = DecisionBase()
    private var pendingTrigger: PendingTrigger?

    /// Creates an empty log.
    /// - Parameter capacity: the maximum number of entries, at least 2.
    public init(capacity: Int = Self.defaultCapacity) {
        precondition(capacity >= 2, "a log of one entry does not show what led to it")
        self.capacity = Int32(capacity)
    }

    /// Creates a log from its stored form; entries of other releases that this one cannot decode are left out.
    public init(encoded bytes: [UInt8], capacity: Int = Self.defaultCapacity) {
        self.init(capacity: capacity)
        for record in Self.records(in: bytes) { append(record) }
    }

    /// Whether the log has no entries.
    var isEmpty: Bool { count == 0 }

    /// The stored form of the log; empty for an empty log.
    public var encoded: [UInt8] { count == 0 ? [] : DecisionRecordEncoder.header(oldestBase) + entries }

    /// The entries, oldest first.
    public var records: [DecisionRecord] { Self.records(in: encoded) }

    /// Whether an entry shows that APNs accepted a push to the current token of the activity.
    public var hasProvenToken: Bool { hasSent { $0 == .accepted } }

    /// Whether an entry shows a push to the current token of the activity.
    public var hasUsedToken: Bool { hasSent { _ in true } }

    /// Whether there is a push to the current token with some result.
    private func hasSent(where matches: (DecisionRecord.Result?) -> Bool) -> Bool {
        for record in records.reversed() {
            // A `completed` entry may concern a push to the previous token.
            if case .sent(_, _, _, let result) = record.action, matches(result) { return true }
            if record.trigger == .tokenReplaced || record.trigger == .registered { return false }
        }
        return false
    }

    private static func records(in bytes: [UInt8]) -> [DecisionRecord] {
        var decoder = DecisionRecordDecoder(bytes[...])
        guard var base = decoder.header() else { return [] }
        var records: [DecisionRecord] = []
        while let (_, record) = decoder.entry(after: &base) {
            if let record { records.append(record) }
        }
        return records
    }

    // MARK: - Triggers

    /// Records an event of the activity's adventure as a trigger of the next decision.
    /// - Parameters:
    ///   - kind: the name of the event.
    ///   - urgency: the urgency of the event; of several events before a decision, the record names the most urgent.
    ///   - moment: the moment of the event.
    public mutating func observed(event kind: String, urgency: Urgency, at moment: Timestamp) {
        let events = (pendingTrigger?.events ?? 0) + 1
        guard let known = pendingTrigger?.urgency, known > urgency else {
            pendingTrigger = PendingTrigger(
                trigger: .event(kind: kind),
                urgency: urgency,
                changeAt: moment,
                events: events
            )
            return
        }
        pendingTrigger?.changeAt = moment
        pendingTrigger?.events = events
    }

    /// Records another trigger of the next decision.
    public mutating func observed(_ trigger: DecisionRecord.Trigger, at moment: Timestamp) {
        pendingTrigger = PendingTrigger(
            trigger: trigger,
            urgency: .high,
            changeAt: moment,
            events: pendingTrigger?.events ?? 0
        )
    }

    // MARK: - Decisions

    /// Records a decision of the cadence.
    /// - Parameters:
    ///   - decision: the decision.
    ///   - content: the state and the token of the push, if the decision is to send one.
    ///   - now: the time.
    /// - Returns: whether that added or changed an entry.
    @discardableResult
    public mutating func decided(
        _ decision: CadenceDecision,
        with content: PushContent? = nil,
        at now: Timestamp
    ) -> Bool {
        defer { pendingTrigger = nil }
        switch decision {
        case .send(let push):
            sent(push, with: content, at: now)
            return true
        case .wait(let moment, let reason):
            return delayed(until: moment.roundedDownToMilliseconds, reason, at: now)
        case .idle(let reason):
            // Without a trigger nothing has changed since the last entry.
            guard let pendingTrigger, pendingTrigger.trigger != .pushCompleted else { return false }
            if let newest, newest.action == .idle(reason) {
                merge(into: newest)
            } else {
                appendTriggered(.idle(reason), at: now)
            }
            return true
        }
    }

    /// Records a drop.
    /// - Parameters:
    ///   - drop: the drop.
    ///   - trigger: the trigger of the drop; nil for the last trigger. The trigger of an expiry is always time.
    public mutating func dropped(_ drop: Drop, because trigger: DecisionRecord.Trigger? = nil) {
        // The entry of the push says that APNs rejected it.
        if case .sent(_, _, _, result: .rejected?)? = newest?.action, drop.reason == .rejected { return }
        append(
            DecisionRecord(
                at: drop.moment,
                changeAt: drop.changeAt,
                events: 0,
                trigger: drop.reason == .expired ? .time : trigger ?? pendingTrigger?.trigger ?? .time,
                action: .dropped(drop.subject, drop.reason)
            )
        )
    }

    /// Records the disposition of the push in flight.
    /// - Parameters:
    ///   - disposition: the disposition of the push.
    ///   - cause: the reason why the push was not accepted; ignored if it was accepted.
    ///   - moment: the moment of the change that the push was for.
    ///   - now: the time.
    public mutating func completed(
        _ disposition: PushDisposition,
        because cause: DecisionRecord.Cause,
        changeAt moment: Timestamp,
        at now: Timestamp
    ) {
        let recorded: DecisionRecord.Result =
            switch disposition {
            case .accepted: .accepted
            case .retryLater(let delay), .unanswered(let delay):
                .retry(at: (now + delay).roundedDownToMilliseconds, cause.printable)
            case .rejected: .rejected(cause.printable)
            case .tokenDead: .tokenDead(cause.printable)
            }
        if var newest, case .sent(let priority, let reason, let tries, result: nil) = newest.action {
            newest.action = .sent(priority, reason, tries: tries, result: recorded)
            if disposition == .accepted { newest.push?.acceptedAt = now.roundedDownToMilliseconds }
            replaceNewest(newest)
        } else {
            append(.completed(recorded), .pushCompleted, changeAt: moment, events: 0, at: now)
        }
        if pendingTrigger == nil {
            pendingTrigger = PendingTrigger(trigger: .pushCompleted, urgency: nil, changeAt: moment, events: 0)
        }
    }

    /// Records that the last trigger stops all pushes to the activity until a new registration.
    public mutating func stopped(_ action: DecisionRecord.Action, at now: Timestamp) {
        defer { pendingTrigger = nil }
        append(
            action,
            pendingTrigger?.trigger ?? .time,
            changeAt: pendingTrigger?.changeAt ?? newest?.changeAt ?? now,
            events: 0,
            at: now
        )
    }

    // MARK: - Merging

    private mutating func sent(_ push: PlannedPush, with content: PushContent?, at now: Timestamp) {
        let facts = content.map { content in
            SentPush(
                sequence: content.sequence,
                timestamp: push.timestamp,
                expiration: push.expiration,
                generation: content.generation,
                changeAt: push.changeAt
            )
        }
        if var newest, case .sent(let priority, let reason, let tries, result: .retry?) = newest.action,
            priority == push.priority, reason == push.reason
        {
            newest.action = .sent(priority, reason, tries: tries + 1, result: nil)
            newest.changeAt = push.changeAt.roundedDownToMilliseconds
            newest.events = push.coveredEvents
            newest.push = facts
            replaceNewest(newest)
            return
        }
        append(
            .sent(push.priority, push.reason, tries: 1, result: nil),
            // The trigger of a requested push is its operator, even if the push had to wait.
            push.reason.operatorTrigger ?? pendingTrigger?.trigger ?? .time,
            changeAt: push.changeAt,
            events: push.coveredEvents,
            push: facts,
            at: now
        )
    }

    /// Whether an event of the adventure was observed since the last decision.
    private var hasPendingEvents: Bool { (pendingTrigger?.events ?? 0) > 0 }

    private mutating func delayed(until moment: Timestamp, _ reason: WaitReason, at now: Timestamp) -> Bool {
        let newest = newest
        switch newest?.action {
        case .delayed(moment, reason)? where pendingTrigger == nil:
            return false
        case .delayed(_, reason)?:
            merge(into: newest, .delayed(until: moment, reason))
        case .sent(let priority, let sendReason, let tries, result: .retry(_, let cause)?)?
        where reason.isOwn && (reason == .backingOff || !hasPendingEvents):
            merge(into: newest, .sent(priority, sendReason, tries: tries, result: .retry(at: moment, cause)))
        case .completed(.retry(_, let cause))?
        where reason.isOwn && (reason == .backingOff || !hasPendingEvents):
            merge(into: newest, .completed(.retry(at: moment, cause)))
        case .sent?, .completed?, .delayed?, .idle?, .dropped?, .departed?, .notServed?, nil:
            appendTriggered(.delayed(until: moment, reason), at: now)
        }
        return true
    }

    /// Adds the pending trigger to the newest entry, whose action may change.
    private mutating func merge(into newest: DecisionRecord?, _ action: DecisionRecord.Action? = nil) {
        guard var newest else { return }
        if let action { newest.action = action }
        if let pendingTrigger {
            newest.events += pendingTrigger.events
            newest.changeAt = max(newest.changeAt, pendingTrigger.changeAt.roundedDownToMilliseconds)
        }
        replaceNewest(newest)
    }

    private mutating func appendTriggered(_ action: DecisionRecord.Action, at now: Timestamp) {
        append(
            action,
            pendingTrigger?.trigger ?? .time,
            changeAt: pendingTrigger?.changeAt ?? newest?.changeAt ?? now,
            events: pendingTrigger?.events ?? 0,
            at: now
        )
    }

    private mutating func append(
        _ action: DecisionRecord.Action,
        _ trigger: DecisionRecord.Trigger,
        changeAt: Timestamp,
        events: Int,
        push: SentPush? = nil,
        at now: Timestamp
    ) {
        append(
            DecisionRecord(
                at: now,
                changeAt: changeAt,
                events: events,
                trigger: trigger,
                action: action,
                push: push
            )
        )
    }

    // MARK: - Entries

    /// The newest entry, the only one that changes.
    private var newest: DecisionRecord? {
        guard count > 0 else { return nil }
        var decoder = DecisionRecordDecoder(entries[newestStart...])
        var base = newestBase
        return decoder.entry(after: &base)?.record
    }

    private mutating func replaceNewest(_ record: DecisionRecord) {
        entries.removeSubrange(newestStart...)
        count -= 1
        write(record)
    }

    private mutating func append(_ record: DecisionRecord) {
        if count == 0 {
            oldestBase = DecisionBase(of: record)
            newestBase = oldestBase
        } else {
            var decoder = DecisionRecordDecoder(entries[newestStart...])
            _ = decoder.skip(after: &newestBase)
            newestStart = entries.count
        }
        write(record)
    }

    /// Writes the newest entry, and removes the oldest entries that no longer fit.
    private mutating func write(_ record: DecisionRecord) {
        let entry = DecisionRecordEncoder.entry(record, after: newestBase)
        let maxBytes = Int(capacity) * Self.bytesPerEntry
        count += 1
        while count > 1, count > capacity || entries.count + entry.count > maxBytes { removeOldest() }
        // Reserves no more than a full log takes: an array that grows by itself takes up to twice as much.
        let bytes = entries.count + entry.count
        if bytes > entries.capacity { entries.reserveCapacity(min(2 * bytes, max(bytes, maxBytes))) }
        entries += entry
    }

    private mutating func removeOldest() {
        var decoder = DecisionRecordDecoder(entries[...])
        let length = decoder.skip(after: &oldestBase) ?? entries.count
        entries.removeFirst(length)
        newestStart -= length
        count -= 1
    }
}

extension DecisionRecord.Cause {
    /// The cause with the reason of APNs reduced to at most 40 ASCII letters and digits, and without the status of a
    /// reason that Apple documents.
    fileprivate var printable: Self {
        switch self {
        case .noResponse, .neverSent, .invalidRequest:
            return self
        case .apns(let reason, let status):
            let word = reason.utf8.filter {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
            let name = word.isEmpty ? "Unnamed" : String(decoding: word.prefix(40), as: UTF8.self)
            return .apns(reason: name, status: CodedNames.reasons.code(of: name) == nil ? status : nil)
        }
    }
}

extension WaitReason {
    /// Whether the reason concerns only this activity, such as its pace or its last failure, and not all activities.
    fileprivate var isOwn: Bool {
        switch self {
        case .minimumSpacing, .backingOff, .turnSpacing, .lowSpacing, .budget, .scheduled: true
        case .breakerOpen, .concurrencyLimit: false
        }
    }
}

extension SendReason {
    /// The operator's request that caused the push; nil if no operator requested it.
    fileprivate var operatorTrigger: DecisionRecord.Trigger? {
        switch self {
        case .requested: .pushRequested
        case .end(.requested): .endRequested
        case .alert, .end(.adventureOver), .end(.tooOld), .end(.replaced), .activityEndsSoon, .newToken, .turn,
            .turnWithoutFrequentPushes, .turnDemoted, .low:
            nil
        }
    }
}
