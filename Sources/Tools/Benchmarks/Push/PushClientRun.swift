/// One run of our client: so many pushes to one server.
struct PushClientRun: Sendable {
    /// Pushes in one call of the bulk client: few enough that others wait while the answers to one call are gathered.
    private static let batch = 100
    /// More than fit on the streams, so that a stream that becomes free is never idle.
    private static let surplus = 2

    /// Each connection comes up while a few thousand pushes are sent.
    private static let warmUps = 100

    let peer: PushPeer
    let style: PushStyle
    let pushes: Int
    /// For the transport; the client of APNs has one, and as many streams as the server allows.
    let connections: Int
    let streams: Int

    /// Connects, warms up, and then measures.
    func measure() async throws -> PushMeasurement {
        let sender = try makeSender()
        // All streams of all connections are used before a connection more is wanted.
        var rounds = 0
        repeat {
            rounds += 1
            if rounds > Self.warmUps {
                throw MeasurementFailure("\(peer.url) does not let \(connections) connections come up")
            }
            try await send(2 * streams * connections, by: sender)
        } while await !sender.isConnected()
        let start = (clock: ContinuousClock.now, cpu: CPUTime.ownSeconds)
        let sent = try await send(pushes, by: sender)
        let (elapsed, cpu) = (ContinuousClock.now - start.clock, CPUTime.ownSeconds - start.cpu)
        await sender.end()
        return PushMeasurement(pushes: sent, seconds: elapsed / .seconds(1), cpuSeconds: cpu)
    }

    private func makeSender() throws -> PushSender {
        switch style {
        case .bulk:
            let pushesInCall = min(Self.batch, streams, pushes)
            return try .transport(to: peer, connections: connections, streams: streams, pushesInCall: pushesInCall)
        case .async: return try .transport(to: peer, connections: connections, streams: streams, pushesInCall: 1)
        case .apns: return try .apns(to: peer)
        }
    }

    /// Sends in calls that follow each other, as many at a time as keep the streams busy.
    ///
    /// - Returns: how many pushes that were: as many as wanted, but for what does not fill a call.
    @discardableResult
    private func send(_ pushes: Int, by sender: PushSender) async throws -> Int {
        let calls = pushes / sender.pushesInCall
        let callers = min(Self.surplus * max(streams * connections / sender.pushesInCall, 1), calls)
        try await withThrowingDiscardingTaskGroup { group in
            for caller in 0..<callers {
                group.addTask {
                    for call in stride(from: caller, to: calls, by: callers) { try await sender.call(call) }
                }
            }
        }
        return calls * sender.pushesInCall
    }
}
