import ArgumentParser
import Foundation

/// Where the files are that options name.
enum Folder {
    /// Checks that there is a directory for a file, which itself may not be there yet.
    static func check(of path: String, for option: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        var isDirectory: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory)
        guard isThere, isDirectory.boolValue else {
            throw ValidationError("\(option) \(path): there is no directory \(folder)")
        }
    }
}
