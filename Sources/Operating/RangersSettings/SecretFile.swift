import Foundation
import Glibc

/// A text file with secrets, which only its owner may read.
public struct SecretFile: Sendable {
    /// The permissions that users other than the owner must not have.
    private static let othersPermissions = 0o077

    /// The path of the file.
    public let path: String

    /// Creates a value for a file that may not exist.
    public init(path: String) { self.path = path }

    /// Reads the file.
    /// - Returns: the text; nil if the file does not exist.
    /// - Throws: ``TextFileError`` if other users can read or change the file, or if it cannot be read.
    public func read() throws(TextFileError) -> String? {
        let mode: Int?
        do {
            mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            mode = nil
        }
        // Unknown permissions are not taken for safe ones.
        guard let mode else { throw TextFileError(reason: "has permissions that cannot be read") }
        guard mode & Self.othersPermissions == 0 else {
            let octal = String(mode & 0o777, radix: 8)
            throw TextFileError(reason: "is accessible to other users (mode \(octal)): run 'chmod 600 \(path)'")
        }
        return try TextFile.read(path)
    }

    /// Replaces the file atomically by one with mode 600, and creates its folder if it is missing.
    /// - Throws: ``TextFileError`` if the file cannot be written.
    public func write(_ text: String) throws(TextFileError) {
        let temporary = "\(target).\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: target).deletingLastPathComponent(),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            // The permissions apply from the creation on, so that other users can never open the file.
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw TextFileError(reason: String(cString: strerror(errno))) }
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try file.write(contentsOf: Data(text.utf8))
            try file.synchronize()
            try file.close()
            guard rename(temporary, target) == 0 else { throw TextFileError(reason: String(cString: strerror(errno))) }
        } catch {
            unlink(temporary)
            let reason = (error as? TextFileError)?.reason ?? "is its folder writable?"
            throw TextFileError(reason: "cannot be written: \(reason)")
        }
    }

    /// The path behind symbolic links.
    private var target: String { URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false) }
}
