import Encodings

/// An HTTP date (RFC 9110, section 5.6.7).
///
/// All three forms are supported, as the RFC requires of recipients: `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. The day of the week is not checked.
struct HTTPDate: Hashable {
    /// Seconds since 1970.
    let epochSeconds: Int64

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads a date, or returns nil if the text has none of the forms.
    init?(_ text: String) {
        let words = text.split { " ,-:".contains($0) }.map(String.init)
        let fields: (day: String, month: String, year: String, time: ArraySlice<String>)
        switch words.count {
        case 8 where words[7] == "GMT": fields = (words[1], words[2], words[3], words[4...6])
        case 7: fields = (words[2], words[1], words[6], words[3...5])
        default: return nil
        }
        guard let month = Self.months.firstIndex(of: fields.month).map({ Int64($0) + 1 }),
            let day = Self.number(fields.day),
            let year = Self.number(fields.year)
        else { return nil }
        let time = fields.time.compactMap(Self.number)
        // 60 is a leap second.
        guard time.count == 3, time[0] < 24, time[1] < 60, time[2] <= 60 else { return nil }
        // A year of two digits is in this century.
        guard let date = CivilDate(year: fields.year.count == 2 ? 2000 + year : year, month: month, day: day) else {
            return nil
        }
        epochSeconds = ((date.daysSince1970 * 24 + time[0]) * 60 + time[1]) * 60 + time[2]
    }

    /// Reads a number of at most four digits.
    private static func number(_ digits: String) -> Int64? {
        guard digits.utf8.count <= 4, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(digits)
    }
}
