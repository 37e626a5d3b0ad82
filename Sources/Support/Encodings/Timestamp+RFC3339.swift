extension Timestamp {
    /// The time in RFC 3339 with milliseconds, in UTC, for example `2026-03-04T05:06:07.123Z`.
    ///
    /// Microseconds are cut off, not rounded.
    public var rfc3339: String { rfc3339(fractionDigits: 3) }

    /// Writes the time in RFC 3339, in UTC.
    ///
    /// - Parameter fractionDigits: the number of digits after the decimal point, 0 to 6; further digits are cut off.
    /// - Returns: for example `2026-03-04T05:06:07Z` without fraction digits.
    public func rfc3339(fractionDigits: Int) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(27)
        writeRFC3339(to: &bytes, fractionDigits: fractionDigits)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the time in RFC 3339, in UTC, for example `2026-03-04T05:06:07.123Z`.
    ///
    /// Correct for the years 0 to 9999.
    /// - Parameters:
    ///   - bytes: the text to append to, in ASCII.
    ///   - fractionDigits: the number of digits after the decimal point, 0 to 6; further digits are cut off.
    public func writeRFC3339(to bytes: inout [UInt8], fractionDigits: Int) {
        let (second, fraction) = microseconds.floorDivided(by: 1_000_000)
        let (dayNumber, time) = second.floorDivided(by: 86_400)
        let date = CivilDate(daysSince1970: dayNumber)

        func append(_ number: Int64, digits: Int, of width: Int) {
            var divisor: Int64 = 1
            for _ in 1..<width { divisor *= 10 }
            for _ in 0..<digits {
                bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
                divisor /= 10
            }
        }
        func append(_ separator: Unicode.Scalar, _ number: Int64) {
            bytes.append(UInt8(ascii: separator))
            append(number, digits: 2, of: 2)
        }
        append(date.year, digits: 4, of: 4)
        append("-", date.month)
        append("-", date.day)
        append("T", time / 3_600)
        append(":", time / 60 % 60)
        append(":", time % 60)
        if fractionDigits > 0 {
            bytes.append(UInt8(ascii: "."))
            append(fraction, digits: fractionDigits, of: 6)
        }
        bytes.append(UInt8(ascii: "Z"))
    }

    /// Reads a time in RFC 3339, in UTC, with up to six digits after the decimal point.
    ///
    /// Offsets other than `Z` are not supported. Second 60, a leap second, is read as the following second.
    /// - Returns: nil if the text has another form or names a date or time that does not exist.
    public init?(rfc3339 text: some StringProtocol) {
        var scanner = Scanner(rest: Array(text.utf8)[...])
        guard let year = scanner.number(digits: 4), scanner.take("-"),
            let month = scanner.number(digits: 2), scanner.take("-"),
            let day = scanner.number(digits: 2), scanner.take("T"),
            let hour = scanner.number(digits: 2), hour < 24, scanner.take(":"),
            let minute = scanner.number(digits: 2), minute < 60, scanner.take(":"),
            let second = scanner.number(digits: 2), second <= 60,
            let fraction = scanner.fraction(), scanner.take("Z"), scanner.rest.isEmpty,
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        let seconds = ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
        self.init(microseconds: seconds * 1_000_000 + fraction)
    }
}

/// Reads the parts of a time from the front of a text.
private struct Scanner {
    var rest: ArraySlice<UInt8>

    /// Removes a character from the front of the text, and returns whether it was there.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(digits: Int) -> Int64? {
        guard rest.count >= digits else { return nil }
        var number: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// Reads a decimal point and 1 to 6 digits.
    ///
    /// - Returns: the fraction in microseconds, 0 without a decimal point, nil without digits after it.
    mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        var (microseconds, unit): (Int64, Int64) = (0, 100_000)
        while unit > 0, let digit = digit() {
            microseconds += digit * unit
            unit /= 10
        }
        return unit == 100_000 ? nil : microseconds
    }

    private mutating func digit() -> Int64? {
        guard let first = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        rest.removeFirst()
        return Int64(first - UInt8(ascii: "0"))
    }
}
