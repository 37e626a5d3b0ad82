import ArgumentParser

/// The lifetime of a token as a command-line argument: whole hours or days, such as `12h` or `30d`.
struct TokenLifetime {
    /// The longest lifetime, ten years.
    private static let maxDays = 3_650

    let duration: Duration

    /// Parses an argument.
    /// - Throws: `ValidationError` with the valid form.
    init(text: String) throws {
        let error = ValidationError("use whole hours or days, such as 12h or 30d, at most \(Self.maxDays)d")
        let digits = text.dropLast()
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let number = Int(digits), number > 0 else {
            throw error
        }
        switch text.last {
        case "h" where number <= Self.maxDays * 24: duration = .seconds(number * 3_600)
        case "d" where number <= Self.maxDays: duration = .seconds(number * 86_400)
        default: throw error
        }
    }
}
