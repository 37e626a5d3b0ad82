import ArgumentParser
import CommandLineSupport
import Encodings
import Foundation
import GameCore
import GameStore
import PartyAPI
import RangersSettings
import ServiceRuntime

/// `rangersd operator`: the operators and their tokens.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Creates, revokes and lists operators, and replaces their tokens.",
        discussion: """
            Operators use rangersctl, also for other operators (`rangersctl operator`); these commands are for the first \
            admin, and if no admin has a valid token. The database is RANGERS_DATABASE_URL.
            """,
        subcommands: [Create.self, Rotate.self, Revoke.self, List.self]
    )

    /// `rangersd operator create`: creates an operator and prints the token.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates an operator, and prints the token once to standard output.",
            discussion: """
                The name of an operator whose token is revoked or expired may be reused. Without --expires the token is \
                valid until it is revoked. The audit log records this command under rangersd and the system user; a line \
                on standard error contains the hash of the entry.

                Examples:
                  rangersd operator create alex --role admin > alex.token
                  rangersd operator create guest --role viewer --expires 30d
                """
        )

        @Argument(help: ArgumentHelp("The name of the operator, for lists and the audit log.", valueName: "name"))
        var name: OperatorName

        @Option(help: ArgumentHelp("admin may do everything, viewer only reads.", valueName: "admin|viewer"))
        var role: Operator.Role

        @OptionGroup var validity: TokenLifetimeOptions

        @OptionGroup var options: SettingsOptions

        func run() async throws {
            try await RangersdFailure.explaining {
                let store = GameStore(try DatabaseSettings(from: options.sources()))
                let issued = IssuedToken(runtime: .system)
                let expiry = validity.expires?.duration.map { issued.createdAt + $0 }
                let isCreated = try await store.create(
                    operator: name.text,
                    role: role,
                    expiresAt: expiry,
                    tokenHash: issued.token.hash,
                    by: .systemUser
                )
                guard isCreated else {
                    throw RangersdFailure(
                        explanation: "operator \(name.text) exists and has a valid token; "
                            + "`rangersd operator rotate \(name.text)` replaces it"
                    )
                }
                OperatorCommand.show(issued.token, of: name, role, expiresAt: expiry)
            }
        }
    }

    /// A newly issued token.
    private struct IssuedToken {
        let token: BearerToken
        let createdAt: Timestamp

        init(runtime: Runtime) {
            var generator = runtime.generator()
            token = BearerToken(for: .operator, using: &generator)
            createdAt = runtime.now()
        }
    }

    /// Prints the token to standard output, and a description of it to standard error.
    private static func show(
        _ token: BearerToken,
        of name: OperatorName,
        _ role: Operator.Role,
        expiresAt expiry: Timestamp?
    ) {
        print(token.text)
        let end = expiry.map { ", valid until \(OperatorEntry.date($0))" } ?? ""
        StandardError.print("This is the token of \(name.text) (\(role.rawValue)\(end)). It will not be shown again.")
    }

    /// `rangersd operator rotate`: replaces an operator's token.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replaces an operator's token, and prints the new one once.",
            discussion: """
                Name, role and lifetime stay: a token that was valid for 30 days is replaced by one for the next 30 days. \
                --expires sets another lifetime. The old token becomes invalid at once; to avoid a gap, create a second \
                operator first.

                Example:
                  rangersd operator rotate alex --expires 90d > alex.token
                """
        )

        @Argument(help: ArgumentHelp("The name of the operator.", valueName: "name"))
        var name: OperatorName

        @OptionGroup var validity: TokenLifetimeOptions

        @OptionGroup var options: SettingsOptions

        func run() async throws {
            try await RangersdFailure.explaining {
                let store = GameStore(try DatabaseSettings(from: options.sources()))
                let issued = IssuedToken(runtime: .system)
                let lifetime: Operator.ReplacementLifetime =
                    validity.expires.map { $0.duration.map { .limited($0) } ?? .unlimited } ?? .unchanged
                let rotated = try await store.rotate(
                    operator: name.text,
                    lifetime: lifetime,
                    tokenHash: issued.token.hash,
                    by: .systemUser
                )
                guard let rotated else {
                    throw RangersdFailure(
                        explanation: "no operator \(name.text) has a valid token; see `rangersd operator list`"
                    )
                }
                OperatorCommand.show(issued.token, of: name, rotated.role, expiresAt: rotated.expiresAt)
            }
        }
    }

    /// `rangersd operator revoke`: revokes an operator's token.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revokes an operator's token.")

        @Argument(help: ArgumentHelp("The name of the operator.", valueName: "name"))
        var name: OperatorName

        @OptionGroup var options: SettingsOptions

        func run() async throws {
            try await RangersdFailure.explaining {
                let store = GameStore(try DatabaseSettings(from: options.sources()))
                guard case .revoked = try await store.revoke(operator: name.text, by: .systemUser) else {
                    throw RangersdFailure(
                        explanation: "no operator \(name.text) has a valid token; see `rangersd operator list`"
                    )
                }
                StandardError.print("The token of \(name.text) is revoked.")
            }
        }
    }

    /// `rangersd operator list`: lists all operators.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists all operators, including revoked and expired ones."
        )

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
