import AsyncHTTPClient
import Foundation

/// Which proxy stands before a server, by the variables that curl goes by, too (curl's manual, "Environment").
struct ProxyChoice {
    /// Without a port a proxy listens there: curl's own default.
    private static let standardPort = 1_080

    private let environment: [String: String]

    init(environment: [String: String]) {
        self.environment = environment
    }

    /// The proxy before a server; nil when there is none.
    /// - Throws: ``OperatorClientError/wrongUsage(_:)`` for one that makes no sense; its password is not shown.
    func proxy(before server: URL) throws(OperatorClientError) -> HTTPClient.Configuration.Proxy? {
        // What a web server makes of a header named Proxy must not be taken for a wish: HTTP_PROXY does not count.
        let own = server.scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        let names = own + ["all_proxy", "ALL_PROXY"]
        guard
            let host = server.host(),
            let name = names.first(where: { environment[$0]?.isEmpty == false }),
            let text = environment[name],
            !isExempt(host)
        else { return nil }
        guard
            let url = URL(string: text.contains("://") ? text : "http://\(text)"),
            let proxyHost = url.host(), !proxyHost.isEmpty
        else { throw .wrongUsage("\(name) names no proxy; write it like http://proxy.example.com:3128") }
        let port = url.port ?? Self.standardPort
        switch url.scheme {
        case "http":
            return .server(host: proxyHost, port: port, authorization: Self.authorization(of: url))
        case "socks5", "socks5h":
            return .socksServer(host: proxyHost, port: port)
        default:
            throw .wrongUsage("\(name) names a proxy of another kind than http:// and socks5://")
        }
    }

    private static func authorization(of url: URL) -> HTTPClient.Authorization? {
        guard let user = url.user(percentEncoded: false) else { return nil }
        return .basic(username: user, password: url.password(percentEncoded: false) ?? "")
    }

    /// Whether no proxy is to be asked for a host: `no_proxy` has it, a domain above it, or its network.
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

/// A network such as `10.0.0.0/8`.
private struct IPv4Network {
    private let address: UInt32
    private let bits: Int

    /// Nil for anything else.
    init?(_ text: Substring) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = Self.address(parts[0]), let bits = Int(parts[1]), (0...32).contains(bits)
        else { return nil }
        (self.address, self.bits) = (address, bits)
    }

    func contains(_ host: String) -> Bool {
        guard let other = Self.address(host[...]) else { return false }
        // By 32 bits all of both are gone.
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
