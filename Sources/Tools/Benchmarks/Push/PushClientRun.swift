import APNsClient
import Cryptography
import Encodings
import Foundation
import HTTP2Transport

/// The way in which the measured client sends pushes.
enum PushStyle: String, CaseIterable, Sendable {
    /// Many pushes per call of the transport.
    case bulk
    /// One push per call of the transport, each awaited by a task.
    case async
    /// Many pushes per submission to `APNsClient`, which adds the header fields and the provider token; one task takes
    /// all outcomes.
    case apnsBatch
    /// One push per call of `APNsClient`, which adds the header fields and the provider token, each awaited by a task.
    case apns

    var title: String {
        switch self {
        case .bulk: "bulk"
        case .async: "one async call per push"
        case .apnsBatch: "APNsClient batches"
        case .apns: "one APNsClient call per push"
        }
    }
}

/// One run of our client: a number of pushes to one server.
struct PushClientRun: Sendable {
    /// The number of pushes per call in bulk and in batches: few enough that other calls use the streams while one collects
    /// responses.
    private static let batch = 100
    /// The ratio of calls in flight to streams: above 1, so that no stream is idle.
    private static let surplus = 2
    /// The maximum number of warm-up rounds; a connection is established within a few thousand pushes.
    private static let maxWarmUps = 100
    /// The request timeout: long, so that a slow machine gives a low figure and not a failure.
    private static let timeout = Duration.seconds(60)

    let server: PushServer
    let style: PushStyle
    let pushes: Int
    /// The number of connections of the transport; `APNsClient` has one, with as many streams as the server allows.
    let connections: Int
    let streams: Int

    /// Connects, warms up, and then measures.
    func measure() async throws -> PushMeasurement {
        let client = try makeClient()
        var rounds = 0
        // The transport opens another connection only when all streams of the others are in use.
        repeat {
            rounds += 1
            if rounds > Self.maxWarmUps {
                throw BenchmarkFailure("\(server.url) does not accept \(connections) connections")
            }
            try await send(2 * streams * connections, with: client)
        } while await !client.isConnected()
        let start = (clock: ContinuousClock.now, cpu: ProcessUsage.ownCPUSeconds)
        let sent = try await send(pushes, with: client)
        let (elapsed, cpu) = (ContinuousClock.now - start.clock, ProcessUsage.ownCPUSeconds - start.cpu)
        await client.shutDown()
        return PushMeasurement(pushes: sent, seconds: elapsed / .seconds(1), cpuSeconds: cpu)
    }

    /// Sends with as many outstanding pushes as keep the streams busy.
    /// - Returns: the number of pushes sent: `pushes` without an incomplete call.
    @discardableResult private func send(_ pushes: Int, with client: MeasuredClient) async throws -> Int {
        if style == .apnsBatch {
            try await client.send(pushes)
            return pushes
        }
        let calls = pushes / client.pushesPerCall
        let callers = min(Self.surplus * max(streams * connections / client.pushesPerCall, 1), calls)
        try await withThrowingDiscardingTaskGroup { group in
            for caller in 0..<callers {
                group.addTask {
                    for call in stride(from: caller, to: calls, by: callers) { try await client.send(call) }
                }
            }
        }
        return calls * client.pushesPerCall
    }

    /// A client under test.
    private struct MeasuredClient: Sendable {
        let pushesPerCall: Int
        /// Makes a call, or sends this number of pushes in batches; successive calls use different device tokens.
        ///
        /// Throws `BenchmarkFailure` when a push is not answered with 200.
        let send: @Sendable (_ number: Int) async throws -> Void
        /// Returns whether all connections are established.
        let isConnected: @Sendable () async -> Bool
        let shutDown: @Sendable () async -> Void
    }

    private func makeClient() throws -> MeasuredClient {
        switch style {
        case .bulk: try transport(pushesPerCall: min(Self.batch, streams, pushes))
        case .async: try transport(pushesPerCall: 1)
        case .apnsBatch, .apns: try apnsClient()
        }
    }

    private func transport(pushesPerCall: Int) throws -> MeasuredClient {
        var configuration = HTTP2Client.Configuration(
            host: server.address.host,
            port: server.address.port,
            trust: server.caFile.map { .file(path: $0) } ?? .system
        )
        configuration.maxConcurrentStreams = streams
        configuration.maxConnections = connections
        configuration.requestTimeout = Self.timeout
        // All connections are established before the measurement; this makes it quick.
        configuration.growAfter = .milliseconds(1)
        configuration.stagger = .milliseconds(10)
        let client = try HTTP2Client(configuration: configuration, logger: silentLogger)
        // Made once, since copying requests is not part of sending them.
        let requests = PushLoad.requests()
        let calls = stride(from: 0, through: requests.count - pushesPerCall, by: pushesPerCall).map {
            Array(requests[$0..<$0 + pushesPerCall])
        }
        return MeasuredClient(
            pushesPerCall: pushesPerCall,
            send: { [url = server.url] number in
                let requests = calls[number % calls.count]
                // A single request takes the transport's path for single requests.
                let outcomes = requests.count == 1 ? [await client.send(requests[0])] : await client.send(requests)
                for outcome in outcomes {
                    guard case .response(let response) = outcome, response.status == 200 else {
                        throw BenchmarkFailure("A push to \(url) was not answered with 200: \(outcome)")
                    }
                }
            },
            isConnected: { [connections] in await client.statistics().connections == connections },
            shutDown: { await client.shutDown(within: .seconds(5)) }
        )
    }

    private func apnsClient() throws -> MeasuredClient {
        var configuration = APNsClient.Configuration(
            environment: .simulator,
            host: server.address.host,
            port: server.address.port,
            caFile: server.caFile,
            providerKey: try ProviderKey(pem: P256PrivateKey.generate().pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        )
        configuration.maxConnections = 1
        configuration.requestTimeout = Self.timeout
        let client = try APNsClient(
            configuration: configuration,
            now: { Int64(Date.now.timeIntervalSince1970) },
            logger: silentLogger
        )
        // Runs until `shutDown` cancels and awaits it.
        let running = Task { try await client.run() }
        let pushes = try PushLoad.pushes()
        return MeasuredClient(
            pushesPerCall: 1,
            send: { number in
                switch style {
                case .apnsBatch: try await sendBatches(of: pushes, total: number, with: client)
                case .apns, .bulk, .async: try check(await client.send(pushes[number % pushes.count]))
                }
            },
            isConnected: { true },
            shutDown: {
                running.cancel()
                _ = await running.result
            }
        )
    }
}

extension PushClientRun {
    /// Submits batches while fewer pushes are outstanding than keep the streams busy, and takes outcomes as they arrive.
    private func sendBatches(of pushes: [APNsPush], total: Int, with client: APNsClient) async throws {
        let (parts, arrived) = AsyncStream.makeStream(of: [(index: Int, outcome: APNsOutcome)].self)
        var iterator = parts.makeAsyncIterator()
        var (submitted, completed) = (0, 0)
        while completed < total {
            while submitted < total, submitted - completed + Self.batch <= Self.surplus * max(streams, Self.batch) {
                let start = submitted % (pushes.count - Self.batch)
                let batch = pushes[start..<start + min(Self.batch, total - submitted)]
                await client.submit(Array(batch)) { arrived.yield($0) }
                submitted += batch.count
            }
            guard let part = await iterator.next() else { throw CancellationError() }
            for (_, outcome) in part { try check(outcome) }
            completed += part.count
        }
    }

    private func check(_ outcome: APNsOutcome) throws {
        guard case .accepted = outcome else {
            throw BenchmarkFailure("A push to \(server.url) was not accepted: \(outcome)")
        }
    }
}

/// The pushes that every client sends.
enum PushLoad {
    /// The number of different device tokens: several, so that paths differ as they do in production.
    static let devices = 1_000
    static let bodyBytes = 600

    /// A header value as long as that of a provider token; no server here verifies its signature.
    private static let authorization = "bearer " + String(repeating: "eyJhbGciOiJFUzI1NiJ9", count: 12)
    private static let pathPrefix = "/3/device/"
    private static let topic = "com.example.rangers.push-type.liveactivity"
    private static let expiration: Int64 = 1_790_003_600
    private static let id = UUID()

    /// The fields that all pushes share.
    static let sharedHeaders = [
        HTTP2Header("authorization", authorization), HTTP2Header("apns-push-type", "liveactivity"),
        HTTP2Header("apns-topic", topic), HTTP2Header("apns-priority", "10"),
    ]

    /// The fields that belong to one push.
    static let ownHeaders = [
        HTTP2Header("apns-expiration", String(expiration)),
        HTTP2Header("apns-id", id.lowercaseText, isIndexed: false),
    ]

    static let body = Array(repeating: UInt8(ascii: "x"), count: bodyBytes)

    static let paths = (0..<devices).map { device in
        let digits = String(device, radix: 16)
        return pathPrefix + String(repeating: "a", count: 160 - digits.count) + digits
    }

    /// Returns the pushes for `APNsClient`, which adds its own provider token.
    static func pushes() throws -> [APNsPush] {
        try paths.map { path in
            guard let token = DeviceToken(hex: String(path.dropFirst(pathPrefix.count))) else {
                throw BenchmarkFailure("\(path) has no device token")
            }
            return APNsPush(
                deviceToken: token,
                topic: topic,
                priority: .high,
                expirationEpochSeconds: expiration,
                id: id,
                payload: body
            )
        }
    }

    static func requests() -> [HTTP2ClientRequest] {
        let shared = HTTP2Headers(sharedHeaders)
        return paths.map { path in
            HTTP2ClientRequest(method: "POST", path: path, headers: ownHeaders, sharing: shared, body: body)
        }
    }
}
