import CAlertSounds

/// The app's sounds: the files of `Localization/Sounds`, embedded in the program.
enum AlertSounds {
    /// The name of the system's default sound.
    static let systemDefault = "default"

    /// The files by name.
    private static let files: [String: [UInt8]] = {
        var files: [String: [UInt8]] = [:]
        var index = 0
        // The C target's data is constant.
        while let sound = unsafe alert_sound_at(index)?.pointee, let name = unsafe sound.name {
            let bytes = unsafe UnsafeBufferPointer(start: sound.bytes, count: sound.count)
            files[unsafe String(cString: name)] = unsafe Array(bytes)
            index += 1
        }
        return files
    }()

    /// The names that an alert may use, besides ``systemDefault``.
    static var names: Set<String> { Set(files.keys) }

    /// Whether a phone with the app can play the sound.
    static func isKnown(_ name: String) -> Bool { name == systemDefault || files[name] != nil }

    /// Returns the sound's file; nil for an unknown name.
    static func file(_ name: String) -> [UInt8]? { files[name] }
}
