import Foundation
import GameTestSupport
import TestSupport
import Testing

/// Malformed HTTP, and details of HTTP/1.1 on the wire.
@Suite struct WireTests {
    private func response(to lines: String...) async throws -> String {
        try await TestServer.with { server in
            try await RawConnection.open(server.port) { client in
                try await client.send(text: lines.map { $0 + "\r\n" }.joined())
                return try await client.readToEnd()
            }
        }
    }

    @Test(arguments: ["BREW", "X-LOOK", "get", "foo", "GET1", "!x"])
    func `a method that the parser does not know gets 501`(method: String) async throws {
        let response = try await response(to: "\(method) / HTTP/1.1", "Host: rangers", "")
        #expect(response.hasPrefix("HTTP/1.1 501 Not Implemented\r\n"))
        #expect(response.contains("\"urn:emoji-rangers:problem:unknown-method\""))
        #expect(response.contains("The known methods are GET, HEAD, POST,"))
    }

    private func isMalformed(_ response: String) -> Bool {
        response.hasPrefix("HTTP/1.1 400 Bad Request\r\n")
            && response.contains("\r\nContent-Type: application/problem+json\r\n")
            && response.contains("\r\nX-Request-Id: ")
            && response.contains("\"urn:emoji-rangers:problem:malformed-request\"")
    }

    @Test(
        arguments: [
            "hello, there\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /healthz\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: a\r\nNo colon\r\n\r\n",
            // The first bytes of TLS.
            "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
            // Request smuggling: two readers may disagree about the length.
            "POST /bodies HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /bodies HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            "POST /bodies HTTP/1.1\r\nHost: a\r\nContent-Length: five\r\n\r\n",
            // The chunks may be taken for a body or for another request.
            "POST /bodies HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            // No host, two hosts, or an invalid one.
            "GET /healthz HTTP/1.1\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
            "GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n",
        ]
    )
    func `malformed HTTP gets a problem, and the connection is closed`(bytes: String) async throws {
        try await TestServer.with { server in
            try await RawConnection.open(server.port) { client in
                try await client.send(text: bytes)
                let response = try await client.readToEnd()
                #expect(isMalformed(response), "\(response)")
                #expect(server.logs.requests.map { $0["status"] } == ["400"])
            }
        }
    }

    @Test(
        arguments: [
            "GET /healthz HTTP/1.0\r\nConnection: close\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: [::1]:8080\r\nConnection: close\r\n\r\n",
            "GET http://a.example/healthz HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n",
        ]
    )
    func `each valid form of the host is accepted`(bytes: String) async throws {
        try await TestServer.with { server in
            try await RawConnection.open(server.port) { client in
                try await client.send(text: bytes)
                let response = try await client.readToEnd()
                #expect(response.hasPrefix("HTTP/1.") && response.contains(" 200 OK\r\n"), "\(response)")
            }
        }
    }

    @Test func `a malformed body gets a problem`() async throws {
        let response = try await response(
            to: "POST /bodies HTTP/1.1",
            "Host: rangers",
            "Content-Type: application/json",
            "Transfer-Encoding: chunked",
            "",
            "five",
            "hello"
        )
        #expect(isMalformed(response), "\(response)")
    }

    @Test func `requests before malformed input get their responses first`() async throws {
        let response = try await response(to: "GET /healthz HTTP/1.1", "Host: rangers", "", "nonsense", "")
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
        let second = try #require(response.range(of: "{\"status\":\"ok\"}")).upperBound
        #expect(isMalformed(String(response[second...])))
    }

    @Test(
        arguments: [
            String(repeating: "a", count: 9_000),
            (0..<101).map { "\r\nX-\($0): a" }.joined(),
            (0..<20).map { "\r\nX-\($0): " + String(repeating: "a", count: 1_000) }.joined(),
        ]
    )
    func `too many or too long headers get 431`(headers: String) async throws {
        let response = try await response(to: "GET /healthz HTTP/1.1", "Host: rangers\(headers)", "")
        #expect(response.hasPrefix("HTTP/1.1 431 Request Header Fields Too Large\r\n"))
        #expect(response.contains("\"urn:emoji-rangers:problem:headers-too-large\""))
    }

    @Test func `a path that is too long gets 431`() async throws {
        let response = try await response(to: "GET /" + String(repeating: "a", count: 9_000))
        #expect(response.hasPrefix("HTTP/1.1 431 "))
    }

    @Test func `a client that expects 100 Continue gets it`() async throws {
        try await TestServer.with { server in
            try await RawConnection.open(server.port) { client in
                try await client.send(
                    "POST /bodies HTTP/1.1",
                    "Host: rangers",
                    "Content-Type: application/json",
                    "Content-Length: 2",
                    "Expect: 100-continue",
                    "Connection: close",
                    ""
                )
                #expect(try await client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
                try await client.send(text: "{}")
                #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test func `a body that is too large gets 413 instead of 100 Continue`() async throws {
        try await TestServer.with { server in
            try await RawConnection.open(server.port) { client in
                try await client.send(
                    "POST /bodies HTTP/1.1",
                    "Host: rangers",
                    "Content-Type: application/json",
                    "Content-Length: 100000",
                    "Expect: 100-continue",
                    "Connection: close",
                    ""
                )
                #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 413 "))
            }
        }
    }

    @Test func `no response to HEAD has a body, so that the next response follows directly`() async throws {
        let response = try await response(
            to: "HEAD /nowhere HTTP/1.1",
            "Host: rangers",
            "",
            "HEAD /healthz HTTP/1.1",
            "Host: rangers",
            "Connection: close",
            ""
        )
        let heads = response.components(separatedBy: "\r\n\r\n")
        try #require(heads.count == 3)
        #expect(heads[0].hasPrefix("HTTP/1.1 404 ") && heads[0].contains("\r\nContent-Length: "))
        #expect(heads[1].hasPrefix("HTTP/1.1 200 ") && heads[1].contains("\r\nContent-Length: 15"))
        #expect(heads[2].isEmpty)
    }
}
