/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Hashable, Sendable {
    /// The year; 0 is 1 BC.
    package let year: Int64
    /// The month, 1 to 12.
    package let month: Int64
    /// The day of the month, 1 to 31.
    package let day: Int64

    /// The number of days from March 1 of the year 0 to January 1, 1970.
    private static let epochDay: Int64 = 719_468

    /// Creates a date from a year, month and day.
    ///
    /// - Returns: nil if the calendar has no such day, for example February 30.
    package init?(year: Int64, month: Int64, day: Int64) {
        (self.year, self.month, self.day) = (year, month, day)
        guard (1...12).contains(month), (1...31).contains(day), Self(daysSince1970: daysSince1970) == self else {
            return nil
        }
    }

    /// Creates a date from the number of days since January 1, 1970.
    package init(daysSince1970: Int64) {
        // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days. An era has 400 years,
        // each of which begins in March, so that the leap day is the last day of its year.
        let (era, dayOfEra) = (daysSince1970 + Self.epochDay).floorDivided(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthSinceMarch = (5 * dayOfYear + 2) / 153
        month = monthSinceMarch < 10 ? monthSinceMarch + 3 : monthSinceMarch - 9
        day = dayOfYear - (153 * monthSinceMarch + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days since January 1, 1970; negative for earlier dates.
    package var daysSince1970: Int64 {
        let (era, yearOfEra) = (month > 2 ? year : year - 1).floorDivided(by: 400)
        let monthSinceMarch = (month + 9) % 12
        let dayOfYear = (153 * monthSinceMarch + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - Self.epochDay
    }
}

extension Int64 {
    /// Divides and rounds towards negative infinity; the remainder is never negative for a positive divisor.
    package func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
