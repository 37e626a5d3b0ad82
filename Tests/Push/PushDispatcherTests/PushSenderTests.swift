import APNsClient
import Encodings
import Foundation
import ServiceRuntime
import Synchronization
import Testing

@testable import PushDispatcher

/// The wait for the outcome of a single push.
@Suite(.timeLimit(.minutes(2)))
struct PushSenderTests {
    /// Reports the same outcome for each push, or loses all of them.
    private struct Sender: PushSender {
        let outcome: APNsOutcome?
        var address: (host: String, port: Int) { ("nowhere", 0) }
        var keyChanges: Int { 0 }

        func submit(
            _ pushes: [APNsPush],
            _ receive: @escaping @Sendable ([(index: Int, outcome: APNsOutcome)]) -> Void
        ) async {
            if let outcome { receive(pushes.indices.map { ($0, outcome) }) }
        }
    }

    private static func push() throws -> APNsPush {
        APNsPush(
            deviceToken: try #require(DeviceToken(bytes: [1, 2, 3])),
            topic: "com.example.rangers",
            pushType: .alert,
            priority: .high,
            expirationEpochSeconds: 0,
            id: UUID(),
            payload: []
        )
    }

    @Test func `an outcome that the client loses is unknown after the limit`() async throws {
        let limits = Mutex<[Duration]>([])
        let runtime = Runtime(
            now: { Timestamp(epochSeconds: 0) },
            randomBits: { 0 },
            sleep: { limit in limits.withLock { $0.append(limit) } }
        )
        let outcome = await Sender(outcome: nil).send(try Self.push(), within: .seconds(22), in: runtime)
        #expect(outcome == .unknown(.timedOut))
        #expect(limits.withLock { $0 } == [.seconds(22)])
    }

    @Test func `an outcome that arrives ends the wait for the limit`() async throws {
        let (cancelled, continuation) = AsyncStream.makeStream(of: Void.self)
        let (forever, _) = AsyncStream.makeStream(of: Void.self)
        let runtime = Runtime(
            now: { Timestamp(epochSeconds: 0) },
            randomBits: { 0 },
            sleep: { _ in
                defer { continuation.finish() }
                for await _ in forever {}
                try Task.checkCancellation()
            }
        )
        let sender = Sender(outcome: .neverSent(.shuttingDown))
        let outcome = await sender.send(try Self.push(), within: .seconds(22), in: runtime)
        #expect(outcome == .neverSent(.shuttingDown))
        // The timer is cancelled, or the test reaches its time limit.
        for await _ in cancelled {}
    }
}
