import ArgumentParser

/// How long a token is good, on a command line: whole hours or days, such as `12h` or `30d`.
struct Lifetime: ExpressibleByArgument {
    /// Longer than any token should live, short enough for every calendar.
    private static let longestDays = 3_650

    let duration: Duration

    init?(argument: String) {
        let digits = argument.dropLast()
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let number = Int(digits), number > 0 else { return nil }
        switch argument.last {
        case "h" where number <= Self.longestDays * 24: duration = .seconds(number * 3_600)
        case "d" where number <= Self.longestDays: duration = .seconds(number * 86_400)
        default: return nil
        }
    }
}
