import ArgumentParser
import Encodings
import Foundation

/// By which the server knows a change that is asked for again.
struct IdempotencyKey: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        // As the server takes it.
        guard (1...255).contains(argument.utf8.count), argument.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        text = argument
    }

    private init() { text = UUID().lowercaseText }

    /// One that nobody has used.
    static func new() -> Self { Self() }
}

/// For changes that may be asked for again.
struct RepeatOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            For scripts that run this again: with the same key it is done once, and answered alike for 24 hours. Take a new \
            one for each party and each activity: a key that was used elsewhere may count as new.
            """,
            valueName: "key"
        )
    )
    var idempotencyKey: IdempotencyKey?

    /// As given, or one for this run.
    var key: IdempotencyKey { idempotencyKey ?? .new() }
}
