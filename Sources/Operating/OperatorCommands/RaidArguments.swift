import ArgumentParser
import Encodings

/// The duration of a raid as a command-line argument: whole seconds, minutes, hours or days, such as `45m` or `2h`.
struct RaidDuration {
    private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    /// The server has the same range.
    private static let range = 10...7 * 86_400

    let seconds: Int

    /// Parses an argument.
    /// - Throws: `ValidationError` with the valid form.
    init(text: String) throws {
        let digits = text.dropLast()
        guard let unit = text.last.flatMap({ Self.units[$0] }), digits.allSatisfy({ ("0"..."9").contains($0) }),
            let number = Int(digits), number <= Self.range.upperBound, Self.range.contains(number * unit)
        else { throw ValidationError("use seconds, minutes, hours or days, from 10s to 7d, such as 45m or 2h") }
        seconds = number * unit
    }
}

/// The start of a raid as a command-line argument: a time in UTC.
struct RaidStart {
    /// The time in RFC 3339.
    let text: String

    /// Parses an argument, in RFC 3339 or as the tables show times.
    /// - Throws: `ValidationError` with the valid form.
    init(text: String) throws {
        let time = ["", "Z"].lazy.compactMap { Timestamp(rfc3339: text.replacing(" ", with: "T") + $0) }.first
        guard let time else { throw ValidationError("use a time in UTC such as 2027-01-01T18:00:00Z") }
        self.text = time.rfc3339(fractionDigits: 3)
    }
}
