import Foundation
import HTTP2Transport
import TestSupport
import Testing

/// After a fault a client leaves no descriptors or threads behind, nor the connections, loops and objects that hold
/// them.
@Suite(.timeLimit(.minutes(10)))
struct LeakTests {
    @Test func `no fault leaks descriptors or threads`() async {
        // In a separate process, in which no other test opens descriptors.
        await #expect(processExitsWith: .success) {
            for fault in PeerFault.allCases {
                // The first run opens the descriptors that Foundation and OpenSSL keep.
                _ = try await fault.run()
                #expect(try await ProcessResources.clientThreadsEnd(), "\(fault)")
                let before = try ProcessResources.descriptors()
                _ = try await fault.run()
                #expect(try await ProcessResources.clientThreadsEnd(), "\(fault)")
                let after = try ProcessResources.descriptors()
                #expect(after == before, "\(fault): \(after), before it \(before)")
            }
        }
    }
}

extension LeakTests {
    /// A handler that keeps its connections, as a simulator does.
    private final class KeepingHandler: HTTP2RequestHandler {
        let kept = Recorder<[HTTP2ServerConnection]>([])

        func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
            kept.change { $0.append(connection) }
            return HTTP2Response(status: 200)
        }
    }

    /// Stops a server, or only releases it, after a request; returns a closure that returns the handler if it still exists.
    private func servedHandler(isStopped: Bool) async throws -> () -> KeepingHandler? {
        let authority = try CertificateAuthority(name: "Test authority")
        let handler = KeepingHandler()
        let server = try HTTP2Server(
            configuration: .init(identity: try authority.issueIdentity(for: ["127.0.0.1"])),
            handler: handler
        )
        let client = try makeClient(port: server.port, trusting: authority)
        #expect(await client.send(post("/")).status == 200)
        if isStopped { await server.stop() }
        await client.shutDown(within: .zero)
        #expect(handler.kept.value.count == 1)
        return { [weak handler] in handler }
    }

    @Test(arguments: [true, false])
    func `a stopped or released server releases a handler that keeps its connections`(isStopped: Bool) async throws {
        let handler = try await servedHandler(isStopped: isStopped)
        try await eventually("the handler is released") { handler() == nil }
    }
}

/// The descriptors and threads of this process.
private enum ProcessResources {
    /// Returns the number of descriptors of each kind.
    static func descriptors() throws -> [String: Int] {
        let folder = "/proc/self/fd"
        let targets = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
            // The descriptor of the directory itself is closed by now.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
        }
        // `socket:[4711]` is a socket. All files count as one kind: the process inherited some, whose names change when
        // other processes delete them.
        let kinds = targets.map { $0.hasPrefix("/") ? "file" : $0.prefix { $0 != "[" } }
        return Dictionary(kinds.map { (String($0), 1) }, uniquingKeysWith: +)
    }

    /// Returns the names of the threads of clients.
    static func clientThreads() throws -> [String] {
        let folder = "/proc/self/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .compactMap { name(inFile: "\(folder)/\($0)/comm") }
            .filter { $0.hasPrefix("http2-") }
    }

    /// Returns the name of a thread, or nil if it has ended.
    ///
    /// Foundation leaks a buffer if the thread ends while its file is read, so this uses read(2).
    private static func name(inFile path: String) -> String? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let maxNameBytes = 16
        let bytes = [UInt8](unsafeUninitializedCapacity: maxNameBytes) { buffer, count in
            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Waits for the end of all threads of clients, for a limited time.
    ///
    /// It yields and does not sleep, since a timer may open a descriptor.
    /// - Returns: whether they have ended.
    static func clientThreadsEnd() async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(20)
        while try !clientThreads().isEmpty {
            guard ContinuousClock.now < deadline else { return false }
            await Task.yield()
        }
        return true
    }
}
