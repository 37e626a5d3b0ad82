import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import InMemoryTracing
import TestSupport
import Testing
import Tracing

@testable import PushDispatcher

/// The spans of pushes.
@Suite struct PushTracingTests {
    @Test func `a push continues the trace of the newest request, and links to earlier ones`() async throws {
        let tracer = InMemoryTracer()
        @Sendable func pushes() -> [FinishedInMemorySpan] {
            tracer.finishedSpans.filter { $0.operationName.hasPrefix("push ") }
        }
        try await withTracer(tracer) {
            try await DispatchWorld.with { world in
                let (stored, _, players) = try await world.fight()
                let id = newActivity()
                let registration = try await withSpan("registration") { span in
                    try await world.register(newToken(), as: id, of: players[0], for: stored)
                    return span.context.inMemorySpanContext
                }
                let request = try await withSpan("request") { span in
                    _ = try await world.commands.push(.update, to: id, by: .test)
                    return span.context.inMemorySpanContext
                }
                try await world.dispatching {
                    let push = try await eventually("a push") { pushes().first }
                    #expect(push.operationName == "push update" && push.kind == .client)
                    #expect(push.traceID == request?.traceID && push.parentSpanID == request?.spanID)
                    #expect(push.links.map(\.context.inMemorySpanContext?.traceID) == [registration?.traceID])
                    #expect(push.attributes.get("http.response.status_code") == .int64(200))
                    // What APNs has accepted is not continued again.
                    _ = try await world.commands.end(stored.id, by: .test)
                    let end = try await eventually("the end") { pushes().first { $0.operationName == "push end" } }
                    let command = tracer.finishedSpans.first { $0.operationName == "command end" }
                    #expect(end.parentSpanID == command?.spanID && end.links.isEmpty)
                }
            }
        }
    }
}
