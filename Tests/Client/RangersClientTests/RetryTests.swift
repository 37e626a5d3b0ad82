import Foundation
import GameCore
import Testing

@testable import RangersClient

@Suite struct RetryTests {
    private static let party = PartyID(rawValue: UUID())
    private static let unavailable = ScriptedTransport.Step.response(
        503,
        headers: ["retry-after": "2"],
        #"{"type": "urn:emoji-rangers:problem:database-unavailable", "title": "Away", "status": 503, "detail": "Soon."}"#
    )
    private static let released = ScriptedTransport.Step.response(200, #"{"released": [], "unknown": [], "live": []}"#)
    private static let deviceID = DeviceID(rawValue: UUID())

    private func client(
        _ transport: ScriptedTransport,
        clock: JumpingClock,
        timeLimit: Duration = .seconds(30),
        randomBits: UInt64 = .max
    ) throws -> PlayerClient {
        let configuration = RangersConfiguration(
            transport: transport,
            retryPolicy: RetryPolicy(timeLimit: timeLimit, initialDelay: .seconds(1), maxDelay: .seconds(4)),
            clock: clock,
            randomBits: { randomBits }
        )
        return RangersServer(at: localhost(1), configuration: configuration).player(with: PlayerToken("erp_secret"))
    }

    @Test func `a retried write has the same bytes and the same key`() async throws {
        let transport = ScriptedTransport(
            .lost,
            Self.unavailable,
            .response(502, "<html>Bad Gateway</html>"),
            Self.released
        )
        let client = try client(transport, clock: JumpingClock())
        try await client.sync(running: [ActivityID(rawValue: UUID())], on: Self.deviceID)
        #expect(transport.requests.count == 4)
        #expect(Set(transport.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(transport.requests[0].headers["Idempotency-Key"]?.utf8.count == 32)
        #expect(Set(transport.requests.map(\.body)).count == 1)
    }

    @Test func `each write has a key of its own, unless the app passes one`() async throws {
        let transport = ScriptedTransport(Self.released)
        let client = RangersServer(at: localhost(1), configuration: .init(transport: transport))
            .player(with: PlayerToken("erp_secret"))
        let key = IdempotencyKey()
        for key in [nil, nil, key, key] { try await client.sync(running: [], on: Self.deviceID, key: key) }
        let keys = transport.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys[2...] == [key.rawValue, key.rawValue])
        #expect(Set(keys).count == 3)
    }

    @Test func `delays double up to the maximum, and a delay from the server is added`() async throws {
        let clock = JumpingClock()
        let transport = ScriptedTransport(.lost, .lost, .lost, .lost, Self.unavailable, Self.released)
        try await client(transport, clock: clock).sync(running: [], on: Self.deviceID)
        #expect(clock.sleeps.map { ($0 / .seconds(1)).rounded() } == [1, 2, 4, 4, 6])
    }

    @Test func `a delay lies between zero and its bound`() {
        let policy = RetryPolicy(initialDelay: .seconds(1), maxDelay: .seconds(4))
        #expect(policy.jitter(afterFailures: 2, randomBits: 0) == .zero)
        #expect(policy.jitter(afterFailures: 2, randomBits: 1 << 63) == .seconds(1))
        #expect(policy.jitter(afterFailures: .max, randomBits: 1 << 63) == .seconds(2))
    }

    @Test func `after the time limit the last error is thrown`() async throws {
        let clock = JumpingClock()
        let transport = ScriptedTransport(.lost)
        let client = try client(transport, clock: clock, timeLimit: .seconds(8))
        let error = await #expect(throws: RangersError.self) { try await client.sync(running: [], on: Self.deviceID) }
        guard case .unreachable(let url, _) = error else { throw try #require(error) }
        #expect(url.path() == "/v1/players/me/activities/sync")
        #expect(transport.requests.count == 4)
    }

    @Test func `a delay from the server beyond the time limit prevents the retry`() async throws {
        let transport = ScriptedTransport(.response(429, headers: ["Retry-After": "60"], "{}"))
        let clock = JumpingClock()
        let client = try client(transport, clock: clock)
        let error = await #expect(throws: RangersError.self) { try await client.sync(running: [], on: Self.deviceID) }
        guard case .problem(let problem) = error else { throw try #require(error) }
        #expect(problem.retryAfter == .seconds(60))
        #expect(clock.sleeps == [])
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [400, 401, 404, 409, 422, 500])
    func `permanent errors are not retried`(status: Int) async throws {
        let transport = ScriptedTransport(.response(status, "{}"))
        let client = try client(transport, clock: JumpingClock())
        await #expect(throws: RangersError.self) { try await client.party(Self.party) }
        #expect(transport.requests.count == 1)
    }

    @Test func `cancellation ends the wait before a retry`() async throws {
        let transport = ScriptedTransport(.lost)
        let client = try client(transport, clock: JumpingClock(), timeLimit: .seconds(1_000_000))
        let task = Task { try await client.sync(running: [], on: Self.deviceID) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
