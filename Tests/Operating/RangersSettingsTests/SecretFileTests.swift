import Foundation
import RangersSettings
import Testing

struct SecretFileTests {
    @Test func `a secret is written for its owner alone, and read again`() throws {
        let temporary = try TemporaryFile("old")
        let file = SecretFile(path: temporary.path)
        try file.write("new")
        let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try file.read() == "new")
    }

    @Test func `a file that does not exist has no text`() throws {
        let temporary = try TemporaryFile("")
        try FileManager.default.removeItem(atPath: temporary.path)
        #expect(try SecretFile(path: temporary.path).read() == nil)
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o601]) func `a file that other users can access is not read`(
        mode: Int
    ) throws {
        let temporary = try TemporaryFile("secret")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: temporary.path)
        let error = #expect(throws: TextFileError.self) { try SecretFile(path: temporary.path).read() }
        #expect(error?.reason.contains("run 'chmod 600 \(temporary.path)'") == true)
    }

    @Test func `a file with unknown permissions is not read`() throws {
        // No file has a name of more than 255 bytes, so the system answers with an error other than "not found".
        let path = "/tmp/\(String(repeating: "x", count: 300))"
        let error = #expect(throws: TextFileError.self) { try SecretFile(path: path).read() }
        #expect(error?.reason == "has permissions that cannot be read")
    }
}
