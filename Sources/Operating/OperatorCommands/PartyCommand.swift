import ArgumentParser
import CommandLineSupport
import Foundation

/// `rangersctl party`: who plays together.
struct PartyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "party",
        abstract: "Lists, shows and disbands parties.",
        subcommands: [List.self, Show.self, Disband.self]
    )

    /// `rangersctl party list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists parties, in no order that means anything to people.",
            discussion: """
                Examples:
                  rangersctl party list --state idle
                  rangersctl party list --player 01981f6e-0000-7000-8000-0000000000ab
                  rangersctl party list --limit 5000 --json | jq -r '.parties[].partyID'
                """
        )

        @Option(help: ArgumentHelp("Only those on an adventure, or on none.", valueName: "idle|running"))
        var state: State?

        @Option(help: ArgumentHelp("Only those of this player.", valueName: "id"))
        var player: Identifier?

        @Option(help: ArgumentHelp("How many, at most 100000.", valueName: "count"))
        var limit = 100

        @Option(help: ArgumentHelp("Only those behind this place, which the page before names.", valueName: "place"))
        var after: Identifier?

        @OptionGroup var options: ServerOptions

        /// What a party does.
        enum State: String, ExpressibleByArgument, CaseIterable {
            case idle
            case running
        }

        func validate() throws {
            guard (1...100_000).contains(limit) else { throw ValidationError("--limit takes 1 to 100000.") }
        }

        func run() async throws {
            let client = try options.client()
            var list = PartyList(parties: [], next: after?.text)
            repeat {
                // A page may have fewer parties than asked for: the server looks at so many at a time.
                let query = [
                    ("state", state?.rawValue), ("playerID", player?.text), ("after", list.next),
                    ("limit", "\(min(limit - list.parties.count, 1_000))"),
                ]
                let items = query.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
                let body = try await client.get("parties", query: items)
                list.append(try client.decode(PartyList.self, from: body))
            } while list.next != nil && list.parties.count < limit
            if options.json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                print(String(decoding: try encoder.encode(list), as: UTF8.self))
            } else {
                for line in list.lines(fitting: Terminal.columns, paint: Terminal.paint) { print(line) }
            }
        }
    }

    /// `rangersctl party show`.
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
            let body = try await client.get("parties", try await party.id(askedOf: client))
            try options.show(body, as: PartyAnswer.self, from: client)
        }
    }

    /// `rangersctl party disband`.
    struct Disband: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Disbands a party: its adventure is ended, phones are told, and nobody is a member any more.",
            discussion: """
                This cannot be undone. Players stay, and may found or join other parties.

                Examples:
                  rangersctl party disband 01981f6e-0000-7000-8000-000000000011 --dry-run
                  rangersctl party disband --invite-code ABCD2345 --yes
                """
        )

        @OptionGroup var party: PartyReference
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var repetition: RepeatOptions
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let id = try await party.id(askedOf: client)
            if confirmation.dryRun {
                let body = try await client.post("parties", id, "disband", query: [.dryRun])
                return try options.show(body, as: ChangeAnswer.self, from: client)
            }
            if !confirmation.yes {
                let body = try await client.get("parties", id)
                let party = try client.decode(PartyAnswer.self, from: body)
                try confirmation.confirm("Disband \(party.summary)?")
            }
            let body = try await client.change("parties", id, "disband", key: repetition.key)
            try options.show(body, as: ChangeAnswer.self, from: client)
        }
    }
}

/// A party on a command line: by its identifier, or by its invite code.
struct PartyReference: ParsableArguments {
    @Argument(help: ArgumentHelp("The party's identifier.", valueName: "id"))
    var party: Identifier?

    @Option(help: ArgumentHelp("The party's invite code, in place of the identifier.", valueName: "code"))
    var inviteCode: String?

    func validate() throws {
        guard (party == nil) != (inviteCode == nil) else {
            throw ValidationError("Say which party: either its identifier or --invite-code.")
        }
    }

    /// The party's identifier, which the server knows where it is not given.
    func id(askedOf client: OperatorClient) async throws -> String {
        if let party { return party.text }
        let query = [URLQueryItem(name: "inviteCode", value: inviteCode)]
        let found = try client.decode(PartyList.self, from: try await client.get("parties", query: query))
        guard let party = found.parties.first else { throw UnknownCode() }
        return party.partyID
    }

    /// No party has the invite code.
    struct UnknownCode: CommandFailure {
        let explanation = "no party has this invite code; a new code ends the old one"
        let exitStatus = ExitStatus.failed
    }
}
