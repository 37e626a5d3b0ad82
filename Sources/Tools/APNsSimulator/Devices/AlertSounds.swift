import CAlertSounds

/// The sounds that the app brings along: the files of `Localization/Sounds`, which are part of the program.
enum AlertSounds {
    /// What a phone plays when an alert asks for no sound of the app's.
    static let systemDefault = "default"

    /// The files by their names.
    private static let files: [String: [UInt8]] = {
        var files: [String: [UInt8]] = [:]
        var index = 0
        // What the C target hands out is constant.
        while let sound = unsafe alert_sound_at(index)?.pointee, let name = unsafe sound.name {
            let bytes = unsafe UnsafeBufferPointer(start: sound.bytes, count: sound.count)
            files[unsafe String(cString: name)] = unsafe Array(bytes)
            index += 1
        }
        return files
    }()

    /// What an alert may name, beside ``systemDefault``.
    static var names: Set<String> { Set(files.keys) }

    /// Whether a phone with the app plays a sound of that name as it was meant.
    static func isKnown(_ name: String) -> Bool { name == systemDefault || files[name] != nil }

    /// The file of that name; nil when there is none.
    static func file(_ name: String) -> [UInt8]? { files[name] }
}
