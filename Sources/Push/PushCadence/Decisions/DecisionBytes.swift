import Encodings
import GameCore
import PushRules

// How a log of decisions is kept and stored: as few bytes as can be, since there are hundreds of thousands in memory, and
// thousands are rewritten every second.
//
//     2  milliseconds since 1970  position                      the version of this form, and what the first entry counts from
//     n  milliseconds  positions  happened  [events]  verdict   each entry: its length, then what it is beyond the one before
//
// Numbers are written in bytes of seven bits, the lowest first, all but the last with the highest bit set; those that may
// be negative (a clock is set back) with their sign in the lowest bit. The highest bit of `happened` says that a number of
// events follows, since it is not 1; an event without a code has 127, and its name follows, as one follows a zero for a
// reason of APNs's without a code. The lowest three bits of
// `verdict` say what it is, the others what fits there. Codes are in `ReasonCodes.swift`.

/// When and where in the log something was decided.
struct DecisionPlace: Hashable {
    var milliseconds: Int64 = 0
    var position: Int64 = 0

    /// Year 9999: far from what would overflow in microseconds.
    private static let milliseconds = 0...Int64(253_402_300_799_999)

    init(milliseconds: Int64 = 0, position: Int64 = 0) {
        self.milliseconds = milliseconds
        self.position = position
    }

    init(of decision: RecordedDecision) {
        self.init(milliseconds: decision.at.epochMilliseconds, position: decision.position)
    }

    var isPossible: Bool { Self.milliseconds.contains(milliseconds) && position >= 0 }
    var moment: Timestamp { Timestamp(microseconds: milliseconds * 1_000) }
}

/// What is decided, in the lowest three bits of a byte.
private enum VerdictCode: UInt8 {
    case letGo, notServed, idle, dropped, delayed, answered, sent
}

/// How a push went, in three bits; zero stands for no answer yet.
private enum AnswerCode: UInt8 {
    case accepted = 1
    case retry, refused, tokenDead
}

/// Writes a log of decisions.
struct DecisionWriter {
    static let version: UInt8 = 2
    fileprivate static let written: UInt8 = 0x7f
    fileprivate static let follows: UInt8 = 0x80
    /// Why a push did not get through, where no code of a name says so.
    fileprivate static let named: UInt8 = 0
    fileprivate static let silence: UInt8 = 1
    fileprivate static let ourselves: UInt8 = 2

    private(set) var bytes: [UInt8] = []

    /// What every log begins with.
    static func header(_ origin: DecisionPlace) -> [UInt8] {
        var writer = Self()
        writer.bytes.append(Self.version)
        writer.number(UInt64(bitPattern: origin.milliseconds))
        writer.number(UInt64(bitPattern: origin.position))
        return writer.bytes
    }

    /// An entry with its length.
    static func entry(_ decision: RecordedDecision, after place: DecisionPlace) -> [UInt8] {
        var writer = Self()
        writer.bytes.reserveCapacity(32)
        writer.bytes.append(0)
        writer.signed(decision.at.epochMilliseconds - place.milliseconds)
        writer.signed(decision.position - place.position)
        writer.happened(decision.change, events: decision.events)
        writer.verdict(decision.verdict, at: decision.at)
        // Names are short, and there are two at most.
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

    private mutating func happened(_ change: RecordedDecision.Change, events: Int) {
        bytes.append((change.code ?? Self.written) | (events == 1 ? 0 : Self.follows))
        if change.code == nil, case .event(let kind) = change { name(kind) }
        if events != 1 { number(UInt64(events)) }
    }

    private mutating func verdict(_ verdict: RecordedDecision.Verdict, at moment: Timestamp) {
        switch verdict {
        case .letGo: put(.letGo)
        case .notServed: put(.notServed)
        case .idle(let reason): put(.idle, reason.code)
        case .dropped(let subject, let reason):
            put(.dropped, reason.code)
            bytes.append(subject.code)
        case .delayed(let until, let reason):
            put(.delayed, reason.code)
            signed(until.epochMilliseconds - moment.epochMilliseconds)
        case .answered(let answer):
            put(.answered, answer.code.rawValue)
            self.answer(answer, at: moment)
        case .sent(let priority, let reason, let tries, let answer):
            put(.sent, priority.code << 3 | (answer?.code.rawValue ?? 0))
            bytes.append(reason.code | (tries == 1 ? 0 : Self.follows))
            if tries != 1 { number(UInt64(tries)) }
            if let answer { self.answer(answer, at: moment) }
        }
    }

    private mutating func put(_ code: VerdictCode, _ detail: UInt8 = 0) {
        bytes.append(code.rawValue | detail << 3)
    }

    private mutating func answer(_ answer: RecordedDecision.Answer, at moment: Timestamp) {
        switch answer {
        case .accepted: break
        case .retry(let until, let cause):
            signed(until.epochMilliseconds - moment.epochMilliseconds)
            self.cause(cause)
        case .refused(let cause), .tokenDead(let cause): self.cause(cause)
        }
    }

    /// Zero, and a name, for a reason of APNs's without a code.
    private mutating func cause(_ cause: RecordedDecision.Cause) {
        switch cause {
        case .silence: bytes.append(Self.silence)
        case .ourselves: bytes.append(Self.ourselves)
        case .apns(let reason):
            bytes.append(NameCodes.reasons.code(of: reason) ?? Self.named)
            if NameCodes.reasons.code(of: reason) == nil { name(reason) }
        }
    }
}

extension RecordedDecision.Answer {
    fileprivate var code: AnswerCode {
        switch self {
        case .accepted: .accepted
        case .retry: .retry
        case .refused: .refused
        case .tokenDead: .tokenDead
        }
    }
}

/// Reads a log of decisions; whatever the bytes are, nothing traps.
struct DecisionReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// What the first entry counts from; nil where the bytes are of another version, or of none.
    mutating func header() -> DecisionPlace? {
        guard bytes.popFirst() == DecisionWriter.version, let milliseconds = number(), let position = number() else {
            return nil
        }
        let origin = DecisionPlace(
            milliseconds: Int64(bitPattern: milliseconds),
            position: Int64(bitPattern: position)
        )
        return origin.isPossible ? origin : nil
    }

    /// Goes past the next entry.
    /// - Parameter place: what it counts from; then what the next one counts from.
    /// - Returns: nil at the end, and where the rest cannot be read; the decision is nil where only this entry cannot, as it
    ///   may be of a newer release.
    mutating func entry(after place: inout DecisionPlace) -> (length: Int, decision: RecordedDecision?)? {
        guard let length = bytes.popFirst(), length <= bytes.count else { return nil }
        var reader = Self(bytes.prefix(Int(length)))
        bytes = bytes.dropFirst(Int(length))
        guard let milliseconds = reader.signed(), let positions = reader.signed() else { return nil }
        place.milliseconds &+= milliseconds
        place.position &+= positions
        guard place.isPossible else { return nil }
        return (Int(length) + 1, reader.decision(at: place))
    }

    private mutating func decision(at place: DecisionPlace) -> RecordedDecision? {
        guard let (change, events) = happened(), let verdict = verdict(at: place), bytes.isEmpty else { return nil }
        return RecordedDecision(
            at: place.moment,
            position: place.position,
            events: events,
            change: change,
            verdict: verdict
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

    /// How many, and never so many that counting on would overflow.
    private mutating func count() -> Int? { number().flatMap { UInt32(exactly: $0) }.map { Int($0) } }

    private mutating func name() -> String? {
        guard let length = bytes.popFirst(), length > 0, length <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(Int(length)) }
        return String(decoding: bytes.prefix(Int(length)), as: UTF8.self)
    }

    private mutating func moment(since place: DecisionPlace) -> Timestamp? {
        guard let milliseconds = signed() else { return nil }
        let moment = DecisionPlace(milliseconds: place.milliseconds &+ milliseconds)
        return moment.isPossible ? moment.moment : nil
    }

    private mutating func happened() -> (RecordedDecision.Change, events: Int)? {
        guard let byte = bytes.popFirst() else { return nil }
        let code = byte & ~DecisionWriter.follows
        let change =
            code == DecisionWriter.written ? name().map { .event(kind: $0) } : RecordedDecision.Change(code: code)
        guard let change, let events = byte == code ? 1 : count() else { return nil }
        return (change, events)
    }

    private mutating func verdict(at place: DecisionPlace) -> RecordedDecision.Verdict? {
        guard let byte = bytes.popFirst(), let code = VerdictCode(rawValue: byte & 0x07) else { return nil }
        let detail = byte >> 3
        switch code {
        case .letGo: return .letGo
        case .notServed: return .notServed
        case .idle: return IdleReason(code: detail).map { .idle($0) }
        case .dropped:
            guard let reason = Drop.Reason(code: detail),
                let subject = bytes.popFirst().flatMap({ Drop.Subject(code: $0) })
            else { return nil }
            return .dropped(subject, reason)
        case .delayed:
            guard let reason = WaitReason(code: detail), let until = moment(since: place) else { return nil }
            return .delayed(until: until, reason)
        case .answered: return AnswerCode(rawValue: detail).flatMap { answer($0, at: place) }.map { .answered($0) }
        case .sent:
            guard let priority = PushPriority(code: detail >> 3), let byte = bytes.popFirst(),
                let reason = SendReason(code: byte & ~DecisionWriter.follows),
                let tries = byte < DecisionWriter.follows ? 1 : count()
            else { return nil }
            guard detail & 0x07 != 0 else { return .sent(priority, reason, tries: tries, answer: nil) }
            return AnswerCode(rawValue: detail & 0x07).flatMap { answer($0, at: place) }
                .map { .sent(priority, reason, tries: tries, answer: $0) }
        }
    }

    private mutating func answer(_ code: AnswerCode, at place: DecisionPlace) -> RecordedDecision.Answer? {
        switch code {
        case .accepted: return .accepted
        case .retry:
            guard let until = moment(since: place), let cause = cause() else { return nil }
            return .retry(at: until, cause)
        case .refused: return cause().map { .refused($0) }
        case .tokenDead: return cause().map { .tokenDead($0) }
        }
    }

    private mutating func cause() -> RecordedDecision.Cause? {
        guard let code = bytes.popFirst() else { return nil }
        switch code {
        case DecisionWriter.silence: return .silence
        case DecisionWriter.ourselves: return .ourselves
        case DecisionWriter.named: return name().map { .apns(reason: $0) }
        default: return NameCodes.reasons.name(of: code).map { .apns(reason: $0) }
        }
    }
}
