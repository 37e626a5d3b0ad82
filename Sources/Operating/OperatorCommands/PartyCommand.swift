import ArgumentParser
import CommandLineSupport
import Foundation
import RangersClient

/// `rangersctl party`: parties and their members.
struct PartyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "party",
        abstract: "Lists, shows and disbands parties.",
        subcommands: [List.self, Show.self, Disband.self]
    )

    /// `rangersctl party list`: lists parties.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists parties in no particular order.",
            discussion: """
                Examples:
                  rangersctl party list --state idle
                  rangersctl party list --name "night owls"
                  rangersctl party list --player 01981f6e-0000-7000-8000-0000000000ab
                  rangersctl party list --limit 5000 --json | jq -r '.parties[].partyID'
                """
        )

        @Option(help: ArgumentHelp("Only parties in this state: on an adventure, or idle.", valueName: "idle|running"))
        var state: State?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Only parties whose name contains this text, in upper or lower case.", valueName: "text")
        )
        var name: String?

        @Option(help: ArgumentHelp("Only parties of this player.", valueName: "id"))
        var player: UUIDArgument?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The maximum number of parties, 1 to 100000.", valueName: "count")
        )
        var limit = 100

        @Option(
            help: ArgumentHelp("Only parties after this identifier, as the previous page names it.", valueName: "id")
        )
        var after: UUIDArgument?

        @OptionGroup var options: ServerOptions

        /// The state of a party.
        enum State: String, ExpressibleByArgument, CaseIterable {
            case idle
            case running
        }

        func validate() throws {
            guard (1...100_000).contains(limit) else { throw ValidationError("--limit must be between 1 and 100000.") }
            guard name != "" else { throw ValidationError("--name must not be empty.") }
        }

        func run() async throws {
            let client = try options.client()
            var list = PartyPageResponse(parties: [], next: after?.text)
            repeat {
                // A page may have fewer parties than its limit, because the server filters it.
                let query = [
                    ("state", state?.rawValue), ("name", name), ("playerID", player?.text), ("after", list.next),
                    ("limit", "\(min(limit - list.parties.count, 1_000))"),
                ]
                let items = query.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
                let body = try await client.get("parties", query: items)
                list.append(try client.decode(PartyPageResponse.self, from: body))
            } while list.next != nil && list.parties.count < limit
            if options.json {
                print(try list.sortedJSON)
            } else {
                for line in list.lines(fitting: Terminal.columns, paint: Terminal.paint) { print(line) }
            }
        }
    }

    /// `rangersctl party show`: shows a party and its members.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a party and its members.",
            discussion: """
                Examples:
                  rangersctl party show 01981f6e-0000-7000-8000-000000000011
                  rangersctl party show --invite-code ABCD2345
                """
        )

        @OptionGroup var party: PartyReference
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("parties", try await party.id(from: client))
            try options.show(body, as: PartyResponse.self, from: client)
        }
    }

    /// `rangersctl party disband`: disbands a party.
    struct Disband: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Disbands a party: ends its adventure and its Live Activities, and removes all members.",
            discussion: """
                This cannot be undone. The players remain, and may create or join other parties.

                Examples:
                  rangersctl party disband 01981f6e-0000-7000-8000-000000000011 --dry-run
                  rangersctl party disband --invite-code ABCD2345 --yes
                """
        )

        @OptionGroup var party: PartyReference
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var idempotency: IdempotencyOptions
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let id = try await party.id(from: client)
            if confirmation.dryRun {
                let body = try await client.post("parties", id, "disband", query: [.dryRun])
                return try options.show(body, as: ChangeResponse.self, from: client)
            }
            if !confirmation.yes {
                let body = try await client.get("parties", id)
                let party = try client.decode(PartyResponse.self, from: body)
                try confirmation.confirm("Disband \(party.summary)?")
            }
            let body = try await client.change("parties", id, "disband", key: idempotency.key)
            try options.show(body, as: ChangeResponse.self, from: client)
        }
    }
}

/// A party given by its identifier or its invite code.
struct PartyReference: ParsableArguments {
    @Argument(help: ArgumentHelp("The party's identifier, as in `party list`.", valueName: "id"))
    var party: UUIDArgument?

    @Option(help: ArgumentHelp("The party's invite code, instead of its identifier.", valueName: "code"))
    var inviteCode: String?

    /// The error for an identifier and an invite code.
    static let ambiguous = ValidationError("Specify a party by its identifier or --invite-code, not both.")

    func validate() throws {
        guard party == nil || inviteCode == nil else { throw Self.ambiguous }
        guard party != nil || inviteCode != nil else {
            throw ValidationError("Specify a party by its identifier or --invite-code.")
        }
    }

    /// Returns the given identifier, or requests it from the server for an invite code.
    func id(from client: OperatorClient) async throws -> String {
        if let party { return party.text }
        let query = [URLQueryItem(name: "inviteCode", value: inviteCode)]
        let found = try client.decode(PartyPageResponse.self, from: try await client.get("parties", query: query))
        guard let party = found.parties.first else { throw UnknownCode() }
        return party.partyID
    }

    /// An error for an invite code that no party has.
    struct UnknownCode: CommandFailure {
        let explanation = "no party has this invite code; a renewed code replaces the old one"
        let exitStatus = ExitStatus.failed
    }
}
