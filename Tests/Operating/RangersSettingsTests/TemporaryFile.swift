import Foundation

/// A file that is deleted when the test ends.
final class TemporaryFile {
    let path: String

    init(_ data: Data) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "rangers-\(UUID().uuidString)")
        try data.write(to: url)
        path = url.path(percentEncoded: false)
    }

    convenience init(_ text: String) throws {
        try self.init(Data(text.utf8))
    }

    deinit {
        // The test may have deleted the file already.
        try? FileManager.default.removeItem(atPath: path)
    }
}
