import Encodings

/// A moment as HTTP writes it (RFC 9110, section 5.6.7), in seconds since 1970.
///
/// All three forms are read, as the RFC demands of recipients: `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. The name of the day is not checked.
struct HTTPDate: Hashable {
    let epochSeconds: Int64

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Nil for what is no moment in any of the forms.
    init?(_ text: String) {
        let words = text.split { " ,-:".contains($0) }.map(String.init)
        let fields: (day: String, month: String, year: String, time: ArraySlice<String>)
        switch words.count {
        case 8 where words[7] == "GMT": fields = (words[1], words[2], words[3], words[4...6])
        case 7: fields = (words[2], words[1], words[6], words[3...5])
        default: return nil
        }
        guard let month = Self.months.firstIndex(of: fields.month).map({ $0 + 1 }),
            let day = Self.number(fields.day), (1...31).contains(day),
            let year = Self.number(fields.year)
        else { return nil }
        let time = fields.time.compactMap(Self.number)
        // 60 is a leap second.
        guard time.count == 3, time[0] < 24, time[1] < 60, time[2] <= 60 else { return nil }
        // Two digits stand for a year of this century: no server of today dates anything into the last one.
        let days = Self.daysSince1970(year: fields.year.count == 2 ? 2000 + year : year, month: month, day: day)
        epochSeconds = ((days * 24 + time[0]) * 60 + time[1]) * 60 + time[2]
    }

    /// A number of at most four digits.
    private static func number(_ digits: String) -> Int64? {
        guard digits.utf8.count <= 4, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(digits)
    }

    /// By the Gregorian calendar, in years that begin in March, so that the leap day is the last of its year.
    private static func daysSince1970(year: Int64, month: Int, day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let monthsSinceMarch = Int64((month + 9) % 12)
        let daysBeforeYear = year * 365 + year / 4 - year / 100 + year / 400
        // 719,468 days lie between the first of March of the year 0 and 1970.
        return daysBeforeYear + (153 * monthsSinceMarch + 2) / 5 + day - 1 - 719_468
    }
}
