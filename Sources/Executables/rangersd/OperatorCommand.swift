import ArgumentParser
import CommandLineSupport
import Encodings
import Foundation
import GameCore
import GameStore
import PartyAPI
import RangersSettings
import ServiceRuntime

/// `rangersd operator`: who may run the game.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Creates and revokes operators, renews their tokens, and lists them.",
        discussion: "They work with rangersctl. The database is RANGERS_DATABASE_URL.",
        subcommands: [Create.self, Rotate.self, Revoke.self, List.self]
    )

    /// `rangersd operator create`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates an operator and prints the token, alone on standard output, this once.",
            discussion: """
                The name of an operator whose token was revoked or has expired may be used again. What is done here is in \
                the audit log, under rangersd and the name of the system's user; a line on standard error has the entry's hash.

                Examples:
                  rangersd operator create alex --role admin > alex.token
                  rangersd operator create guest --role viewer --expires 30d
                """
        )

        @Argument(help: ArgumentHelp("Who it is, for lists and the audit.", valueName: "name"))
        var name: OperatorName

        @Option(help: ArgumentHelp("admin does everything, viewer looks.", valueName: "admin|viewer"))
        var role: Operator.Role

        @OptionGroup var validity: ValidityOptions

        @OptionGroup var options: SettingsOptions

        func run() async throws {
            try await RangersdFailure.explaining {
                let store = GameStore(try DatabaseSettings(from: options.sources()))
                let new = NewToken(validFor: validity, runtime: .system)
                let isNew = try await store.create(
                    operator: name.text,
                    role: role,
                    expiresAt: new.expiry,
                    tokenHash: new.token.hash,
                    at: new.createdAt,
                    by: .systemUser
                )
                guard isNew else {
                    throw RangersdFailure(
                        explanation: "there is an operator \(name.text) with a good token; "
                            + "`rangersd operator rotate \(name.text)` makes a new one in its place"
                    )
                }
                OperatorCommand.show(new, of: name, role)
            }
        }
    }

    /// How long a new token is good.
    struct ValidityOptions: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "How long the token is good, in hours or days such as 12h or 30d; otherwise until it is revoked.",
                valueName: "time"
            ),
            transform: Lifetime.init(text:)
        )
        private var expires: Lifetime?

        func end(from now: Timestamp) -> Timestamp? { expires.map { now + $0.duration } }
    }

    /// A token that nobody has yet.
    private struct NewToken {
        let token: BearerToken
        let createdAt: Timestamp
        let expiry: Timestamp?

        init(validFor validity: ValidityOptions, runtime: Runtime) {
            var generator = runtime.generator()
            token = BearerToken(for: .operator, using: &generator)
            createdAt = runtime.now()
            expiry = validity.end(from: createdAt)
        }
    }

    /// The token alone on standard output; about it on standard error.
    private static func show(_ new: NewToken, of name: OperatorName, _ role: Operator.Role) {
        print(new.token.text)
        let end = new.expiry.map { ", good until \(OperatorEntry.date($0))" } ?? ""
        StandardError.print("This is the token of \(name.text) (\(role.rawValue)\(end)). It is not shown again.")
    }

    /// `rangersd operator rotate`.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives an operator a new token, which ends the one before, and prints it this once.",
            discussion: """
                Name and role stay. Whoever must not be without a token for a moment gets one of another name first.

                Example:
                  rangersd operator rotate alex --expires 90d > alex.token
                """
        )

        @Argument(help: ArgumentHelp("Whose.", valueName: "name"))
        var name: OperatorName

        @OptionGroup var validity: ValidityOptions

        @OptionGroup var options: SettingsOptions

        func run() async throws {
            try await RangersdFailure.explaining {
                let store = GameStore(try DatabaseSettings(from: options.sources()))
                let new = NewToken(validFor: validity, runtime: .system)
                let role = try await store.rotate(
                    operator: name.text,
                    expiresAt: new.expiry,
                    tokenHash: new.token.hash,
                    at: new.createdAt,
                    by: .systemUser
                )
                guard let role else {
                    throw RangersdFailure(
                        explanation: "no operator \(name.text) has a token; see `rangersd operator list`"
                    )
                }
                OperatorCommand.show(new, of: name, role)
            }
        }
    }

    /// `rangersd operator revoke`.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes an operator's token worthless from now on.")

        @Argument(help: ArgumentHelp("Whose.", valueName: "name"))
        var name: OperatorName

        @OptionGroup var options: SettingsOptions

        func run() async throws {
            try await RangersdFailure.explaining {
                let store = GameStore(try DatabaseSettings(from: options.sources()))
                let now = Runtime.system.now()
                guard try await store.revoke(operator: name.text, at: now, by: .systemUser) else {
                    throw RangersdFailure(
                        explanation: "no operator \(name.text) has a token; see `rangersd operator list`"
                    )
                }
                StandardError.print("The token of \(name.text) is worthless from now on.")
            }
        }
    }

    /// `rangersd operator list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists every operator that there was.")

        @Flag(help: "Print JSON, for scripts.")
        var json = false

        @OptionGroup var options: SettingsOptions

        func run() async throws {
            try await RangersdFailure.explaining {
                let store = GameStore(try DatabaseSettings(from: options.sources()))
                let now = Runtime.system.now()
                let entries = try await store.operators().map { OperatorEntry($0, at: now) }
                if json {
                    let encoder = JSONEncoder()
                    encoder.outputFormatting = .sortedKeys
                    print(String(decoding: try encoder.encode(entries), as: UTF8.self))
                } else {
                    for line in OperatorEntry.table(entries).lines(fitting: Terminal.columns) {
                        print(line)
                    }
                }
            }
        }
    }
}
