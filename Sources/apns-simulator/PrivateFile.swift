import ArgumentParser
import Foundation
import Glibc

/// Files that other programs read.
enum PrivateFile {
    /// Writes a file that is new and that nobody else may read, at any time.
    static func create(at path: String, text: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ValidationError("cannot write \(path): \(String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }
}
