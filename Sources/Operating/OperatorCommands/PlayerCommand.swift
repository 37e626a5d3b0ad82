import ArgumentParser
import Foundation
import RangersClient

/// `rangersctl player`: players and their accounts.
struct PlayerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "player",
        abstract: "Finds, shows, renames, signs out, exports and erases players.",
        subcommands: [Find.self, Show.self, Rename.self, SignOut.self, Export.self, Erase.self]
    )

    /// `rangersctl player find`: finds players by what is known of them.
    struct Find: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Finds players by name, invite code, or any identifier.",
            discussion: """
                The text is the beginning of a name, in upper or lower case; the invite code of a party, which finds its \
                members; or the identifier of a player, a device, an adventure (which finds its heroes' players) or a Live \
                Activity. The last column says which of these it was.

                Examples:
                  rangersctl player find "night o"
                  rangersctl player find ABCD2345
                  rangersctl player find 0f8fad5b-d9cb-469f-a165-70867728950e
                """
        )

        @Argument(help: ArgumentHelp("A name's beginning, an invite code, or an identifier.", valueName: "text"))
        var text: String

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The maximum number of players with the name or the device, 1 to 1000.",
                valueName: "count"
            )
        )
        var limit = 100

        @OptionGroup var options: ServerOptions

        func validate() throws {
            guard (1...1_000).contains(limit) else { throw ValidationError("--limit must be between 1 and 1000.") }
        }

        func run() async throws {
            let client = try options.client()
            let query = [URLQueryItem(name: "text", value: text), URLQueryItem(name: "limit", value: "\(limit)")]
            try options.show(try await client.get("players", query: query), as: PlayerSearchResponse.self, from: client)
        }
    }

    /// `rangersctl player show`: shows a player.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a player with parties, devices and live Live Activities.",
            discussion: """
                Examples:
                  rangersctl player show 01981f6e-0000-7000-8000-0000000000ab
                """
        )

        @OptionGroup var player: PlayerReference
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            try options.show(
                try await client.get("players", player.id.text),
                as: PlayerDetailResponse.self,
                from: client
            )
        }
    }

    /// `rangersctl player rename`: gives a player another name.
    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Gives a player another name.",
            discussion: """
                The rules of names hold, and the server refuses while one of the player's parties is on an adventure. The \
                player can change the name again.

                Examples:
                  rangersctl player rename 01981f6e-0000-7000-8000-0000000000ab Ranger --reason "ticket 812" --dry-run
                """
        )

        @OptionGroup var player: PlayerReference

        @Argument(help: ArgumentHelp("The new name, 1 to 30 characters.", valueName: "name"))
        var name: String

        @OptionGroup var change: PlayerChangeOptions
        @OptionGroup var idempotency: IdempotencyOptions
        @OptionGroup var options: ServerOptions

        @Flag(help: "Show what would happen, and change nothing.")
        var dryRun = false

        func run() async throws {
            let body = PlayerChangeRequest(displayName: name, reason: change.reason)
            try await player.send("rename", body, dryRun: dryRun, idempotency, options)
        }
    }

    /// `rangersctl player sign-out`: revokes all tokens of a player.
    struct SignOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out",
            abstract: "Signs a player out everywhere: revokes all of the player's tokens.",
            discussion: """
                The recovery code and a linked Apple account stay valid: with either of them, the player signs in again. A \
                player without both of them cannot sign in any more. The server keeps sending pushes to the devices.

                Examples:
                  rangersctl player sign-out 01981f6e-0000-7000-8000-0000000000ab --reason "lost phone, ticket 812"
                """
        )

        @OptionGroup var player: PlayerReference
        @OptionGroup var change: PlayerChangeOptions
        @OptionGroup var idempotency: IdempotencyOptions
        @OptionGroup var options: ServerOptions

        @Flag(help: "Show what would happen, and change nothing.")
        var dryRun = false

        func run() async throws {
            let body = PlayerChangeRequest(reason: change.reason)
            try await player.send("sign-out", body, dryRun: dryRun, idempotency, options)
        }
    }

    /// `rangersctl player export`: prints all stored data of a player.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints all stored data of a player as JSON.",
            discussion: """
                The output is what the player's own app gets, with push tokens. Each page of it is recorded in the audit log.

                Examples:
                  rangersctl player export 01981f6e-0000-7000-8000-0000000000ab > player.json
                """
        )

        @OptionGroup var player: PlayerReference
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            var export = PlayerExportDocument()
            repeat {
                let query = export.next.map { [URLQueryItem(name: "after", value: $0)] } ?? []
                let body = try await client.get("players", player.id.text, "export", query: query)
                export.append(try client.decode(PlayerExportDocument.Page.self, from: body))
            } while export.next != nil
            print(try export.fields.sortedJSON)
        }
    }

    /// `rangersctl player erase`: erases a player.
    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Erases a player, as the player's own app can.",
            discussion: """
                This cannot be undone. The player leaves all parties; name, progress, history, scores, devices and tokens are \
                removed. Adventures stay as they were played, without a name. Asks for confirmation unless --yes is given.

                Examples:
                  rangersctl player erase 01981f6e-0000-7000-8000-0000000000ab --reason "request by mail" --dry-run
                  rangersctl player erase 01981f6e-0000-7000-8000-0000000000ab --reason "request by mail" --yes
                """
        )

        @OptionGroup var player: PlayerReference
        @OptionGroup var change: PlayerChangeOptions
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var idempotency: IdempotencyOptions
        @OptionGroup var options: ServerOptions

        func run() async throws {
            if !confirmation.yes, !confirmation.dryRun {
                let client = try options.client()
                let body = try await client.get("players", player.id.text)
                try confirmation.confirm("Erase \(try client.decode(PlayerDetailResponse.self, from: body).summary)?")
            }
            let body = PlayerChangeRequest(reason: change.reason)
            try await player.send("erase", body, dryRun: confirmation.dryRun, idempotency, options)
        }
    }
}

/// A player given by the identifier.
struct PlayerReference: ParsableArguments {
    @Argument(help: ArgumentHelp("The player's identifier, as in `player find` and `party show`.", valueName: "player"))
    var id: UUIDArgument

    /// Sends a change of the player, or a dry run of it, and prints its effect.
    fileprivate func send(
        _ action: String,
        _ body: PlayerChangeRequest,
        dryRun: Bool,
        _ idempotency: IdempotencyOptions,
        _ options: ServerOptions
    ) async throws {
        let client = try options.client()
        let response =
            if dryRun {
                try await client.post("players", id.text, action, query: [.dryRun], body: body)
            } else {
                try await client.change("players", id.text, action, key: idempotency.key, body: body)
            }
        try options.show(response, as: ChangeResponse.self, from: client)
    }
}

/// The options of commands that change a player.
struct PlayerChangeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The reason for the audit log, which is kept for ever: a ticket's number, without names of players.",
            valueName: "text"
        )
    )
    var reason: String
}

/// The body of requests that change a player.
private struct PlayerChangeRequest: Encodable {
    var displayName: String?
    let reason: String
}
