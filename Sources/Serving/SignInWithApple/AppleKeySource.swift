import Foundation
import HTTP2Transport
import Logging

/// The location of Apple's public keys.
public enum AppleKeySource: Hashable, Sendable {
    /// A file.
    case file(path: String)
    /// A resource of an HTTPS server that speaks HTTP/2.
    case resource(host: String, port: Int, path: String)

    /// The resource in which Apple publishes the keys.
    public static let appleURL = "https://appleid.apple.com/auth/keys"

    /// The time limit of a request for the keys.
    private static let requestTimeout = Duration.seconds(5)

    /// Parses a path or an HTTPS URL; nil for a URL of another scheme, and for one with user, query or fragment.
    public init?(_ text: String) {
        guard text.contains("://") else {
            self = .file(path: text)
            return
        }
        guard
            let components = URLComponents(string: text),
            components.scheme == "https", let host = components.host, !host.isEmpty,
            components.user == nil, components.query == nil, components.fragment == nil
        else { return nil }
        let path = components.percentEncodedPath
        // An IPv6 address has brackets in a URL, and none elsewhere.
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self = .resource(host: name, port: components.port ?? 443, path: path.isEmpty ? "/" : path)
    }

    /// Reads the keys.
    /// - Parameters:
    ///   - trust: the certificate authorities that the server's certificate may come from.
    ///   - logger: the logger of the connection.
    /// - Returns: the keys.
    /// - Throws: the reason why there are none.
    func read(trust: TLSTrust, logger: Logger) async throws(AppleKeysError) -> AppleKeySet {
        switch self {
        case .file(let path): try Self.readFile(path)
        case .resource(let host, let port, let path):
            try AppleKeySet(json: await Self.request(path, from: host, port: port, trust: trust, logger: logger))
        }
    }

    static func readFile(_ path: String) throws(AppleKeysError) -> AppleKeySet {
        let data: Data?
        do {
            data = try FileHandle(forReadingFrom: URL(filePath: path)).read(upToCount: AppleKeySet.maxBytes + 1)
        } catch {
            throw AppleKeysError("The file \(path) cannot be read; does it exist, and is it readable by this user?")
        }
        return try AppleKeySet(json: Array(data ?? Data()))
    }

    /// Sends one request over a connection of its own, since requests are hours apart; follows no redirection.
    private static func request(
        _ path: String,
        from host: String,
        port: Int,
        trust: TLSTrust,
        logger: Logger
    ) async throws(AppleKeysError) -> [UInt8] {
        var configuration = HTTP2Client.Configuration(host: host, port: port, trust: trust)
        configuration.requestTimeout = requestTimeout
        configuration.maxConnections = 1
        configuration.maxBodyBytes = AppleKeySet.maxBytes
        let client: HTTP2Client
        do throws(TransportError) {
            client = try HTTP2Client(configuration: configuration, logger: logger)
        } catch {
            throw AppleKeysError("The request cannot be sent: \(error)")
        }
        defer { client.close() }
        let headers = [HTTP2Header("accept", "application/json")]
        switch await client.send(HTTP2ClientRequest(method: "GET", path: path, headers: headers)) {
        case .response(let response) where response.status == 200: return response.body
        case .response(let response):
            throw AppleKeysError("The server responded with status \(response.status), not 200")
        case .neverProcessed(let failure), .unknown(let failure):
            throw AppleKeysError("The request failed: \(failure)")
        }
    }
}
