import CommandLineSupport
import Foundation
import Testing

@Suite struct ReadyFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "ready-\(UUID().uuidString)")

    private func inFolder(_ test: (ReadyFile) throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try test(ReadyFile(path: folder.appending(path: "ready.json").path(percentEncoded: false)))
    }

    @Test func `it has the port and the process identifier, and no temporary file remains`() throws {
        try inFolder { file in
            try file.write(.init(httpPort: 8081))
            let pid = ProcessInfo.processInfo.processIdentifier
            #expect(try String(contentsOf: file.url, encoding: .utf8) == #"{"httpPort":8081,"pid":\#(pid)}"#)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)) == [
                    "ready.json"
                ]
            )
        }
    }

    @Test func `without HTTP it has only the process identifier`() throws {
        try inFolder { file in
            try file.write(.init())
            let pid = ProcessInfo.processInfo.processIdentifier
            #expect(try String(contentsOf: file.url, encoding: .utf8) == #"{"pid":\#(pid)}"#)
        }
    }

    @Test func `clearing removes an earlier file and ignores a missing one`() throws {
        try inFolder { file in
            try file.write(.init(httpPort: 1))
            try file.clear()
            #expect(!FileManager.default.fileExists(atPath: file.url.path(percentEncoded: false)))
            try file.clear()
        }
    }

    @Test func `a missing folder is an error`() {
        #expect(throws: CocoaError.self) {
            try ReadyFile(path: "/nowhere/ready.json").write(.init(httpPort: 1))
        }
    }
}
