import Foundation
import HTTP2Transport
import Testing

/// A server program that is not ours, with an identity of ours, until `stop`.
final class ForeignServer {
    let port: Int

    private let process = Process()
    private let folder: URL

    /// `openssl s_server`, which speaks TLS but not HTTP/2.
    static func openSSL(_ identity: TLSIdentity, options: [String]) throws -> ForeignServer {
        try ForeignServer(identity, program: "/usr/bin/openssl", readyLine: "ACCEPT") { certificate, key in
            ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key] + options
        }
    }

    /// `nghttpd`, the server of the nghttp2 project, which answers a body with the same body.
    static func nghttpd(_ identity: TLSIdentity, maxConcurrentStreams: Int) throws -> ForeignServer {
        let port = try freePort()
        return try ForeignServer(identity, program: "/usr/sbin/nghttpd", port: port, readyLine: "IPv4: listen") {
            [
                "--verbose", "--echo-upload", "--max-concurrent-streams=\(maxConcurrentStreams)",
                "--address=127.0.0.1", String(port), $1, $0,
            ]
        }
    }

    /// A port that was free a moment ago: nghttpd cannot tell which one it took.
    private static func freePort() throws -> Int {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try #require(bind(descriptor, address, size) == 0 && getsockname(descriptor, address, &size) == 0)
            }
            return Int(UInt16(bigEndian: pointer.pointee.sin_port))
        }
    }

    /// Its ready line is the one that it prints when it listens; it ends with `:PORT`.
    private init(
        _ identity: TLSIdentity,
        program: String,
        port: Int? = nil,
        readyLine: String,
        arguments: (_ certificate: String, _ key: String) -> [String]
    ) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "identity-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let certificate = folder.appending(path: "cert.pem")
        let key = folder.appending(path: "key.pem")
        try identity.certificateChainPEM.write(to: certificate, atomically: true, encoding: .utf8)
        try identity.privateKeyPEM.write(to: key, atomically: true, encoding: .utf8)

        process.executableURL = URL(filePath: program)
        process.arguments = arguments(certificate.path, key.path)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        // s_server ends when its input does.
        process.standardInput = Pipe()
        try process.run()
        let line = output.fileHandleForReading.readLine { $0.hasPrefix(readyLine) }
        // What it says later is thrown away: a full pipe would stop it.
        output.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
        self.port = port ?? line.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }

    func stop() {
        // A child inherits the blocked signals of the thread that started it, SIGTERM among them.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}

extension FileHandle {
    /// Reads until a line satisfies the condition; an empty text when the end comes first.
    fileprivate func readLine(where condition: (String) -> Bool) -> String {
        var line: [UInt8] = []
        while let byte = readData(ofLength: 1).first {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            if condition(text) { return text }
            line = []
        }
        return ""
    }
}
