import Foundation
import GameCore
import Synchronization
import Testing

@testable import RangersClient

@Suite struct AdventureStreamTests {
    private static let id = AdventureID(rawValue: UUID())

    private func event(_ sequence: Int, mark: String = "") -> String {
        """
        id: \(sequence)\(mark)
        data: {"sequence":\(sequence),"tick":1,"at":"2027-01-15T08:00:00.125Z","kind":"partyWiped"}


        """
    }

    private func player(_ transport: ScriptedTransport, clock: JumpingClock = JumpingClock()) -> PlayerClient {
        RangersServer(at: localhost(1), configuration: .init(transport: transport, clock: clock))
            .player(with: PlayerToken("erp_secret"))
    }

    private func sequences(_ transport: ScriptedTransport, after sequence: Int = 0) async throws -> [Int] {
        try await player(transport).stream(of: Self.id, after: sequence).reduce(into: []) { $0.append($1.sequence) }
    }

    private let end = "event: end\ndata: {\"reason\":\"adventureOver\"}\n\n"

    @Test func `a stream resumes after its last event, and ends with the adventure`() async throws {
        let transport = ScriptedTransport(
            .response(200, event(1) + event(2) + ":\n\nid: 3\ndata: {\"seq"),
            .lost,
            .response(503, headers: ["Retry-After": "2"], "{}"),
            .response(200, event(2) + event(3) + "event: end\ndata: {\"reason\":\"serverStopping\"}\n\n"),
            .response(200, event(4) + "event: news\ndata: from a newer server\n\n" + end)
        )
        #expect(try await sequences(transport) == [1, 2, 3, 4])
        #expect(transport.requests.map { $0.headers["Last-Event-ID"] } == [nil, "2", "2", "2", "3"])
        #expect(transport.requests.allSatisfy { $0.url.path() == "/v1/adventures/\(Self.id)/stream" })
    }

    @Test func `after a failover that lost the last event, a stream begins anew`() async throws {
        let transport = ScriptedTransport(
            .response(200, event(1, mark: "-0a") + event(2, mark: "-0b")),
            .response(200, "event: reset\nid: 0\ndata: {}\n\n"),
            .response(200, event(1, mark: "-0a") + event(2, mark: "-0c")),
            .response(200, event(3, mark: "-0d") + end)
        )
        #expect(try await sequences(transport) == [1, 2, 1, 2, 3])
        #expect(transport.requests.map { $0.headers["Last-Event-ID"] } == [nil, "2-0b", "0", "2-0c"])
    }

    @Test func `the stream of an ended adventure without new events is empty`() async throws {
        #expect(try await sequences(ScriptedTransport(.response(204, "")), after: 9) == [])
    }

    @Test func `the stream waits as long as the server asks`() async throws {
        let clock = JumpingClock()
        let transport = ScriptedTransport(.response(200, "retry: 3000\n\n" + event(1)), .response(200, event(2) + end))
        let player = player(transport, clock: clock)
        for try await _ in player.stream(of: Self.id) {}
        #expect(clock.sleeps.count == 1)
        #expect(clock.sleeps[0] >= .seconds(3))
    }

    @Test func `a rejected reconnection ends the stream with the problem`() async throws {
        let problem = #"{"type": "urn:emoji-rangers:problem:unknown-adventure"}"#
        let gone = "event: end\ndata: {\"reason\":\"membershipEnded\"}\n\n"
        let transport = ScriptedTransport(.response(200, event(1) + gone), .response(404, problem))
        let error = await #expect(throws: RangersError.self) { try await sequences(transport) }
        guard case .problem(let problem) = error else { throw try #require(error) }
        #expect(problem.type == .unknownAdventure)
        #expect(transport.requests.count == 2)
    }

    @Test func `a permanent outage ends the stream with an error`() async throws {
        let clock = JumpingClock()
        let player = player(ScriptedTransport(.response(200, event(1)), .lost), clock: clock)
        let error = await #expect(throws: RangersError.self) {
            for try await _ in player.stream(of: Self.id) {}
        }
        guard case .unreachable = error else { throw try #require(error) }
        #expect(clock.sleeps.reduce(.zero, +) <= .seconds(30))
    }

    @Test func `a journey streams to its end over connections that break repeatedly`() async throws {
        try await ClientWorld.with { world in
            let registered = try await world.server().register("Ada", playing: "spouty")
            let ada = world.server().player(with: registered.token)
            let id = try await world.journey(of: ada).adventureID
            let parts = Counter()
            try await TCPServer.forwarding(to: world.port) { _ in
                parts.next().isMultiple(of: 4)
            } _: { port in
                let proxied = world.server(port: port, RangersConfiguration(clock: JumpingClock()))
                    .player(with: registered.token)
                async let streamed = proxied.stream(of: id).reduce(into: []) { $0.append($1.sequence) }
                var now = try await ada.adventure(id)
                while !now.isOver {
                    try await world.playTicks(1)
                    now = try await ada.adventure(id)
                }
                #expect(try await streamed == Array(1...now.sequence))
            }
        }
    }

    @Test func `a gap in the sequence is a malformed response`() async throws {
        let error = await #expect(throws: RangersError.self) {
            try await sequences(ScriptedTransport(.response(200, event(1) + event(3))))
        }
        guard case .malformedResponse = error else { throw try #require(error) }
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
