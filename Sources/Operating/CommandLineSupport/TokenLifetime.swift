public import ArgumentParser

/// The lifetime of a token as a command-line argument: whole hours or days, such as `12h` or `30d`.
public struct TokenLifetime: Sendable {
    /// The longest lifetime, ten years.
    private static let maxDays = 3_650

    /// The lifetime in hours.
    public let hours: Int

    /// The lifetime.
    public var duration: Duration { .seconds(hours * 3_600) }

    /// Parses an argument.
    /// - Throws: `ValidationError` with the valid form.
    public init(text: String) throws {
        let error = ValidationError("use whole hours or days, such as 12h or 30d, at most \(Self.maxDays)d")
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
    /// The lifetime; nil for a token that is valid until it is revoked.
    @Option(
        help: ArgumentHelp(
            "The lifetime of the token in hours or days, such as 12h or 30d; by default it is valid until it is revoked.",
            valueName: "time"
        ),
        transform: TokenLifetime.init(text:)
    )
    public var expires: TokenLifetime?

    /// Creates the options, as ArgumentParser requires.
    public init() {}
}
