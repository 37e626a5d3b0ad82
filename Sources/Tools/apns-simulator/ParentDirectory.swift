import ArgumentParser
import Foundation

/// Validation of the directories of files in options.
enum ParentDirectory {
    /// Checks that a file's directory exists; the file itself need not.
    static func check(of path: String, for option: String) throws {
        let directory = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory)
        guard exists, isDirectory.boolValue else {
            throw ValidationError("\(option) \(path): the directory \(directory) does not exist")
        }
    }
}
