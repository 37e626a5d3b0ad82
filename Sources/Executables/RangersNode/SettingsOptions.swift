import ArgumentParser
import Foundation
import RangersSettings

/// The options for the sources of settings.
struct SettingsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file of settings, one NAME=value per line; the environment takes precedence.",
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
