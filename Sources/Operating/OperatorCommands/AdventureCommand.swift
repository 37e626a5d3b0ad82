import ArgumentParser
import RangersClient

/// `rangersctl adventure`: journeys and boss fights.
struct AdventureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adventure",
        abstract: "Shows, follows, replays and ends adventures.",
        subcommands: [Show.self, Events.self, Replay.self, End.self]
    )

    /// `rangersctl adventure show`: shows the current state of an adventure.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the current state of an adventure.",
            discussion: """
                Examples:
                  rangersctl adventure show 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11
                  rangersctl adventure show 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --watch --every 1
                """
        )

        @Argument(help: ArgumentHelp("The adventure's identifier, as in `party list`.", valueName: "id"))
        var adventure: UUIDArgument

        @OptionGroup var watch: WatchOptions
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            guard watch.watch else {
                let body = try await client.get("adventures", adventure.text)
                return try options.show(body, as: AdventureResponse.self, from: client)
            }
            try await watch.run(json: options.json) { () throws(OperatorClientError) in
                let body = try await client.get("adventures", adventure.text)
                let response = try client.decode(AdventureResponse.self, from: body)
                return WatchOptions.Frame(body: body, content: response, isLast: response.endedAt != nil)
            }
        }
    }

    /// `rangersctl adventure replay`: replays an adventure and compares the result with the stored one.
    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replays an adventure from its seed and commands, and compares the result.",
            discussion: """
                The seed and the commands of an adventure determine all of its events; the server stores checksums of them \
                with each command and at the end. If the replay differs, the first difference is printed and the exit \
                status is 1.

                Examples:
                  rangersctl adventure replay 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11
                """
        )

        @Argument(help: ArgumentHelp("The adventure's identifier, as in `party list`.", valueName: "id"))
        var adventure: UUIDArgument

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("adventures", adventure.text, "replay")
            let response = try client.decode(ReplayResponse.self, from: body)
            options.show(body, response)
            guard response.identical else { throw ExitCode.failure }
        }
    }

    /// `rangersctl adventure end`: ends a running adventure.
    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends a running adventure and its Live Activities.",
            discussion: """
                This cannot be undone, and ends the game for all players in it. Asks for confirmation unless --yes is \
                given. An adventure that the server cannot play ends without experience for its heroes.

                Examples:
                  rangersctl adventure end 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --dry-run
                  rangersctl adventure end 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --yes
                """
        )

        @Argument(help: ArgumentHelp("The adventure's identifier, as in `party list`.", valueName: "id"))
        var adventure: UUIDArgument

        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var idempotency: IdempotencyOptions
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            if confirmation.dryRun {
                let body = try await client.post("adventures", adventure.text, "end", query: [.dryRun])
                return try options.show(body, as: ChangeResponse.self, from: client)
            }
            if !confirmation.yes, let question = try await question(client) { try confirmation.confirm(question) }
            let body = try await client.change("adventures", adventure.text, "end", key: idempotency.key)
            // An adventure of which nothing can be decoded is shown by the changes only.
            if let ended = try? client.decode(AdventureResponse.self, from: body) {
                options.show(body, ended)
            } else {
                try options.show(body, as: ChangeResponse.self, from: client)
            }
        }

        /// Returns the question before the end; nil for an ended adventure, for which the server rejects the request.
        private func question(_ client: OperatorClient) async throws -> String? {
            do throws(OperatorClientError) {
                let body = try await client.get("adventures", adventure.text)
                let adventure = try client.decode(AdventureResponse.self, from: body)
                return adventure.endedAt == nil ? "End \(adventure.summary)?" : nil
            } catch {
                guard case .problem(let problem) = error, problem.type == .unreadableRecord else { throw error }
                return """
                    End adventure \(adventure.text), which the server cannot play, without experience for its heroes?
                    """
            }
        }
    }
}
