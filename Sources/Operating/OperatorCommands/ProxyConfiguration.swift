import AsyncHTTPClient
import Foundation

/// Selects the proxy for a server by the same environment variables as curl (curl's manual, "Environment").
struct ProxyConfiguration {
    /// The default port of a proxy URL, as in curl.
    private static let defaultPort = 1_080

    private let environment: [String: String]

    init(environment: [String: String]) {
        self.environment = environment
    }

    /// Returns the proxy for a server; nil for none.
    /// - Throws: ``OperatorClientError/wrongUsage(_:)`` for an invalid proxy, without its password.
    func proxy(for server: URL) throws(OperatorClientError) -> HTTPClient.Configuration.Proxy? {
        // HTTP_PROXY is ignored, because web servers set it from the request header Proxy (CVE-2016-5385).
        let specific = server.scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        let names = specific + ["all_proxy", "ALL_PROXY"]
        guard
            let host = server.host(),
            let name = names.first(where: { environment[$0]?.isEmpty == false }),
            let text = environment[name],
            !isExempt(host)
        else { return nil }
        guard
            let url = URL(string: text.contains("://") ? text : "http://\(text)"),
            let proxyHost = url.host(), !proxyHost.isEmpty
        else { throw .wrongUsage("\(name) is not a proxy URL; write it as http://proxy.example.com:3128") }
        let port = url.port ?? Self.defaultPort
        switch url.scheme {
        case "http":
            return .server(host: proxyHost, port: port, authorization: Self.authorization(of: url))
        case "socks5", "socks5h":
            return .socksServer(host: proxyHost, port: port)
        default:
            throw .wrongUsage("\(name) has an unsupported scheme; use http:// or socks5://")
        }
    }

    private static func authorization(of url: URL) -> HTTPClient.Authorization? {
        guard let user = url.user(percentEncoded: false) else { return nil }
        return .basic(username: user, password: url.password(percentEncoded: false) ?? "")
    }

    /// Returns whether `no_proxy` lists a host, a parent domain or its network.
    private func isExempt(_ host: String) -> Bool {
        let host = host.lowercased().trimmingCharacters(in: ["[", "]"])
        let entries = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "").lowercased()
            .split { $0 == "," || $0.isWhitespace }
        return entries.contains { entry in
            let name = entry.drop { $0 == "." }
            return entry == "*" || host == name || host.hasSuffix(".\(name)")
                || IPv4Network(entry)?.contains(host) == true
        }
    }
}

/// An IPv4 network, such as `10.0.0.0/8`.
private struct IPv4Network {
    private let address: UInt32
    private let bits: Int

    /// Parses a network in CIDR notation; nil for any other text.
    init?(_ text: Substring) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = Self.address(parts[0]), let bits = Int(parts[1]), (0...32).contains(bits)
        else { return nil }
        (self.address, self.bits) = (address, bits)
    }

    func contains(_ host: String) -> Bool {
        guard let other = Self.address(host[...]) else { return false }
        // A shift by 32 bits gives 0.
        return other >> (32 - bits) == address >> (32 - bits)
    }

    private static func address(_ text: Substring) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 4 else { return nil }
        return parts.reduce(0) { address, part in
            guard let address, let part else { return nil }
            return address << 8 | UInt32(part)
        }
    }
}
