import HTTPTypes
import Testing

@testable import APNsSimulator

/// Access through a browser.
@Suite struct SameOriginMiddlewareTests {
    private func status(
        _ host: String,
        origin: String? = nil,
        listening httpHost: String = "127.0.0.1"
    ) async throws -> Int {
        let web = try TestWeb(seed: 5, httpHost: httpHost)
        return try await web.send(.get, "/api/phones", host: host, origin: origin).status
    }

    @Test(arguments: [
        ("localhost:8080", "127.0.0.1", 200), ("LOCALHOST", "127.0.0.1", 200), ("127.0.0.1:8080", "127.0.0.1", 200),
        ("[::1]:8080", "::1", 200), ("192.0.2.7:8080", "0.0.0.0", 200), ("simulator:8080", "0.0.0.0", 200),
        ("box.example:8080", "box.example", 200), ("box.example:8080", "127.0.0.1", 421),
        ("simulator:8080", "127.0.0.1", 421), ("evil.example:8080", "0.0.0.0", 421), ("", "0.0.0.0", 421),
        ("127.0.0.1.evil.example", "127.0.0.1", 421),
    ])
    func `requests must use one of the simulator's own names`(host: String, listening: String, status: Int) async throws
    {
        #expect(try await self.status(host, listening: listening) == status)
    }

    @Test(arguments: [
        ("http://localhost:8080", 200), ("https://localhost:8080", 200), ("http://localhost:8081", 403),
        ("http://localhost:8080.evil.example", 403), ("https://evil.example", 403), ("null", 403),
    ])
    func `requests of other web sites are rejected`(origin: String, status: Int) async throws {
        #expect(try await self.status("localhost:8080", origin: origin) == status)
    }
}
