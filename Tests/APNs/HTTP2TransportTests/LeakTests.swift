import Foundation
import Testing

/// Nothing is left of a client that has met a fault: neither descriptors nor threads, which is to say no connection,
/// no loop, and none of the objects that hold them.
@Suite(.timeLimit(.minutes(2)))
struct LeakTests {
    @Test func `no fault leaves anything behind`() async {
        // In a process of its own, where nobody else opens descriptors.
        await #expect(processExitsWith: .success) {
            for fault in PeerFault.allCases {
                // What Foundation and OpenSSL open once and keep is opened here.
                _ = try await fault.meet()
                #expect(try await Belongings.eventually { try Belongings.clientThreads().isEmpty }, "\(fault)")
                let before = try Belongings.descriptors()
                _ = try await fault.meet()
                #expect(try await Belongings.eventually { try Belongings.clientThreads().isEmpty }, "\(fault)")
                let after = try Belongings.descriptors()
                #expect(after == before, "\(fault): \(after), before it \(before)")
            }
        }
    }
}

/// What this process has of the system.
private enum Belongings {
    /// How many descriptors there are of each kind.
    static func descriptors() throws -> [String: Int] {
        let folder = "/proc/self/fd"
        let targets = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
            // The one by which the folder is read is gone by now.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        }
        // `socket:[4711]` is a socket. Files are not told apart: some were open when this process began, and their names
        // change when somebody else deletes them.
        let kinds = targets.map { $0.hasPrefix("/") ? "file" : $0.prefix { $0 != "[" } }
        return Dictionary(kinds.map { (String($0), 1) }, uniquingKeysWith: +)
    }

    /// The threads of clients; what these hold goes with them.
    static func clientThreads() throws -> [String] {
        let folder = "/proc/self/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { name(inFile: "\(folder)/\($0)/comm") }
            .filter { $0.hasPrefix("http2-") }
    }

    /// What a thread is called, nil when it has ended.
    ///
    /// Foundation loses a buffer where a file cannot be read to its end, as happens when the thread ends meanwhile.
    private static func name(inFile path: String) -> String? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let longestName = 16
        let bytes = [UInt8](unsafeUninitializedCapacity: longestName) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Whether it becomes true while one may wait; threads take a moment to end.
    static func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
        let deadline = ContinuousClock.now + .seconds(20)
        while try !condition() {
            guard ContinuousClock.now < deadline else { return false }
            await Task.yield()
        }
        return true
    }
}
