import Foundation
import GameCore
import GameStore
import Synchronization
import Testing

@testable import RangersClient

@Suite struct LiveActivityReporterTests {
    private static let adventure = AdventureID(rawValue: UUID())
    private static let card = ActivityID(rawValue: UUID())
    private static let registered = ScriptedTransport.Answer.answer(
        200,
        """
        {"activityID": "\(card)", "adventureID": "\(adventure)", "state": "live", "environment": "simulator",
        "frequentPushesEnabled": true, "generation": 1, "registeredAt": "2027-01-15T08:00:00.125Z"}
        """
    )

    private func follow(
        _ news: AsyncStream<ActivityNews>,
        with transport: some RangersTransport,
        clock: any Clock<Duration> = JumpingClock(),
        onRefusal: @escaping @Sendable (any Error) -> Void = { _ in }
    ) async {
        let server = RangersServer(at: localhost(1), configuration: .init(transport: transport, clock: clock))
        let reporter = LiveActivityReporter(
            player: server.player(with: PlayerToken("erp_secret")),
            environment: .simulator,
            onRefusal: onRefusal
        )
        await reporter.follow(Self.card, of: Self.adventure, frequentPushesEnabled: true, locale: "ko", news: news)
    }

    /// Some news, and a stream that ends when the reporter has heard all of them.
    private func tell(_ news: ActivityNews...) -> (news: AsyncStream<ActivityNews>, told: AsyncStream<Void>) {
        let left = Mutex(news)
        let (told, end) = AsyncStream.makeStream(of: Void.self)
        let stream = AsyncStream<ActivityNews> {
            let next = left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if next == nil { end.finish() }
            return next
        }
        return (stream, told)
    }

    @Test func `a token is sent until the server has it`() async throws {
        let clock = JumpingClock()
        let away = ScriptedTransport.Answer.answer(503, headers: ["Retry-After": "3"], "{}")
        let transport = ScriptedTransport(.lost, away, .lost, Self.registered)
        await follow(tell(.pushToken(Data([0xab, 1]))).news, with: transport, clock: clock)
        #expect(transport.requests.count == 4)
        for request in transport.requests {
            #expect(request.method == "PUT")
            #expect(request.url.path() == "/v1/adventures/\(Self.adventure)/activities/\(Self.card)")
            let body = #"{"environment":"simulator","frequentPushesEnabled":true,"locale":"ko","pushToken":"ab01"}"#
            #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == body)
        }
        #expect(Set(transport.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(clock.sleeps.count == 3)
        #expect(clock.sleeps[1] >= .seconds(3))
    }

    @Test func `it tries on for as long as it takes`() async throws {
        let clock = JumpingClock()
        let transport = FailingTransport(failures: 200, then: ScriptedTransport(Self.registered))
        await follow(tell(.pushToken(Data([1]))).news, with: transport, clock: clock)
        #expect(clock.sleeps.count == 200)
        #expect(clock.sleeps.allSatisfy { $0 <= .seconds(30) })
    }

    @Test func `the newest token is sent when the one under way is lost, and the older never again`() async throws {
        let transport = GatedTransport()
        let (news, told) = tell(.pushToken(Data([1])), .pushToken(Data([2])), .pushToken(Data([3])))
        await withDiscardingTaskGroup { group in
            group.addTask { await follow(news, with: transport) }
            for await _ in told {}
            await transport.next(.lost)
            await transport.next(Self.registered)
        }
        #expect(transport.tokens == ["01", "03"])
    }

    @Test func `an end is told once, after the token under way, and nothing follows it`() async throws {
        let transport = GatedTransport()
        let (news, told) = tell(.pushToken(Data([1])), .isOver, .pushToken(Data([2])), .isOver)
        await withDiscardingTaskGroup { group in
            group.addTask { await follow(news, with: transport) }
            for await _ in told {}
            await transport.next(Self.registered)
            await transport.next(.lost)
            await transport.next(.answer(204, ""))
        }
        #expect(transport.methods == ["PUT", "DELETE", "DELETE"])
    }

    @Test func `who has never registered a card has nothing to let go of`() async throws {
        let refusals = Mutex(0)
        let problem = #"{"type": "urn:emoji-rangers:problem:unknown-activity"}"#
        let transport = ScriptedTransport(.answer(404, problem))
        await follow(tell(.isOver).news, with: transport) { _ in refusals.withLock { $0 += 1 } }
        #expect(transport.requests.count == 1)
        #expect(refusals.withLock(\.self) == 0)
    }

    @Test func `what the server will not take is told to the app, and the next token is tried`() async throws {
        let refusals = Mutex<[String]>([])
        let transport = ScriptedTransport(
            .answer(409, #"{"type": "urn:emoji-rangers:problem:too-many-activities"}"#),
            Self.registered
        )
        let server = RangersServer(at: localhost(1), configuration: .init(transport: transport))
        let (news, post) = AsyncStream.makeStream(of: ActivityNews.self)
        let reporter = LiveActivityReporter(
            player: server.player(with: PlayerToken("erp_secret")),
            environment: .sandbox
        ) { error in
            refusals.withLock { $0.append("\(error)") }
            post.yield(.pushToken(Data([2])))
            post.finish()
        }
        post.yield(.pushToken(Data([1])))
        await reporter.follow(Self.card, of: Self.adventure, frequentPushesEnabled: false, news: news)
        #expect(refusals.withLock { $0.count } == 1)
        #expect(refusals.withLock { $0[0].contains("409 too-many-activities") })
        #expect(transport.requests.count == 2)
    }

    @Test func `a cancelled reporter stops, whatever it waits for`() async throws {
        let transport = GatedTransport()
        let news = tell(.pushToken(Data([1]))).news
        let task = Task { await follow(news, with: transport, clock: ContinuousClock()) }
        await transport.next(.answer(429, headers: ["Retry-After": "86400"], ""))
        task.cancel()
        await task.value
    }

    @Test func `the list of what runs is that of the moment of each try`() async throws {
        let transport = ScriptedTransport(.lost, .answer(200, #"{"released": []}"#))
        let server = RangersServer(
            at: localhost(1),
            configuration: .init(transport: transport, clock: JumpingClock())
        )
        let reporter = LiveActivityReporter(player: server.player(with: PlayerToken("t")), environment: .simulator)
        let lists = Mutex<[[ActivityID]]>([[Self.card], []])
        await reporter.sync { lists.withLock { $0.removeLast() } }
        let bodies = transport.requests.compactMap(\.body).map { String(decoding: $0, as: UTF8.self) }
        #expect(bodies == [#"{"running":[]}"#, #"{"running":["\#(Self.card)"]}"#])
        #expect(Set(transport.requests.map { $0.headers["Idempotency-Key"] }).count == 2)
    }

    @Test func `a card's life on a phone is the server's too`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player()
            let journey = try await world.journey(of: ada).adventureID
            let reporter = LiveActivityReporter(player: ada, environment: .simulator)
            let (news, post) = AsyncStream.makeStream(of: ActivityNews.self)
            post.yield(.pushToken(Data([1])))
            post.yield(.isOver)
            await reporter.follow(Self.card, of: journey, frequentPushesEnabled: true, news: news)
            #expect(try await world.activity(Self.card, of: journey)?.state == .released)

            let (routes, route) = AsyncStream.makeStream(of: PushRoute.self)
            route.yield(PushRoute(pushToken: Data([7]), environment: .simulator, frequentPushesEnabled: false))
            route.finish()
            await reporter.keepPushToStartTokens(routes)
            let players = try await ada.parties()[0].members.map(\.playerID)
            #expect(try await world.store.pushToStartRecords(of: players).map(\.pushToken) == [[7]])
        }
    }
}

/// Fails some times before it hands on.
private final class FailingTransport: RangersTransport {
    private struct Failure: Error {}

    private let left: Mutex<Int>
    private let other: any RangersTransport

    init(failures: Int, then other: any RangersTransport) {
        left = Mutex(failures)
        self.other = other
    }

    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        let fails = left.withLock { left in
            defer { left = max(left - 1, 0) }
            return left > 0
        }
        if fails { throw Failure() }
        return try await other.send(request)
    }
}

/// Answers when a test says so, and how.
private final class GatedTransport: RangersTransport {
    private let asked = Mutex<[TransportRequest]>([])
    private let arrivals: AsyncStream<CheckedContinuation<ScriptedTransport.Answer, Never>>
    private let arrival: AsyncStream<CheckedContinuation<ScriptedTransport.Answer, Never>>.Continuation

    init() {
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    var methods: [String] { asked.withLock { $0.map(\.method) } }

    var tokens: [String] {
        struct Body: Decodable {
            let pushToken: String
        }
        return asked.withLock { requests in
            requests.compactMap { $0.body.flatMap { try? JSONDecoder().decode(Body.self, from: $0).pushToken } }
        }
    }

    /// Answers the next request, once it is there.
    func next(_ answer: ScriptedTransport.Answer) async {
        for await request in arrivals {
            request.resume(returning: answer)
            return
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        asked.withLock { $0.append(request) }
        let answer = await withCheckedContinuation { arrival.yield($0) }
        return try await ScriptedTransport(answer).send(request)
    }
}
