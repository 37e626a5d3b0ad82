import InMemoryTracing
import Instrumentation
import Tracing

/// An in-memory tracer that reads and writes `traceparent` (W3C Trace Context, section 3.2).
struct TraceContextTracer: Tracer {
    private static let field = "traceparent"

    let memory = InMemoryTracer(
        idGenerator: .init(nextTraceID: { Self.hexadecimal(digits: 32) }, nextSpanID: { Self.hexadecimal(digits: 16) }),
        recordInjections: false,
        recordExtractions: false
    )

    private static func hexadecimal(digits: Int) -> String {
        String((0..<digits).map { _ in "0123456789abcdef".randomElement() ?? "0" })
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> InMemorySpan {
        memory.startSpan(
            operationName,
            context: context(),
            ofKind: kind,
            at: instant(),
            function: function,
            file: fileID,
            line: line
        )
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = context.inMemorySpanContext else { return }
        injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: Self.field, into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout InstrumentationContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let parts = extractor.extract(key: Self.field, from: carrier)?.split(separator: "-").map(String.init) ?? []
        guard parts.count == 4 else { return }
        context.inMemorySpanContext = InMemorySpanContext(traceID: parts[1], spanID: parts[2], parentSpanID: nil)
    }
}
