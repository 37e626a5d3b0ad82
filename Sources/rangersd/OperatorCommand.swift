import ArgumentParser
import Foundation
import GameCore
import GameStore
import PartyAPI
import RangersCommandLine
import RangersSettings

/// `rangersd operator`: who may run the game.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Creates, revokes and lists operators.",
        discussion: "They work with rangersctl. The database is RANGERS_DATABASE_URL.",
        subcommands: [Create.self, Revoke.self, List.self]
    )

    /// `rangersd operator create`.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates an operator and prints the token, alone on standard output, this once.",
            discussion: "Example: rangersd operator create alex --role admin > alex.token"
        )

        @Argument(help: ArgumentHelp("Who it is, for lists and the audit.", valueName: "name"))
        var name: OperatorName

        @Option(help: ArgumentHelp("admin does everything, viewer looks.", valueName: "admin|viewer"))
        var role: Operator.Role

        @OptionGroup var options: SettingsOptions

        func run() async throws {
            try await RangersdFailure.explaining {
                let store = GameStore(try DatabaseSettings(from: options.sources()))
                let surroundings = Surroundings.system
                var generator = surroundings.generator()
                let token = BearerToken(for: .operator, using: &generator)
                let isNew = try await store.create(
                    operator: name.text,
                    role: role,
                    tokenHash: token.hash,
                    at: surroundings.now()
                )
                guard isNew else {
                    throw RangersdFailure(
                        explanation: "there is, or was, an operator \(name.text); names are not used again, "
                            + "so that the audit stays clear"
                    )
                }
                print(token.text)
                StandardError.print("This is the token of \(name.text) (\(role.rawValue)). It is not shown again.")
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
                guard try await store.revoke(operator: name.text, at: Surroundings.system.now()) else {
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
                let entries = try await store.operators().map(OperatorEntry.init)
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
