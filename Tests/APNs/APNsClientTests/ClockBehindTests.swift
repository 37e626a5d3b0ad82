import APNsClient
import HTTP2Transport
import InMemoryLogging
import Logging
import Testing

/// An operator is notified of a slow clock.
@Suite(.timeLimit(.minutes(10)))
struct ClockBehindTests {
    private static let pushCount = 10

    @Test func `the rejection of a new provider token as expired is logged once, with its age`() async throws {
        let handler = InMemoryLogHandler()
        let first = Recorder<String?>(nil)
        let held = Recorder<[Int32]>([])
        let apns = try TestAPNs(logger: Logger(label: "test") { _ in handler }) { request, connection in
            let authorization = request.headers["authorization"]
            if first.value == nil {
                first.change { $0 = authorization }
                return HTTP2Response(status: 200)
            }
            guard authorization == first.value else { return HTTP2Response(status: 200) }
            // All pushes are sent before any is rejected.
            held.change { $0.append(request.streamID) }
            guard held.value.count == Self.pushCount else { return nil }
            for streamID in held.value { connection.respond(streamID, with: reject(403, "ExpiredProviderToken")) }
            return nil
        }
        _ = await apns.client.send(try makePush())
        apns.clock.change { $0 += 60 }
        let areAccepted = try await withThrowingTaskGroup { group in
            for number in 0..<Self.pushCount {
                let push = try makePush(number)
                group.addTask { await apns.client.send(push) == .accepted(apnsID: push.id, uniqueID: nil) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(areAccepted == Array(repeating: true, count: Self.pushCount))
        let errors = handler.entries.filter { $0.level == .error }
        #expect(
            errors.map(\.message) == [
                "APNs rejects a new provider token as expired; check whether this machine's clock is slow"
            ]
        )
        #expect(errors.map(\.metadata) == [["tokenAgeSeconds": "60"]])
    }
}
