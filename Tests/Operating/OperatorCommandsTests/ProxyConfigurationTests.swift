import AsyncHTTPClient
import CommandLineSupport
import Foundation
import Testing

@testable import OperatorCommands

/// The selection of a proxy by the environment.
@Suite struct ProxyConfigurationTests {
    typealias Proxy = HTTPClient.Configuration.Proxy

    private func proxy(_ server: String, _ environment: [String: String]) throws -> Proxy? {
        try ProxyConfiguration(environment: environment).proxy(for: try #require(URL(string: server)))
    }

    @Test func `each scheme has its own variable, and all share one`() throws {
        let both = ["http_proxy": "http://a:3128", "https_proxy": "b:3129", "all_proxy": "socks5://c:1081"]
        #expect(try proxy("http://x", both) == .server(host: "a", port: 3_128))
        #expect(try proxy("https://x", both) == .server(host: "b", port: 3_129))
        #expect(try proxy("http://x", ["all_proxy": "socks5://c:1081"]) == .socksServer(host: "c", port: 1_081))
        #expect(try proxy("https://x", ["HTTPS_PROXY": "d"]) == .server(host: "d", port: 1_080))
        // Web servers set this variable from a request header.
        #expect(try proxy("http://x", ["HTTP_PROXY": "http://a:3128"]) == nil)
        #expect(try proxy("http://x", ["http_proxy": ""]) == nil)
        let authorized = try proxy("http://x", ["http_proxy": "http://ada:p%40ss@a:1"])
        #expect(authorized?.authorization == .basic(username: "ada", password: "p@ss"))
    }

    @Test(
        arguments: [
            ("*", true), ("api.example.com", true), ("example.com", true), (".example.com", true),
            ("other, API.Example.Com", true), ("ample.com", false), ("api", false), ("", false),
        ]
    )
    func `no_proxy may list hosts, parent domains and *`(list: String, isExempt: Bool) throws {
        let environment = ["http_proxy": "a:1", "no_proxy": list]
        #expect(try (proxy("http://api.example.com:8081", environment) == nil) == isExempt)
    }

    @Test(
        arguments: [
            ("127.0.0.0/8", "127.0.0.1", true), ("10.1.0.0/16", "10.2.0.1", false), ("0.0.0.0/0", "8.8.8.8", true),
            ("10.1.2.3/32", "10.1.2.3", true), ("10.0.0.0/33", "10.0.0.1", false), ("::1", "[::1]", true),
        ]
    )
    func `no_proxy may list addresses and networks`(list: String, host: String, isExempt: Bool) throws {
        let environment = ["http_proxy": "a:1", "NO_PROXY": list]
        #expect(try (proxy("http://\(host):8081", environment) == nil) == isExempt)
    }

    @Test func `unreadable certificate authorities are wrong usage`() throws {
        let server = try #require(URL(string: "https://x"))
        let error = #expect(throws: OperatorClientError.self) {
            try OperatorClient(server: server, token: "t", environment: ["SSL_CERT_FILE": "/nowhere"])
        }
        #expect(error?.exitStatus == .wrongUsage && error?.explanation.contains("/nowhere") == true)
    }

    @Test func `an unsupported proxy is wrong usage, and its password is not printed`() throws {
        let error = #expect(throws: OperatorClientError.self) {
            try proxy("https://x", ["https_proxy": "https://ada:secret@proxy"])
        }
        #expect(error?.explanation.contains("https_proxy") == true && error?.explanation.contains("secret") == false)
    }
}
