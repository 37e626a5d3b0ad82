public import ArgumentParser
public import RangersClient

extension IdempotencyKey: ExpressibleByArgument {
    /// Creates a key from an argument; nil unless it has 1 to 255 visible ASCII characters, as the server requires.
    public init?(argument: String) {
        guard (1...255).contains(argument.utf8.count), argument.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.init(rawValue: argument)
    }
}

/// The options of commands that change something.
struct IdempotencyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            For scripts that may run this command again: the server carries out a change once for each key, and repeats \
            its response for 24 hours. Use another key for each party and each activity.
            """,
            valueName: "key"
        )
    )
    var idempotencyKey: IdempotencyKey?

    /// The given key, or a new one.
    var key: IdempotencyKey { idempotencyKey ?? IdempotencyKey() }
}
