import Encodings
import GameCore
import PushCadence
import PushRules

// The form in which a decision log is kept and stored. It is compact: hundreds of thousands of logs are in memory, and
// thousands are rewritten every second.
//
//     3  milliseconds since 1970                                 the version, and the time before the first entry
//     length  milliseconds  age  trigger  [events]  action  [push]       each entry
//
// `milliseconds` is the time since the entry before, `age` that since the change, in milliseconds too. Numbers are written in bytes of seven
// bits, the lowest first, all but the last with the highest bit set; numbers that may be negative (clocks differ or are set back)
// have their sign in the lowest bit. If the highest bit of `trigger` is set, the number of events follows; otherwise it
// is 1. The name of an event follows its code if that is 127, and the name of a reason of APNs if its code is 0. The
// lowest three bits of the first byte of `action` are the kind of the action, the others a detail such as its reason.
// An entry of a push ends with facts about it, which entries of older releases do not have: the sequence of its state, its
// timestamp in seconds since that of the entry, the seconds from there to its expiration, the generation of the token, the microseconds of the change, and the
// milliseconds until APNs accepted it, if the entry has that result.
// The codes are in `DecisionCodes.swift`.

/// A time to which the numbers of an entry are relative.
struct DecisionBase: Hashable {
    var milliseconds: Int64 = 0

    /// The valid times: up to the year 9999, which is far from an overflow in microseconds.
    private static let validMilliseconds = 0...Int64(253_402_300_799_999)

    init(milliseconds: Int64 = 0) { self.milliseconds = milliseconds }

    init(of record: DecisionRecord) { self.init(milliseconds: record.at.epochMilliseconds) }

    var isValid: Bool { Self.validMilliseconds.contains(milliseconds) }
    var moment: Timestamp { Timestamp(microseconds: milliseconds * 1_000) }
}

/// The kind of an action, in the lowest three bits of a byte.
private enum ActionCode: UInt8 {
    case departed, notServed, idle, dropped, delayed, completed, sent
}

/// The kind of a push result, in three bits; zero stands for a push that has not completed.
private enum ResultCode: UInt8 {
    case accepted = 1
    case retry, rejected, tokenDead
}

/// Writes the entries of a decision log.
struct DecisionRecordEncoder {
    static let version: UInt8 = 3
    /// The code of an event whose name follows.
    fileprivate static let namedEvent: UInt8 = 0x7f
    /// The bit that is set if a number follows.
    fileprivate static let numberFollows: UInt8 = 0x80
    /// The code of a reason of APNs whose name follows.
    fileprivate static let namedReason: UInt8 = 0
    fileprivate static let noResponse: UInt8 = 1
    fileprivate static let invalidRequest: UInt8 = 2
    fileprivate static let neverSent: UInt8 = 3

    private(set) var bytes: [UInt8] = []

    /// Returns the header of a log.
    static func header(_ base: DecisionBase) -> [UInt8] {
        var writer = Self()
        writer.bytes.append(Self.version)
        writer.number(UInt64(bitPattern: base.milliseconds))
        return writer.bytes
    }

    /// Returns an entry, beginning with its length.
    static func entry(_ record: DecisionRecord, after base: DecisionBase) -> [UInt8] {
        var writer = Self()
        writer.bytes.reserveCapacity(32)
        writer.bytes.append(0)
        writer.signed(record.at.epochMilliseconds - base.milliseconds)
        writer.signed(record.at.epochMilliseconds - record.changeAt.epochMilliseconds)
        writer.trigger(record.trigger, events: record.events)
        writer.action(record.action, at: record.at)
        if let push = record.push { writer.push(push, at: record.at) }
        // It fits: names are short, and an entry has at most two.
        writer.bytes[0] = UInt8(writer.bytes.count - 1)
        return writer.bytes
    }

    private mutating func number(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func signed(_ number: Int64) { self.number(UInt64(bitPattern: number << 1 ^ number >> 63)) }

    private mutating func name(_ name: String) {
        let utf8 = name.utf8.prefix(40)
        bytes.append(UInt8(utf8.count))
        bytes += utf8
    }

    private mutating func trigger(_ trigger: DecisionRecord.Trigger, events: Int) {
        let code = trigger.code
        bytes.append((code ?? Self.namedEvent) | (events == 1 ? 0 : Self.numberFollows))
        if code == nil, case .event(let kind) = trigger { name(kind) }
        if events != 1 { number(UInt64(events)) }
    }

    private mutating func action(_ action: DecisionRecord.Action, at moment: Timestamp) {
        switch action {
        case .departed: put(.departed)
        case .notServed: put(.notServed)
        case .idle(let reason): put(.idle, reason.code)
        case .dropped(let subject, let reason):
            put(.dropped, reason.code)
            bytes.append(subject.code)
        case .delayed(let until, let reason):
            put(.delayed, reason.code)
            signed(until.epochMilliseconds - moment.epochMilliseconds)
        case .completed(let result):
            put(.completed, result.code.rawValue)
            self.result(result, at: moment)
        case .sent(let priority, let reason, let tries, let result):
            put(.sent, priority.code << 3 | (result?.code.rawValue ?? 0))
            bytes.append(reason.code | (tries == 1 ? 0 : Self.numberFollows))
            if tries != 1 { number(UInt64(tries)) }
            if let result { self.result(result, at: moment) }
        }
    }

    private mutating func push(_ push: SentPush, at moment: Timestamp) {
        number(UInt64(max(0, push.sequence)))
        signed(push.timestamp - moment.epochSeconds)
        signed(push.expiration - push.timestamp)
        number(UInt64(max(0, push.generation)))
        number(UInt64(max(0, push.changeAt.microseconds % 1_000)))
        if let acceptedAt = push.acceptedAt { signed(acceptedAt.epochMilliseconds - moment.epochMilliseconds) }
    }

    private mutating func put(_ code: ActionCode, _ detail: UInt8 = 0) {
        bytes.append(code.rawValue | detail << 3)
    }

    private mutating func result(_ result: DecisionRecord.Result, at moment: Timestamp) {
        switch result {
        case .accepted: break
        case .retry(let until, let cause):
            signed(until.epochMilliseconds - moment.epochMilliseconds)
            self.cause(cause)
        case .rejected(let cause), .tokenDead(let cause): self.cause(cause)
        }
    }

    private mutating func cause(_ cause: DecisionRecord.Cause) {
        switch cause {
        case .noResponse: bytes.append(Self.noResponse)
        case .invalidRequest: bytes.append(Self.invalidRequest)
        case .neverSent: bytes.append(Self.neverSent)
        case .apns(let reason, let status):
            bytes.append(CodedNames.reasons.code(of: reason) ?? Self.namedReason)
            // Older releases read the status as part of the reason.
            if CodedNames.reasons.code(of: reason) == nil { name(status.map { "\(reason) \($0)" } ?? reason) }
        }
    }
}

extension DecisionRecord.Result {
    fileprivate var code: ResultCode {
        switch self {
        case .accepted: .accepted
        case .retry: .retry
        case .rejected: .rejected
        case .tokenDead: .tokenDead
        }
    }
}

/// Reads the entries of a decision log, from any bytes without a trap.
struct DecisionRecordDecoder {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Reads the header of a log.
    /// - Returns: the base of the first entry; nil if the bytes are not a log, or a log of another version.
    mutating func header() -> DecisionBase? {
        guard bytes.popFirst() == DecisionRecordEncoder.version, let milliseconds = number() else { return nil }
        let base = DecisionBase(milliseconds: Int64(bitPattern: milliseconds))
        return base.isValid ? base : nil
    }

    /// Reads the next entry.
    /// - Parameter base: the base of the entry; afterwards the base of the entry that follows.
    /// - Returns: the length of the entry in bytes and the record, which is nil if only this entry cannot be decoded,
    ///   for example because a newer release wrote it; nil at the end of the log, or if the rest is malformed.
    mutating func entry(after base: inout DecisionBase) -> (length: Int, record: DecisionRecord?)? {
        guard var entry = next(after: &base) else { return nil }
        return (entry.length, entry.reader.record(at: base))
    }

    /// Skips the next entry.
    /// - Parameter base: the base of the entry; afterwards the base of the entry that follows.
    /// - Returns: the length of the entry in bytes; nil at the end of the log, or if the rest is malformed.
    mutating func skip(after base: inout DecisionBase) -> Int? { next(after: &base)?.length }

    /// Returns the length of the next entry, and a decoder of what follows its time.
    private mutating func next(after base: inout DecisionBase) -> (length: Int, reader: Self)? {
        guard let length = bytes.popFirst(), length <= bytes.count else { return nil }
        var reader = Self(bytes.prefix(Int(length)))
        bytes = bytes.dropFirst(Int(length))
        guard let milliseconds = reader.signed() else { return nil }
        base.milliseconds &+= milliseconds
        guard base.isValid else { return nil }
        return (Int(length) + 1, reader)
    }

    private mutating func record(at base: DecisionBase) -> DecisionRecord? {
        guard let age = signed(), let (trigger, events) = trigger(), let action = action(at: base) else { return nil }
        let change = DecisionBase(milliseconds: base.milliseconds &- age)
        guard change.isValid else { return nil }
        var facts: SentPush?
        if case .sent = action, !bytes.isEmpty {
            facts = push(at: base, changeAt: change.moment)
            guard facts != nil else { return nil }
        }
        guard bytes.isEmpty else { return nil }
        return DecisionRecord(
            at: base.moment,
            changeAt: change.moment,
            events: events,
            trigger: trigger,
            action: action,
            push: facts
        )
    }

    private mutating func push(at base: DecisionBase, changeAt: Timestamp) -> SentPush? {
        guard let sequence = count(), let seconds = signed(), let lifetime = signed(), let generation = count(),
            let microseconds = number(),
            microseconds < 1_000, seconds.magnitude < 1 << 40, lifetime.magnitude < 1 << 40
        else { return nil }
        var acceptedAt: Timestamp?
        if !bytes.isEmpty {
            guard let moment = moment(since: base) else { return nil }
            acceptedAt = moment
        }
        return SentPush(
            sequence: sequence,
            timestamp: base.moment.epochSeconds + seconds,
            expiration: base.moment.epochSeconds + seconds + lifetime,
            generation: generation,
            changeAt: changeAt + .microseconds(Int64(microseconds)),
            acceptedAt: acceptedAt
        )
    }

    private mutating func number() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    private mutating func signed() -> Int64? {
        number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }

    /// Reads a count of at most 32 bits, so that additions to it do not overflow.
    private mutating func count() -> Int? { number().flatMap { UInt32(exactly: $0) }.map { Int($0) } }

    private mutating func name() -> String? {
        guard let length = bytes.popFirst(), length > 0, length <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(Int(length)) }
        return String(decoding: bytes.prefix(Int(length)), as: UTF8.self)
    }

    private mutating func moment(since base: DecisionBase) -> Timestamp? {
        guard let milliseconds = signed() else { return nil }
        let moment = DecisionBase(milliseconds: base.milliseconds &+ milliseconds)
        return moment.isValid ? moment.moment : nil
    }

    private mutating func trigger() -> (DecisionRecord.Trigger, events: Int)? {
        guard let byte = bytes.popFirst() else { return nil }
        let code = byte & ~DecisionRecordEncoder.numberFollows
        let trigger =
            code == DecisionRecordEncoder.namedEvent
            ? name().map { .event(kind: $0) } : DecisionRecord.Trigger(code: code)
        guard let trigger, let events = byte == code ? 1 : count() else { return nil }
        return (trigger, events)
    }

    private mutating func action(at base: DecisionBase) -> DecisionRecord.Action? {
        guard let byte = bytes.popFirst(), let code = ActionCode(rawValue: byte & 0x07) else { return nil }
        let detail = byte >> 3
        switch code {
        case .departed: return .departed
        case .notServed: return .notServed
        case .idle: return IdleReason(code: detail).map { .idle($0) }
        case .dropped:
            guard let reason = Drop.Reason(code: detail),
                let subject = bytes.popFirst().flatMap({ Drop.Subject(code: $0) })
            else { return nil }
            return .dropped(subject, reason)
        case .delayed:
            guard let reason = WaitReason(code: detail), let until = moment(since: base) else { return nil }
            return .delayed(until: until, reason)
        case .completed: return ResultCode(rawValue: detail).flatMap { result($0, at: base) }.map { .completed($0) }
        case .sent:
            guard let priority = PushPriority(code: detail >> 3), let byte = bytes.popFirst(),
                let reason = SendReason(code: byte & ~DecisionRecordEncoder.numberFollows),
                let tries = byte < DecisionRecordEncoder.numberFollows ? 1 : count()
            else { return nil }
            guard detail & 0x07 != 0 else { return .sent(priority, reason, tries: tries, result: nil) }
            return ResultCode(rawValue: detail & 0x07).flatMap { result($0, at: base) }
                .map { .sent(priority, reason, tries: tries, result: $0) }
        }
    }

    private mutating func result(_ code: ResultCode, at base: DecisionBase) -> DecisionRecord.Result? {
        switch code {
        case .accepted: return .accepted
        case .retry:
            guard let until = moment(since: base), let cause = cause() else { return nil }
            return .retry(at: until, cause)
        case .rejected: return cause().map { .rejected($0) }
        case .tokenDead: return cause().map { .tokenDead($0) }
        }
    }

    private mutating func cause() -> DecisionRecord.Cause? {
        guard let code = bytes.popFirst() else { return nil }
        switch code {
        case DecisionRecordEncoder.noResponse: return .noResponse
        case DecisionRecordEncoder.invalidRequest: return .invalidRequest
        case DecisionRecordEncoder.neverSent: return .neverSent
        case DecisionRecordEncoder.namedReason:
            return name().map { name -> DecisionRecord.Cause in
                let words = name.split(separator: " ", maxSplits: 1)
                guard words.count == 2, let status = Int(words[1]) else { return .apns(reason: name) }
                return .apns(reason: String(words[0]), status: status)
            }
        default: return CodedNames.reasons.name(of: code).map { .apns(reason: $0) }
        }
    }
}
