import Foundation
import PartyAPI
import Testing

/// What goes over the wire where HTTP itself is at stake.
@Suite struct WireTests {
    private func answer(to lines: String...) async throws -> String {
        try await ServedAPI.with { api in
            try await RawConnection.open(api.port) { client in
                try await client.send(text: lines.map { $0 + "\r\n" }.joined())
                return try await client.rest()
            }
        }
    }

    private func isMalformed(_ answer: String) -> Bool {
        answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n")
            && answer.contains("\r\nContent-Type: application/problem+json\r\n")
            && answer.contains("\r\nX-Request-Id: ")
            && answer.contains("\"urn:emoji-rangers:problem:malformed-request\"")
    }

    @Test(
        arguments: [
            "hello there\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /healthz\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: a\r\nNo colon\r\n\r\n",
            // The first bytes of TLS.
            "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
            // A request within a request, for those who believe the other length.
            "POST /v1/players HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /v1/players HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            "POST /v1/players HTTP/1.1\r\nHost: a\r\nContent-Length: five\r\n\r\n",
            // Two readers may take such chunks for a body, or for the next request.
            "POST /v1/players HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            // For nobody, for two, or for what is no host.
            "GET /healthz HTTP/1.1\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
            "GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: a/b\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n",
        ]
    )
    func `what is no HTTP is answered with a problem, and the connection is closed`(bytes: String) async throws {
        try await ServedAPI.with { api in
            try await RawConnection.open(api.port) { client in
                try await client.send(text: bytes)
                let answer = try await client.rest()
                #expect(isMalformed(answer), "\(answer)")
                #expect(api.logs.requests.map { $0["status"] } == ["400"])
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
    func `whom a request is for may be told in each way that HTTP has`(bytes: String) async throws {
        try await ServedAPI.with { api in
            try await RawConnection.open(api.port) { client in
                try await client.send(text: bytes)
                let answer = try await client.rest()
                #expect(answer.hasPrefix("HTTP/1.") && answer.contains(" 200 OK\r\n"), "\(answer)")
            }
        }
    }

    @Test func `a broken body is answered with a problem`() async throws {
        let answer = try await answer(
            to: "POST /v1/players HTTP/1.1",
            "Host: rangers",
            "Content-Type: application/json",
            "Transfer-Encoding: chunked",
            "",
            "five",
            "hello"
        )
        #expect(isMalformed(answer), "\(answer)")
    }

    @Test func `what came before is answered first`() async throws {
        let answer = try await answer(to: "GET /healthz HTTP/1.1", "Host: rangers", "", "nonsense", "")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        let second = try #require(answer.range(of: "{\"status\":\"ok\"}")).upperBound
        #expect(isMalformed(String(answer[second...])))
    }

    @Test(
        arguments: [
            String(repeating: "a", count: 9_000),
            (0..<101).map { "\r\nX-\($0): a" }.joined(),
            (0..<20).map { "\r\nX-\($0): " + String(repeating: "a", count: 1_000) }.joined(),
        ]
    )
    func `too many or too long headers are answered 431`(headers: String) async throws {
        let answer = try await answer(to: "GET /healthz HTTP/1.1", "Host: rangers\(headers)", "")
        #expect(answer.hasPrefix("HTTP/1.1 431 Request Header Fields Too Large\r\n"))
        #expect(answer.contains("\"urn:emoji-rangers:problem:headers-too-large\""))
    }

    @Test func `so is a path that does not end`() async throws {
        let answer = try await answer(to: "GET /" + String(repeating: "a", count: 9_000))
        #expect(answer.hasPrefix("HTTP/1.1 431 "))
    }

    @Test func `a client that waits before it sends its body is told to go on`() async throws {
        try await ServedAPI.with { api in
            try await RawConnection.open(api.port) { client in
                try await client.send(
                    "POST /v1/players HTTP/1.1",
                    "Host: rangers",
                    "Content-Type: application/json",
                    "Content-Length: 2",
                    "Expect: 100-continue",
                    "Connection: close",
                    ""
                )
                #expect(try await client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
                try await client.send(text: "{}")
                #expect(try await client.rest().hasPrefix("HTTP/1.1 422 "))
            }
        }
    }

    @Test func `unless the body is too large anyway`() async throws {
        try await ServedAPI.with { api in
            try await RawConnection.open(api.port) { client in
                try await client.send(
                    "POST /v1/players HTTP/1.1",
                    "Host: rangers",
                    "Content-Type: application/json",
                    "Content-Length: 100000",
                    "Expect: 100-continue",
                    "Connection: close",
                    ""
                )
                #expect(try await client.rest().hasPrefix("HTTP/1.1 413 "))
            }
        }
    }

    @Test func `the answer to HEAD has no body, whatever it is, so that the next one is where it should be`()
        async throws
    {
        let answer = try await answer(
            to: "HEAD /nowhere HTTP/1.1",
            "Host: rangers",
            "",
            "HEAD /healthz HTTP/1.1",
            "Host: rangers",
            "Connection: close",
            ""
        )
        let heads = answer.components(separatedBy: "\r\n\r\n")
        try #require(heads.count == 3)
        #expect(heads[0].hasPrefix("HTTP/1.1 404 ") && heads[0].contains("\r\nContent-Length: "))
        #expect(heads[1].hasPrefix("HTTP/1.1 200 ") && heads[1].contains("\r\nContent-Length: 15"))
        #expect(heads[2].isEmpty)
    }
}
