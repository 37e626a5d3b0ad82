import APNsClient
import Foundation
import HTTP2Transport
import Logging

/// How the measured client is asked to send.
enum PushStyle: String, CaseIterable, Sendable {
    /// Many pushes a call of the transport.
    case bulk
    /// One call of the transport a push, each awaited by a task of its own.
    case async
    /// One call of `APNsClient` a push, each awaited by a task of its own: with its fields and its token made for it.
    case apns
}

/// A client to measure, and one call of it.
struct PushSender: Sendable {
    /// How many pushes go out with a call.
    let pushesInCall: Int
    /// Makes a call, with other devices than the ones before.
    ///
    /// Throws `MeasurementFailure` when a push was not answered with 200.
    let call: @Sendable (_ number: Int) async throws -> Void
    /// Whether all its connections are there.
    let isConnected: @Sendable () async -> Bool
    /// Ends it.
    let end: @Sendable () async -> Void

    private static let logger = Logger(label: "push", factory: SwiftLogNoOpLogHandler.init)
    /// A slow machine is a slow figure, and no failure.
    private static let timeout = Duration.seconds(60)

    /// The transport by itself.
    static func transport(
        to peer: PushPeer,
        connections: Int,
        streams: Int,
        pushesInCall: Int
    ) throws -> PushSender {
        var configuration = HTTP2Client.Configuration(
            host: peer.host,
            port: peer.port,
            trust: peer.caFile.map { .file(path: $0) } ?? .system
        )
        configuration.maxConcurrentStreams = streams
        configuration.maxConnections = connections
        configuration.requestTimeout = timeout
        // The connections are there before anything is measured; these say how soon.
        configuration.growAfter = .milliseconds(1)
        configuration.stagger = .milliseconds(10)
        let client = try HTTP2Client(configuration: configuration, logger: logger)
        // Made once: copying requests is no part of sending them.
        let requests = PushLoad.requests()
        let calls = stride(from: 0, through: requests.count - pushesInCall, by: pushesInCall)
            .map { Array(requests[$0..<$0 + pushesInCall]) }
        return PushSender(
            pushesInCall: pushesInCall,
            call: { number in
                let requests = calls[number % calls.count]
                // One alone goes the way of one.
                let outcomes = requests.count == 1 ? [await client.send(requests[0])] : await client.send(requests)
                for outcome in outcomes {
                    guard case .response(let response) = outcome, response.status == 200 else {
                        throw MeasurementFailure("A push to \(peer.url) was not answered with 200: \(outcome)")
                    }
                }
            },
            isConnected: { await client.statistics().connections == connections },
            end: { await client.shutDown(within: .seconds(5)) }
        )
    }

    /// The client of APNs, over one connection.
    static func apns(to peer: PushPeer) throws -> PushSender {
        var configuration = APNsClient.Configuration(
            environment: .simulator,
            host: peer.host,
            port: peer.port,
            caFile: peer.caFile,
            providerKey: try ProviderKey(pem: PrivateKey.generateP256().pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        )
        configuration.maxConnections = 1
        configuration.requestTimeout = timeout
        let client = try APNsClient(
            configuration: configuration,
            now: { Int64(Date.now.timeIntervalSince1970) },
            logger: logger
        )
        let running = Task { try await client.run() }
        let pushes = try PushLoad.pushes()
        return PushSender(
            pushesInCall: 1,
            call: { number in
                let outcome = await client.send(pushes[number % pushes.count])
                guard case .accepted = outcome else {
                    throw MeasurementFailure("A push to \(peer.url) was not taken: \(outcome)")
                }
            },
            isConnected: { true },
            end: {
                running.cancel()
                _ = await running.result
            }
        )
    }
}
