import ArgumentParser
import Foundation
import RangersSettings

/// Where every command takes its settings from.
struct SettingsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file of settings, NAME=value in each line; the environment wins over it.",
            valueName: "file"
        )
    )
    var config: String?

    func sources(flags: [SettingsSources.Flag?] = []) -> SettingsSources {
        SettingsSources(
            flags: flags.compactMap(\.self),
            environment: ProcessInfo.processInfo.environment,
            configurationFile: config
        )
    }
}
