import Foundation
import HTTP2Transport
import Logging

/// How the measured client is asked to send.
enum PushStyle: String, CaseIterable, Sendable {
    /// Many pushes a call.
    case bulk
    /// One call a push, each awaited by a task of its own.
    case async
}

/// One run of our client: so many pushes to one server, over as many clients as connections are wanted.
struct PushClientRun: Sendable {
    /// Pushes in one call of the bulk client: few enough that others wait while the answers to one call are gathered.
    private static let batch = 100
    /// More than fit on the streams, so that a stream that becomes free is never idle.
    private static let surplus = 2

    let peer: PushPeer
    let style: PushStyle
    let pushes: Int
    let connections: Int
    let streams: Int

    /// Connects, warms up, and then measures.
    func measure() async throws -> PushMeasurement {
        let clients = try (0..<connections).map { _ in try makeClient() }
        let requests = PushLoad.requests()
        try await send(streams, of: requests, by: clients, PushStyle.bulk)
        let start = (clock: ContinuousClock.now, cpu: CPUTime.ownSeconds)
        try await send(pushes / connections, of: requests, by: clients, style)
        let (elapsed, cpu) = (ContinuousClock.now - start.clock, CPUTime.ownSeconds - start.cpu)
        for client in clients { await client.shutDown(within: .seconds(5)) }
        return PushMeasurement(
            pushes: pushes / connections * connections,
            seconds: elapsed / .seconds(1),
            cpuSeconds: cpu
        )
    }

    private func makeClient() throws -> HTTP2Client {
        var configuration = HTTP2Client.Configuration(
            host: peer.host,
            port: peer.port,
            trust: peer.caFile.map { .file(path: $0) } ?? .system
        )
        configuration.maxConcurrentStreams = streams
        // Each client is one connection, so that what one can do is measured.
        configuration.maxConnections = 1
        // A slow machine is a slow figure, and no failure.
        configuration.requestTimeout = .seconds(60)
        let logger = Logger(label: "push", factory: SwiftLogNoOpLogHandler.init)
        return try HTTP2Client(configuration: configuration, logger: logger)
    }

    private func send(
        _ count: Int,
        of requests: [HTTP2ClientRequest],
        by clients: [HTTP2Client],
        _ style: PushStyle
    ) async throws {
        let size =
            switch style {
            case .bulk: min(Self.batch, count)
            case .async: 1
            }
        let senders = min(Self.surplus * max(streams / size, 1), count / size)
        // Made once: copying requests is no part of sending them.
        let batches = stride(from: 0, through: requests.count - size, by: size).map { Array(requests[$0..<$0 + size]) }
        let refused = await withTaskGroup(of: Int.self) { group in
            for client in clients {
                for sender in 0..<senders {
                    let share = count * (sender + 1) / senders - count * sender / senders
                    group.addTask { await send(share, of: batches, by: client, style) }
                }
            }
            return await group.reduce(0, +)
        }
        if refused > 0 {
            throw PushFailure("\(refused) of \(count * clients.count) pushes were not answered with 200 by \(peer.url)")
        }
    }

    /// Sends one after another, or one batch after another.
    /// - Returns: how many were not answered with 200.
    private func send(
        _ count: Int,
        of batches: [[HTTP2ClientRequest]],
        by client: HTTP2Client,
        _ style: PushStyle
    ) async -> Int {
        var refused = 0
        var sent = 0
        while sent < count {
            let batch = batches[sent / batches[0].count % batches.count]
            let rest = count - sent
            let outcomes =
                switch style {
                case .bulk: await client.send(rest < batch.count ? Array(batch[..<rest]) : batch)
                case .async: [await client.send(batch[0])]
                }
            for outcome in outcomes {
                guard case .response(let response) = outcome, response.status == 200 else {
                    refused += 1
                    continue
                }
            }
            sent += outcomes.count
        }
        return refused
    }
}
