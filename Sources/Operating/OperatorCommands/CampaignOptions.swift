import ArgumentParser
import Foundation

/// The options of a campaign: a boss fight for every idle party.
struct CampaignOptions: ParsableArguments {
    private static let defaultRate = 100

    @Flag(help: "Start a fight for every party that is not on an adventure.")
    var allIdle = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --all-idle: the name of the campaign, to resume it later; the default is boss and time.",
            valueName: "name"
        )
    )
    var campaign: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "With --all-idle: the maximum number of fights to start per second; the default is 100.",
            valueName: "number"
        )
    )
    var rate: Int?

    func validate() throws {
        guard allIdle || campaign == nil else { throw ValidationError("--campaign requires --all-idle.") }
        guard allIdle || rate == nil else { throw ValidationError("--rate requires --all-idle.") }
        guard (1...10_000).contains(rate ?? Self.defaultRate) else {
            throw ValidationError("--rate must be between 1 and 10000.")
        }
        // The server has the same rule.
        guard campaign?.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,63}/) != nil || campaign == nil else {
            throw ValidationError(
                "--campaign must have 1 to 64 lower-case letters, digits and hyphens, and begin with a letter or digit."
            )
        }
    }

    var pace: CampaignPace { CampaignPace(rate: rate ?? Self.defaultRate) }

    /// Returns the name of the campaign: the given one, or the boss and the current second.
    func name(for boss: String, at now: Date) -> String {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        return campaign ?? "\(boss)-\(now.formatted(style).lowercased())"
    }
}
