import Foundation

/// A file that is gone with the test.
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
        // A file that somebody else has removed is removed.
        try? FileManager.default.removeItem(atPath: path)
    }
}
