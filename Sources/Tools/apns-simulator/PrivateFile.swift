import APNsSimulator
import ArgumentParser
import Cryptography
import Foundation
import Glibc

/// Functions for files with secrets.
enum PrivateFile {
    /// Reads the provider key in an option's file.
    static func providerKey(at path: String, for option: String) throws -> P256PrivateKey {
        try ParentDirectory.check(of: path, for: option)
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw ValidationError("\(option) \(path): the file does not exist or is not readable")
        }
        do {
            return try P256PrivateKey(pem: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw ValidationError("\(option) \(path): \(error); 'apns-simulator make-key --out FILE' makes a key")
        }
    }

    /// Creates a file that only its owner can read, from the start.
    static func create(at path: String, text: String) throws {
        try ParentDirectory.check(of: path, for: "--out")
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ValidationError("cannot write \(path): \(String(cString: strerror(errno)))")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }
}
