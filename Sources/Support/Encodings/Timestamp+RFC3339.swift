extension Timestamp {
    /// Writes the moment as RFC 3339 has it, in UTC: `2026-03-04T05:06:07.123Z`; what is finer is cut off.
    ///
    /// For the years from 0 to 9999.
    /// - Parameters:
    ///   - bytes: what it is written behind, in ASCII.
    ///   - fractionDigits: digits of the second's fraction, 1 to 6.
    public func writeRFC3339(to bytes: inout [UInt8], fractionDigits: Int) {
        let (second, fraction) = (microseconds.floored(by: 1_000_000), microseconds.modulo(1_000_000))
        let (day, time) = (second.floored(by: 86_400), second.modulo(86_400))
        // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days: eras of 400 years that begin
        // in March, so that the day that is not always there is the last of its year.
        let shifted = day + 719_468
        let era = shifted.floored(by: 146_097)
        let dayOfEra = shifted.modulo(146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9

        func add(_ number: Int64, digits: Int, of all: Int) {
            var divisor: Int64 = 1
            for _ in 1..<all { divisor *= 10 }
            for _ in 0..<digits {
                bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
                divisor /= 10
            }
        }
        func add(_ number: Int64, before separator: Unicode.Scalar) {
            add(number, digits: 2, of: 2)
            bytes.append(UInt8(ascii: separator))
        }
        add(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), digits: 4, of: 4)
        bytes.append(UInt8(ascii: "-"))
        add(month, before: "-")
        add(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, before: "T")
        add(time / 3_600, before: ":")
        add(time / 60 % 60, before: ":")
        add(time % 60, before: ".")
        add(fraction, digits: fractionDigits, of: 6)
        bytes.append(UInt8(ascii: "Z"))
    }
}

extension Int64 {
    fileprivate func floored(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }

    fileprivate func modulo(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
