import ArgumentParser
import Foundation

/// What a boss for every idle party needs to be told.
struct CampaignOptions: ParsableArguments {
    private static let standardRate = 100

    @Flag(help: "Set it on every party that is not on an adventure.")
    var allIdle = false

    @Option(
        help: ArgumentHelp(
            "With --all-idle: the campaign's name, to go on with it later; otherwise boss and time.",
            valueName: "name"
        )
    )
    var campaign: String?

    @Option(
        help: ArgumentHelp(
            "With --all-idle: how many fights to begin in a second at most, 100 unless told.",
            valueName: "number"
        )
    )
    var rate: Int?

    func validate() throws {
        guard allIdle || campaign == nil else { throw ValidationError("--campaign goes with --all-idle.") }
        guard allIdle || rate == nil else { throw ValidationError("--rate goes with --all-idle.") }
        guard (1...10_000).contains(rate ?? Self.standardRate) else { throw ValidationError("--rate is 1 to 10000.") }
        // As the server takes it.
        guard campaign?.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,63}/) != nil || campaign == nil else {
            throw ValidationError(
                "--campaign takes 1 to 64 lower-case letters, digits and hyphens, beginning with a letter or digit."
            )
        }
    }

    var pace: CampaignPace { CampaignPace(rate: rate ?? Self.standardRate) }

    /// The campaign's name: as given, or of the boss and the second.
    func name(for boss: String, at now: Date) -> String {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        return campaign ?? "\(boss)-\(now.formatted(style).lowercased())"
    }
}
