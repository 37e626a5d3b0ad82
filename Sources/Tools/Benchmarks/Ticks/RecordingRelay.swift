import Foundation
import Glibc
import Synchronization

/// A relay between one client and PostgreSQL on a unix socket, which records the client's bytes.
final class RecordingRelay: Sendable {
    private static let maxReadBytes = 256 * 1_024

    private let folder: URL
    private let listener: CInt
    private let recorded = Mutex<[UInt8]>([])

    /// libpq's `host` for the client.
    var host: String { folder.path }

    /// Creates a relay that listens at once and relays the first connection.
    /// - Parameter socketPath: the server's socket.
    /// - Throws: ``BenchmarkFailure`` when the server does not respond or the socket cannot be created.
    init(to socketPath: String) throws {
        // Short, since the path of a unix socket has a maximum of 107 bytes.
        folder = URL(filePath: "/tmp/rangers-relay-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let server = try Self.socket(at: socketPath) { connect($0, $1, $2) }
        listener = try Self.socket(at: folder.path + "/.s.PGSQL.5432") { bind($0, $1, $2) }
        guard listen(listener, 1) == 0 else { throw Self.failure() }
        Thread.detachNewThread { [self] in
            let client = accept(listener, nil, nil)
            Thread.detachNewThread { Self.relay(from: server, to: client) { _ in } }
            Self.relay(from: client, to: server) { bytes in recorded.withLock { $0 += bytes } }
        }
    }

    deinit {
        close(listener)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Returns the bytes since the last call.
    ///
    /// They include every request that was answered, since bytes are recorded before they are relayed.
    func take() -> [UInt8] {
        recorded.withLock { recorded in
            defer { recorded = [] }
            return recorded
        }
    }

    private static func relay(from source: CInt, to target: CInt, recording record: (ArraySlice<UInt8>) -> Void) {
        var buffer = [UInt8](repeating: 0, count: maxReadBytes)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            record(buffer[..<count])
            guard sendAll(buffer[..<count], to: target) else { break }
        }
        shutdown(target, CInt(SHUT_RDWR))
    }

    private static func socket(at path: String, _ prepare: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt) throws
        -> CInt
    {
        let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            for (index, byte) in path.utf8.enumerated() where index < bytes.count - 1 { bytes[index] = byte }
        }
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                prepare(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw failure() }
        return socket
    }

    private static func failure() -> BenchmarkFailure {
        BenchmarkFailure("The relay to PostgreSQL failed: \(String(cString: strerror(errno)))")
    }
}
