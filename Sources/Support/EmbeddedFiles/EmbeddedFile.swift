internal import CEmbeddedFiles

/// A file of the repository that is embedded in the program.
public struct EmbeddedFile: Sendable {
    /// The file's name without its folder.
    public let name: String
    /// The file's content.
    public let bytes: [UInt8]

    /// The app's String Catalog, `Localization/Localizable.xcstrings`.
    public static let stringCatalog = unsafe EmbeddedFile(embedded_string_catalog())

    /// The description of the REST API, `openapi.yaml`.
    public static let openAPIDescription = unsafe EmbeddedFile(embedded_openapi_description())

    /// The app's alert sounds, the WAV files of `Localization/Sounds`.
    public static let alertSounds: [EmbeddedFile] = {
        var files: [EmbeddedFile] = []
        while let file = unsafe embedded_alert_sound(files.count)?.pointee {
            unsafe files.append(EmbeddedFile(file))
        }
        return files
    }()

    /// Copies a file from static storage.
    private init(_ file: embedded_file) {
        name = unsafe String(cString: file.name)
        bytes = unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }
}
