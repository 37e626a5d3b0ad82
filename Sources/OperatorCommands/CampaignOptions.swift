import ArgumentParser
import Foundation

/// What a boss for every idle party needs to be told.
struct CampaignOptions: ParsableArguments {
    @Flag(help: "Set it on every party that is not on an adventure.")
    var allIdle = false

    @Option(
        help: ArgumentHelp(
            "With --all-idle: the campaign's name, to go on with it later; otherwise boss and time.",
            valueName: "name"
        )
    )
    var campaign: String?

    @Option(help: ArgumentHelp("With --all-idle: how many fights to begin in a second at most.", valueName: "number"))
    var rate = 100

    func validate() throws {
        guard allIdle || campaign == nil else { throw ValidationError("--campaign goes with --all-idle.") }
        guard (1...10_000).contains(rate) else { throw ValidationError("--rate is 1 to 10000.") }
    }

    /// The campaign's name: as given, or of the boss and the second.
    func name(for boss: String, at now: Date) -> String {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        return campaign ?? "\(boss)-\(now.formatted(style).lowercased())"
    }
}
