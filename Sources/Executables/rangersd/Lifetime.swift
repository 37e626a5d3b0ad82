import ArgumentParser

/// How long a token is good, on a command line: whole hours or days, such as `12h` or `30d`.
struct Lifetime {
    /// Longer than any token should live, short enough for every calendar.
    private static let longestDays = 3_650

    let duration: Duration

    /// Reads it.
    /// - Throws: `ValidationError` with what can be read.
    init(text: String) throws {
        let refusal = ValidationError("it takes whole hours or days, such as 12h or 30d, \(Self.longestDays)d at most")
        let digits = text.dropLast()
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let number = Int(digits), number > 0 else {
            throw refusal
        }
        switch text.last {
        case "h" where number <= Self.longestDays * 24: duration = .seconds(number * 3_600)
        case "d" where number <= Self.longestDays: duration = .seconds(number * 86_400)
        default: throw refusal
        }
    }
}
