import Foundation
import Glibc
import Synchronization

/// Stands between one client and PostgreSQL on a unix socket, and keeps what the client sends.
final class RecordingRelay: Sendable {
    private static let pieceBytes = 256 * 1_024

    private let folder: URL
    private let listener: CInt
    private let recorded = Mutex<[UInt8]>([])

    /// Where the client is to connect in place of the server: libpq's `host`.
    var host: String { folder.path }

    /// Listens, and passes the first connection on.
    /// - Parameter socketPath: the server's socket.
    /// - Throws: ``MeasurementFailure`` when there is no server, or no place for a socket.
    init(to socketPath: String) throws {
        // Short: the path of a unix socket has 107 bytes at most.
        folder = URL(filePath: "/tmp/rangers-relay-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let server = try Self.socket(at: socketPath) { connect($0, $1, $2) }
        listener = try Self.socket(at: folder.path + "/.s.PGSQL.5432") { bind($0, $1, $2) }
        guard listen(listener, 1) == 0 else { throw Self.failure() }
        Thread.detachNewThread { [self] in
            let client = accept(listener, nil, nil)
            Thread.detachNewThread { Self.pass(from: server, to: client) { _ in } }
            Self.pass(from: client, to: server) { piece in recorded.withLock { $0 += piece } }
        }
    }

    deinit {
        close(listener)
        // A folder left behind in the temporary directory harms nobody.
        try? FileManager.default.removeItem(at: folder)
    }

    /// What was sent since this was asked last.
    ///
    /// Whatever was answered is in it: it was kept before it was passed on.
    func take() -> [UInt8] {
        recorded.withLock { recorded in
            defer { recorded = [] }
            return recorded
        }
    }

    private static func pass(from source: CInt, to target: CInt, noting note: (ArraySlice<UInt8>) -> Void) {
        var buffer = [UInt8](repeating: 0, count: pieceBytes)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            note(buffer[..<count])
            var sent = 0
            while sent < count {
                let written = buffer.withUnsafeBytes { bytes in
                    send(target, bytes.baseAddress?.advanced(by: sent), count - sent, CInt(MSG_NOSIGNAL))
                }
                guard written > 0 else { break }
                sent += written
            }
        }
        shutdown(target, CInt(SHUT_RDWR))
    }

    private static func socket(
        at path: String,
        _ prepare: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) throws -> CInt {
        let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            for (index, byte) in path.utf8.enumerated() where index < bytes.count - 1 { bytes[index] = byte }
        }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                prepare(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw failure() }
        return socket
    }

    private static func failure() -> MeasurementFailure {
        MeasurementFailure("The relay to PostgreSQL: \(String(cString: strerror(errno)))")
    }
}
