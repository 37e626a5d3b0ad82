import EmbeddedFiles

/// The app's sounds: the files of `Localization/Sounds`, embedded in the program.
enum AlertSounds {
    /// The name of the system's default sound.
    static let systemDefault = "default"

    /// The files by name.
    private static let files: [String: [UInt8]] = Dictionary(
        uniqueKeysWithValues: EmbeddedFile.alertSounds.map { ($0.name, $0.bytes) }
    )

    /// The names that an alert may use, besides ``systemDefault``.
    static var names: Set<String> { Set(files.keys) }

    /// Whether a phone with the app can play the sound.
    static func isKnown(_ name: String) -> Bool { name == systemDefault || files[name] != nil }

    /// Returns the sound's file; nil for an unknown name.
    static func file(_ name: String) -> [UInt8]? { files[name] }
}
