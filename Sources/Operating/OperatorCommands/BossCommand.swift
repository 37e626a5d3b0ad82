import ArgumentParser

/// `rangersctl boss`: bosses and the fights against them.
struct BossCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "boss",
        abstract: "Lists bosses and sets them on parties.",
        subcommands: [List.self, Start.self]
    )

    /// `rangersctl boss list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the bosses that there are.")

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("bosses")
            try options.show(body, as: BossList.self, from: client)
        }
    }

    /// `rangersctl boss start`.
    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets a boss on a party that is not on an adventure, or on all of these.",
            discussion: """
                With --all-idle it is a campaign, which has a name: run again with that name it goes on where it was \
                broken off, and never sets two bosses on one party. It asks first, unless --yes is given, and says what \
                would happen with --dry-run.

                Examples:
                  rangersctl boss start cinderwing --invite-code ABCD2345
                  rangersctl boss start cinderwing --party 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --dry-run
                  rangersctl boss start cinderwing --all-idle --dry-run
                  rangersctl boss start cinderwing --all-idle --campaign new-year --rate 50 --yes
                """
        )

        @Argument(help: ArgumentHelp("The boss, as `boss list` names it.", valueName: "boss"))
        var boss: String

        @Option(help: ArgumentHelp("The party's identifier.", valueName: "id"))
        var party: Identifier?

        @Option(help: ArgumentHelp("The party's invite code.", valueName: "code"))
        var inviteCode: String?

        @OptionGroup var campaign: CampaignOptions

        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var repetition: RepeatOptions
        @OptionGroup var options: ServerOptions

        func validate() throws {
            let ways = [party != nil, inviteCode != nil, campaign.allIdle]
            guard ways.count(where: \.self) == 1 else {
                throw ValidationError("Say which party: either --party or --invite-code, or --all-idle for all.")
            }
            guard campaign.allIdle || !confirmation.yes else {
                throw ValidationError("--yes goes with --all-idle: nobody is asked about one party.")
            }
            guard !campaign.allIdle || repetition.idempotencyKey == nil else {
                throw ValidationError("--idempotency-key goes with one party: a campaign is known by its name.")
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
                ).run()
            }
            let request = BossFightRequest(
                boss: boss,
                partyID: party?.text,
                inviteCode: inviteCode
            )
            if confirmation.dryRun {
                let body = try await client.post("boss-fights", query: [.dryRun], body: request)
                return try options.show(body, as: ChangeAnswer.self, from: client)
            }
            let body = try await client.change("boss-fights", key: repetition.key, body: request)
            try options.show(body, as: AdventureAnswer.self, from: client)
        }
    }
}

/// The body of `POST /admin/v1/boss-fights`.
private struct BossFightRequest: Encodable {
    let boss: String
    let partyID: String?
    let inviteCode: String?
}
