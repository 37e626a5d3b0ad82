import ArgumentParser
import Foundation
import RangersClient

/// `rangersctl boss`: bosses and the fights against them.
struct BossCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boss",
        abstract: "Lists bosses and starts boss fights.",
        subcommands: [List.self, Start.self]
    )

    /// `rangersctl boss list`: lists all bosses.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists all bosses.")

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("bosses")
            try options.show(body, as: BossList.self, from: client)
        }
    }

    /// `rangersctl boss start`: starts a boss fight for an idle party, or for all idle parties.
    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Starts a boss fight for an idle party, or for all idle parties.",
            discussion: """
                With --all-idle the command runs a campaign, which has a name. Running it again under that name resumes \
                it; each party gets at most one fight of a campaign. A campaign asks for confirmation unless --yes is \
                given; a fight of a single party does not ask. With --dry-run the command only shows what would happen.

                Examples:
                  rangersctl boss start cinderwing --invite-code ABCD2345
                  rangersctl boss start cinderwing 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --dry-run
                  rangersctl boss start cinderwing --all-idle --dry-run
                  rangersctl boss start cinderwing --all-idle --campaign new-year --rate 50 --yes
                """
        )

        @Argument(help: ArgumentHelp("The boss's identifier, as in `boss list`.", valueName: "boss"))
        var boss: String

        @Argument(help: ArgumentHelp("The party's identifier, as in `party list`.", valueName: "party"))
        var party: UUIDArgument?

        @Option(help: ArgumentHelp("The party's invite code, instead of its identifier.", valueName: "code"))
        var inviteCode: String?

        @OptionGroup var campaign: CampaignOptions

        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var idempotency: IdempotencyOptions
        @OptionGroup var options: ServerOptions

        func validate() throws {
            guard party == nil || inviteCode == nil else { throw PartyReference.ambiguous }
            let isSingle = party != nil || inviteCode != nil
            guard isSingle || campaign.allIdle else {
                throw ValidationError("Specify a party by its identifier or --invite-code, or specify --all-idle.")
            }
            guard !isSingle || !campaign.allIdle else {
                throw ValidationError("Specify a single party or --all-idle, not both.")
            }
            guard !campaign.allIdle || idempotency.idempotencyKey == nil else {
                throw ValidationError("--idempotency-key requires a single party; campaigns are identified by name.")
            }
        }

        func run() async throws {
            let client = try options.client()
            guard !campaign.allIdle else {
                return try await CampaignRun(
                    boss: boss,
                    options: campaign,
                    confirmation: confirmation,
                    json: options.json,
                    client: client
                ).run(at: Date())
            }
            try await client.requireBoss(boss)
            let request = BossFightRequest(
                boss: boss,
                partyID: party?.text,
                inviteCode: inviteCode
            )
            if confirmation.dryRun {
                let body = try await client.post("boss-fights", query: [.dryRun], body: request)
                return try options.show(body, as: ChangeResponse.self, from: client)
            }
            let body = try await client.change("boss-fights", key: idempotency.key, body: request)
            try options.show(body, as: AdventureResponse.self, from: client)
        }
    }
}

/// The body of `POST /admin/v1/boss-fights`.
private struct BossFightRequest: Encodable {
    let boss: String
    let partyID: String?
    let inviteCode: String?
}
