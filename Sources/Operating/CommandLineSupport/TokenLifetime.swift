public import ArgumentParser

/// The lifetime of a token as a command-line argument: whole hours or days, such as `12h` or `30d`, or `never`.
public struct TokenLifetime: Sendable {
    /// The longest lifetime, ten years.
    private static let maxDays = 3_650

    /// The lifetime in hours; nil for a token that does not expire.
    public let hours: Int?

    /// The lifetime; nil for a token that does not expire.
    public var duration: Duration? { hours.map { .seconds($0 * 3_600) } }

    /// Parses an argument.
    /// - Throws: `ValidationError` with the valid form.
    public init(text: String) throws {
        if text == "never" {
            hours = nil
            return
        }
        let error = ValidationError("use whole hours or days, such as 12h or 30d, at most \(Self.maxDays)d, or never")
        let digits = text.dropLast()
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let number = Int(digits), number > 0 else {
            throw error
        }
        switch text.last {
        case "h" where number <= Self.maxDays * 24: hours = number
        case "d" where number <= Self.maxDays: hours = number * 24
        default: throw error
        }
    }
}

/// The option for the lifetime of a new token.
public struct TokenLifetimeOptions: ParsableArguments {
    /// The lifetime; nil if the command has no such option.
    @Option(
        help: ArgumentHelp(
            "The time until the token expires, in hours or days such as 12h or 30d, or never.",
            valueName: "time"
        ),
        transform: TokenLifetime.init(text:)
    )
    public var expires: TokenLifetime?

    /// Creates the options, as ArgumentParser requires.
    public init() {}
}
