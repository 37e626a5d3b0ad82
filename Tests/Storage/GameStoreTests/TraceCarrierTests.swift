import GameCore
import InMemoryTracing
import PostgresClient
import Testing
import Tracing

@testable import GameStore

@Suite struct TraceCarrierTests {
    private let shard = Shard(rawValue: 42)

    @Test func `log entries carry the trace of the request that caused them`() async throws {
        let tracer = InMemoryTracer()
        try await withTracer(tracer) {
            try await withStore { store, _ in
                let fight = try await storedFight(in: store, shard: shard)
                let opening = try await store.log(of: shard, after: 0, limit: 1_000)
                #expect(!opening.isEmpty && opening.allSatisfy { $0.trace == nil })
                let traceID = try await withSpan("request") { span in
                    try await store.withShard(shard, at: noon) { transaction in
                        var stored = try #require(try await transaction.adventure(fight.id))
                        try transaction.append(try stored.adventure.advance(.tick), of: stored)
                        try transaction.update(stored)
                    }
                    return try #require(span.context.inMemorySpanContext?.traceID)
                }
                let entries = try await store.log(of: shard, after: Int64(opening.count), limit: 1_000)
                #expect(!entries.isEmpty)
                for entry in entries {
                    #expect(entry.trace?.context.inMemorySpanContext?.traceID == traceID)
                    guard case .event = entry.content else { throw UnexpectedEntry() }
                }
            }
        }
    }

    @Test func `a context beyond the limit is not stored`() async throws {
        for (length, isStored) in [(900, true), (1_024, false)] {
            let id = String(repeating: "0", count: length)
            let tracer = InMemoryTracer(idGenerator: .init(nextTraceID: { id }, nextSpanID: { "1" }))
            withTracer(tracer) {
                withSpan("request") { _ in #expect((TraceCarrier.current != nil) == isStored) }
            }
        }
        #expect(TraceCarrier.current == nil)
    }

    @Test func `a body that contains the word elsewhere has no trace`() {
        #expect(TraceCarrier(body: JSONB(#"{"kind":"said","text":"\"trace\""}"#)) == nil)
        #expect(TraceCarrier(body: JSONB(#"{"kind":"trace"}"#)) == nil)
    }

    private struct UnexpectedEntry: Error {}
}
