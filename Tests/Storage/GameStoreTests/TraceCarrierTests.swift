import GameCore
import GameLog
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
                    try await store.withShard(shard) { transaction in
                        var stored = try #require(try await transaction.adventure(fight.id))
                        _ = try await transaction.apply(.end, to: &stored)
                    }
                    return try #require(span.context.inMemorySpanContext?.traceID)
                }
                let entries = try await store.log(of: shard, after: Int64(opening.count), limit: 1_000)
                #expect(entries.count == 2)
                for entry in entries { #expect(entry.trace?.context.inMemorySpanContext?.traceID == traceID) }
                guard case .input(.end) = entries.first?.content else { throw UnexpectedEntry() }
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

    @Test(arguments: ["", "end", "end\n", "end\nnonsense", "end\n{}{", "end\n[1]"])
    func `a body without a second line, or with a damaged one, has no trace`(body: String) {
        #expect(TraceCarrier(body: body) == nil)
    }

    private struct UnexpectedEntry: Error {}
}
