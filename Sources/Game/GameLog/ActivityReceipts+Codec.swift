import Encodings

// The stored form of receipts, a few hundred bytes:
//
//     1  flags  clock offset  milliseconds since 1970         the version, two bytes of flags, the time of the newest report
//     count  details  budget  time  …                                 the observations, newest first
//     [value]                                                 for each flag, in order
//     shown count  taps  count  sequence  time  …             the shown states, by sequence
//
// Numbers are written in bytes of seven bits, the lowest first, all but the last with the highest bit set; numbers that may be
// negative have their sign in the lowest bit. Times are in milliseconds, relative to the newest report; those of
// observations and of shown states to the one before.

/// The flags of stored receipts.
private struct ReceiptFlags: OptionSet {
    let rawValue: UInt16

    static let liveActivitiesChangedAt = Self(rawValue: 1 << 0)
    static let firstShownAt = Self(rawValue: 1 << 1)
    static let staleAt = Self(rawValue: 1 << 2)
    static let endedAt = Self(rawValue: 1 << 3)
    static let dismissedAt = Self(rawValue: 1 << 4)
    static let tokenChangedAt = Self(rawValue: 1 << 5)
    static let budget = Self(rawValue: 1 << 6)
    static let offline = Self(rawValue: 1 << 7)
}

extension ActivityReceipts {
    private static let version: UInt8 = 1

    /// The stored form.
    public var encoded: [UInt8] {
        let base = reportedAt.epochMilliseconds
        var writer = ReceiptWriter(base: base)
        writer.number(UInt64(observations.count))
        for observation in observations.reversed() {
            writer.number(UInt64(observation.details))
            writer.number(UInt64(observation.budgetCode))
            writer.time(observation.at)
            writer.base = observation.at.epochMilliseconds
        }
        writer.base = base
        var flags: ReceiptFlags = []
        let times: [(ReceiptFlags, Timestamp?)] = [
            (.liveActivitiesChangedAt, liveActivitiesChangedAt), (.firstShownAt, firstShownAt),
            (.staleAt, staleAt), (.endedAt, endedAt), (.dismissedAt, dismissedAt), (.tokenChangedAt, tokenChangedAt),
        ]
        for case (let flag, let moment?) in times {
            flags.insert(flag)
            writer.time(moment)
        }
        if let budget {
            flags.insert(.budget)
            writer.number(UInt64(budget.remaining))
            writer.number(UInt64(budget.level.utf8.count))
            writer.bytes += budget.level.utf8
            writer.time(budget.at)
        }
        if let offline {
            flags.insert(.offline)
            writer.time(offline.from)
            writer.time(offline.until)
        }
        writer.number(UInt64(shownCount))
        writer.number(UInt64(taps))
        writer.number(UInt64(shown.count))
        var sequence = 0
        for state in shown {
            writer.number(UInt64(state.sequence - sequence))
            writer.time(state.at)
            sequence = state.sequence
            writer.base = state.at.epochMilliseconds
        }
        var header = ReceiptWriter(base: 0)
        header.bytes = [Self.version, UInt8(flags.rawValue & 0xff), UInt8(flags.rawValue >> 8)]
        header.signed(clockOffset.wholeMicroseconds / 1_000)
        header.signed(base)
        return header.bytes + writer.bytes
    }

    /// Decodes the stored form; nil if the bytes are malformed, or another release wrote them in another form.
    public init?(encoded bytes: [UInt8]) {
        guard bytes.count >= 3, bytes[0] == Self.version else { return nil }
        let flags = ReceiptFlags(rawValue: UInt16(bytes[1]) | UInt16(bytes[2]) << 8)
        var reader = ReceiptReader(bytes: bytes[3...])
        guard let offset = reader.signed(), offset.magnitude <= 2 * UInt64(ReceiptReader.maxMilliseconds),
            let newest = reader.time(), let count = reader.count(), 1...Self.maxObservations ~= count
        else { return nil }
        reader.base = newest.epochMilliseconds
        var observations: [Observation] = []
        for _ in 0..<count {
            guard let details = reader.count(), let budget = reader.count(), let moment = reader.time() else {
                return nil
            }
            observations.append(Observation(at: moment, details: details, budgetCode: budget))
            reader.base = moment.epochMilliseconds
        }
        self.init(observations.reversed(), clockOffset: .milliseconds(offset))
        reader.base = newest.epochMilliseconds
        if flags.contains(.liveActivitiesChangedAt) { liveActivitiesChangedAt = reader.time() }
        if flags.contains(.firstShownAt) { firstShownAt = reader.time() }
        if flags.contains(.staleAt) { staleAt = reader.time() }
        if flags.contains(.endedAt) { endedAt = reader.time() }
        if flags.contains(.dismissedAt) { dismissedAt = reader.time() }
        if flags.contains(.tokenChangedAt) { tokenChangedAt = reader.time() }
        if flags.contains(.budget) {
            guard let remaining = reader.count(), let level = reader.text(), let moment = reader.time() else {
                return nil
            }
            budget = BudgetReading(remaining: remaining, level: level, at: moment)
        }
        if flags.contains(.offline) {
            guard let from = reader.time(), let until = reader.time() else { return nil }
            offline = OfflineInterval(from: from, until: until)
        }
        guard let shownCount = reader.count(), let taps = reader.count(), let count = reader.count(),
            count <= Self.maxShown
        else { return nil }
        (self.shownCount, self.taps) = (shownCount, taps)
        var sequence = 0
        for _ in 0..<count {
            guard let step = reader.count(), let moment = reader.time() else { return nil }
            sequence += step
            shown.append(ShownState(sequence: sequence, at: moment))
            reader.base = moment.epochMilliseconds
        }
        guard reader.isAtEnd else { return nil }
    }
}

private struct ReceiptWriter {
    var bytes: [UInt8] = []
    var base: Int64

    init(base: Int64) { self.base = base }

    mutating func number(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func signed(_ number: Int64) { self.number(UInt64(bitPattern: number << 1 ^ number >> 63)) }

    mutating func time(_ moment: Timestamp) { signed(moment.epochMilliseconds - base) }
}

/// Reads stored receipts, from any bytes without a trap.
private struct ReceiptReader {
    /// The largest time in milliseconds: the year 9999, far from an overflow in microseconds.
    static let maxMilliseconds = Int64(253_402_300_799_999)

    var bytes: ArraySlice<UInt8>
    var base: Int64 = 0
    private var hasFailed = false

    init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Whether everything was read, and without a failure.
    var isAtEnd: Bool { bytes.isEmpty && !hasFailed }

    mutating func number() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { break }
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return number }
        }
        hasFailed = true
        return nil
    }

    mutating func signed() -> Int64? { number().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) } }

    /// Reads a number of at most 31 bits, so that additions to it do not overflow.
    mutating func count() -> Int? {
        guard let number = number(), number <= UInt64(Int32.max) else { return nil }
        return Int(number)
    }

    mutating func time() -> Timestamp? {
        guard let step = signed() else { return nil }
        let milliseconds = base &+ step
        let limit = UInt64(Self.maxMilliseconds)
        guard step.magnitude <= 2 * limit, milliseconds.magnitude <= limit else {
            hasFailed = true
            return nil
        }
        return Timestamp(microseconds: milliseconds * 1_000)
    }

    mutating func text() -> String? {
        guard let length = count(), length <= BudgetReading.maxLevelBytes, length <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return String(decoding: bytes.prefix(length), as: UTF8.self)
    }
}
