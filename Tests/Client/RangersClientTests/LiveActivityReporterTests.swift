import Foundation
import GameCore
import GameLog
import GameStore
import Synchronization
import Testing

@testable import RangersClient

@Suite struct LiveActivityReporterTests {
    private static let adventure = AdventureID(rawValue: UUID())
    private static let activityID = ActivityID(rawValue: UUID())
    private static let deviceID = DeviceID(rawValue: UUID())
    private static let settings = DeviceSettings(environment: .simulator, frequentPushesEnabled: true)
    private static let unknownDevice = ScriptedTransport.Step.response(
        404,
        #"{"type": "urn:emoji-rangers:problem:unknown-device"}"#
    )
    private static let device = ScriptedTransport.Step.response(
        201,
        """
        {"deviceID": "\(deviceID)", "environment": "simulator", "liveActivitiesEnabled": true,
        "frequentPushesEnabled": true, "hasPushToStartToken": false, "hasAlertToken": false,
        "registeredAt": "2027-01-15T08:00:00.125Z", "updatedAt": "2027-01-15T08:00:00.125Z", "routable": true}
        """
    )
    private static let registered = ScriptedTransport.Step.response(
        200,
        """
        {"activityID": "\(activityID)", "adventureID": "\(adventure)", "deviceID": "\(deviceID)", "state": "live",
        "environment": "simulator",
        "frequentPushesEnabled": true, "generation": 1, "registeredAt": "2027-01-15T08:00:00.125Z",
         "routable": true}
        """
    )

    private func follow(
        _ updates: AsyncStream<ActivityUpdate>,
        with transport: some RangersTransport,
        clock: any Clock<Duration> = JumpingClock(),
        onError: @escaping @Sendable (any Error) -> Void = { _ in }
    ) async {
        let server = RangersServer(at: localhost(1), configuration: .init(transport: transport, clock: clock))
        let reporter = LiveActivityReporter(
            player: server.player(with: PlayerToken("erp_secret")),
            on: Self.deviceID,
            settings: { Self.settings },
            onError: onError
        )
        await reporter.follow(
            Self.activityID,
            of: Self.adventure,
            frequentPushesEnabled: true,
            locale: "ko",
            updates: updates
        )
    }

    /// Returns a stream of updates, and a stream that ends when the reporter has received all of them.
    private func stream(
        _ updates: ActivityUpdate...
    ) -> (updates: AsyncStream<ActivityUpdate>, consumed: AsyncStream<Void>) {
        let remaining = Mutex(updates)
        let (consumed, continuation) = AsyncStream.makeStream(of: Void.self)
        let stream = AsyncStream<ActivityUpdate> {
            let next = remaining.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if next == nil { continuation.finish() }
            return next
        }
        return (stream, consumed)
    }

    @Test func `a token is sent until the server accepts it`() async throws {
        let clock = JumpingClock()
        let unavailable = ScriptedTransport.Step.response(503, headers: ["Retry-After": "3"], "{}")
        let transport = ScriptedTransport(.lost, unavailable, .lost, Self.registered)
        await follow(stream(.pushToken(Data([0xab, 1]))).updates, with: transport, clock: clock)
        #expect(transport.requests.count == 4)
        for request in transport.requests {
            #expect(request.method == "PUT")
            #expect(request.url.path() == "/v1/adventures/\(Self.adventure)/activities/\(Self.activityID)")
            let body = """
                {"deviceID":"\(Self.deviceID)","environment":"simulator","frequentPushesEnabled":true,"locale":"ko",\
                "pushToken":"ab01"}
                """
            #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == body)
        }
        #expect(Set(transport.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(clock.sleeps.count == 3)
        #expect(clock.sleeps[1] >= .seconds(3))
    }

    @Test func `retries continue without a time limit`() async throws {
        let clock = JumpingClock()
        let transport = FailingTransport(failures: 200, then: ScriptedTransport(Self.registered))
        await follow(stream(.pushToken(Data([1]))).updates, with: transport, clock: clock)
        #expect(clock.sleeps.count == 200)
        #expect(clock.sleeps.allSatisfy { $0 <= .seconds(30) })
    }

    @Test func `after a lost request only the newest token is sent`() async throws {
        let transport = GatedTransport()
        let (updates, consumed) = stream(.pushToken(Data([1])), .pushToken(Data([2])), .pushToken(Data([3])))
        await withDiscardingTaskGroup { group in
            group.addTask { await follow(updates, with: transport) }
            for await _ in consumed {}
            await transport.next(.lost)
            await transport.next(Self.registered)
        }
        #expect(transport.tokens == ["01", "03"])
    }

    @Test func `the end is sent once, after the token in flight, and nothing follows it`() async throws {
        let transport = GatedTransport()
        let (updates, consumed) = stream(.pushToken(Data([1])), .ended, .pushToken(Data([2])), .ended)
        await withDiscardingTaskGroup { group in
            group.addTask { await follow(updates, with: transport) }
            for await _ in consumed {}
            await transport.next(Self.registered)
            await transport.next(.lost)
            await transport.next(.response(204, ""))
        }
        #expect(transport.methods == ["PUT", "DELETE", "DELETE"])
    }

    @Test func `settings that changed during a registration are registered, too`() async throws {
        let readings = Mutex(0)
        let transport = ScriptedTransport(Self.device, Self.device)
        let server = RangersServer(at: localhost(1), configuration: .init(transport: transport, clock: JumpingClock()))
        let reporter = LiveActivityReporter(
            player: server.player(with: PlayerToken("erp_secret")),
            on: Self.deviceID,
            settings: {
                var settings = Self.settings
                let reading = readings.withLock { count in
                    count += 1
                    return count
                }
                if reading > 1 { settings.pushToStartToken = Data([0xab]) }
                return settings
            }
        )
        await reporter.reportDevice(changes: AsyncStream { nil })
        let bodies = transport.requests.map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
        #expect(bodies.map { $0.contains(#""pushToStartToken":"ab""#) } == [false, true])
    }

    @Test func `releasing an activity that was never registered is not an error`() async throws {
        let errors = Mutex(0)
        let problem = #"{"type": "urn:emoji-rangers:problem:unknown-activity"}"#
        let transport = ScriptedTransport(.response(404, problem))
        await follow(stream(.ended).updates, with: transport) { _ in errors.withLock { $0 += 1 } }
        #expect(transport.requests.count == 1)
        #expect(errors.withLock(\.self) == 0)
    }

    @Test func `the app receives permanent errors, and the next token is sent`() async throws {
        let errors = Mutex<[String]>([])
        let transport = ScriptedTransport(
            .response(409, #"{"type": "urn:emoji-rangers:problem:too-many-activities"}"#),
            Self.registered
        )
        let server = RangersServer(at: localhost(1), configuration: .init(transport: transport))
        let (updates, continuation) = AsyncStream.makeStream(of: ActivityUpdate.self)
        let reporter = LiveActivityReporter(
            player: server.player(with: PlayerToken("erp_secret")),
            on: Self.deviceID,
            settings: { Self.settings },
            onError: { error in
                errors.withLock { $0.append("\(error)") }
                continuation.yield(.pushToken(Data([2])))
                continuation.finish()
            }
        )
        continuation.yield(.pushToken(Data([1])))
        await reporter.follow(Self.activityID, of: Self.adventure, frequentPushesEnabled: false, updates: updates)
        #expect(errors.withLock { $0.count } == 1)
        #expect(errors.withLock { $0[0].contains("409 too-many-activities") })
        #expect(transport.requests.count == 2)
    }

    @Test func `cancellation stops the reporter during a wait`() async throws {
        let transport = GatedTransport()
        let updates = stream(.pushToken(Data([1]))).updates
        let task = Task { await follow(updates, with: transport, clock: ContinuousClock()) }
        await transport.next(.response(429, headers: ["Retry-After": "86400"], ""))
        task.cancel()
        await task.value
    }

    @Test func `each sync attempt lists the activities that run at that time`() async throws {
        let response = ScriptedTransport.Step.response(200, #"{"released": [], "unknown": [], "live": []}"#)
        let transport = ScriptedTransport(.lost, response)
        let server = RangersServer(
            at: localhost(1),
            configuration: .init(transport: transport, clock: JumpingClock())
        )
        let reporter = LiveActivityReporter(player: server.player(with: PlayerToken("t")), on: Self.deviceID) {
            Self.settings
        }
        let lists = Mutex<[[ActivityID]]>([[Self.activityID], []])
        await reporter.sync { lists.withLock { $0.removeLast() } }
        let bodies = transport.requests.compactMap(\.body).map { String(decoding: $0, as: UTF8.self) }
        let device = #"{"deviceID":"\#(Self.deviceID)","running":["#
        #expect(bodies == ["\(device)]}", #"\#(device)"\#(Self.activityID)"]}"#])
        #expect(Set(transport.requests.map { $0.headers["Idempotency-Key"] }).count == 2)
    }

    @Test func `a device that the server does not know is registered before its activity`() async throws {
        let transport = ScriptedTransport(Self.unknownDevice, Self.device, Self.registered)
        await follow(stream(.pushToken(Data([1]))).updates, with: transport)
        let paths = transport.requests.map { $0.url.lastPathComponent }
        #expect(paths == ["\(Self.activityID)", "\(Self.deviceID)", "\(Self.activityID)"])
    }

    @Test func `a device is registered with the settings that it has at each attempt`() async throws {
        let transport = ScriptedTransport(.lost, Self.device)
        let server = RangersServer(
            at: localhost(1),
            configuration: .init(transport: transport, clock: JumpingClock())
        )
        let tokens = Mutex<[Data?]>([Data([0xab]), nil])
        let reporter = LiveActivityReporter(player: server.player(with: PlayerToken("t")), on: Self.deviceID) {
            var settings = Self.settings
            settings.pushToStartToken = tokens.withLock { $0.count > 1 ? $0.removeLast() : $0[0] }
            return settings
        }
        await reporter.reportDevice(changes: AsyncStream<Void> { nil })
        let bodies = transport.requests.compactMap(\.body).map { String(decoding: $0, as: UTF8.self) }
        #expect(bodies.map { $0.contains(#""pushToStartToken":"ab""#) } == [false, true])
    }

    @Test func `registration and release reach the server`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player()
            let journey = try await world.journey(of: ada).adventureID
            let tokens = Mutex<[Data?]>([Data([7]), nil])
            let reporter = LiveActivityReporter(player: ada, on: Self.deviceID) {
                var settings = Self.settings
                settings.pushToStartToken = tokens.withLock { $0.count > 1 ? $0.removeLast() : $0[0] }
                return settings
            }
            let (updates, continuation) = AsyncStream.makeStream(of: ActivityUpdate.self)
            continuation.yield(.pushToken(Data([1])))
            continuation.yield(.ended)
            await reporter.follow(Self.activityID, of: journey, frequentPushesEnabled: true, updates: updates)
            #expect(try await world.activity(Self.activityID, of: journey)?.state == .released)

            await reporter.reportDevice(changes: AsyncStream<Void> { nil })
            #expect(try await ada.device(Self.deviceID).hasPushToStartToken)
            let players = try await ada.parties()[0].members.map(\.playerID)
            #expect(try await world.store.startableDevices(of: players).compactMap(\.pushToStartToken) == [[7]])
        }
    }
}

/// A transport that fails a number of times before it forwards to another one.
private final class FailingTransport: RangersTransport {
    private struct Failure: Error {}

    private let remaining: Mutex<Int>
    private let other: any RangersTransport

    init(failures: Int, then other: any RangersTransport) {
        remaining = Mutex(failures)
        self.other = other
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let fails = remaining.withLock { remaining in
            defer { remaining = max(remaining - 1, 0) }
            return remaining > 0
        }
        if fails { throw Failure() }
        return try await other.send(request)
    }
}

/// A transport whose responses a test provides one by one.
private final class GatedTransport: RangersTransport {
    private let requests = Mutex<[TransportRequest]>([])
    private let arrivals: AsyncStream<CheckedContinuation<ScriptedTransport.Step, Never>>
    private let arrival: AsyncStream<CheckedContinuation<ScriptedTransport.Step, Never>>.Continuation

    init() {
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    var methods: [String] { requests.withLock { $0.map(\.method) } }

    var tokens: [String] {
        struct Body: Decodable {
            let pushToken: String
        }
        return requests.withLock { requests in
            requests.compactMap { $0.body.flatMap { try? JSONDecoder().decode(Body.self, from: $0).pushToken } }
        }
    }

    /// Waits for the next request and responds to it.
    func next(_ response: ScriptedTransport.Step) async {
        for await request in arrivals {
            request.resume(returning: response)
            return
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        requests.withLock { $0.append(request) }
        let step = await withCheckedContinuation { arrival.yield($0) }
        return try await ScriptedTransport(step).send(request)
    }
}
