import Foundation
public import GameLog
public import Instrumentation
import PostgresClient

extension TraceCarrier {
    /// The maximum size of all fields together: `traceparent` has 55 characters, and W3C asks for 512 of `tracestate`.
    ///
    /// A client can send a longer context, which must not grow the log.
    static let maxBytes = 1_024

    /// Creates a carrier of the current task's context.
    ///
    /// - Returns: nil without a context, or if it is too large.
    static var current: Self? {
        guard let context = InstrumentationContext.current else { return nil }
        var carrier = Self(fields: [:])
        InstrumentationSystem.instrument.inject(context, into: &carrier, using: FieldInjector())
        let bytes = carrier.fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        return bytes > 0 && bytes <= maxBytes ? carrier : nil
    }

    /// The context, as the tracer of this process reads it.
    public var context: InstrumentationContext {
        var context = InstrumentationContext.topLevel
        InstrumentationSystem.instrument.extract(self, into: &context, using: FieldExtractor())
        return context
    }

    private struct FieldInjector: Injector {
        func inject(_ value: String, forKey key: String, into carrier: inout TraceCarrier) {
            carrier.fields[key] = value
        }
    }

    private struct FieldExtractor: Extractor {
        func extract(key: String, from carrier: TraceCarrier) -> String? { carrier.fields[key] }
    }
}

// MARK: - In the body of log entries

/// In `log.body`, a second line: a JSON object of the fields. Nothing else depends on it, so it is not a column.
extension TraceCarrier {
    /// Reads the carrier of a log entry; nil if its body has none.
    init?(body: String) {
        guard let end = body.firstIndex(of: "\n") else { return nil }
        let line = Data(body[body.index(after: end)...].utf8)
        guard let fields = try? JSONDecoder().decode([String: String].self, from: line) else { return nil }
        self.init(fields: fields)
    }

    /// Returns a body, a line, with this carrier.
    func added(to body: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return body + "\n" + String(decoding: try encoder.encode(fields), as: UTF8.self)
        } catch {
            preconditionFailure("a dictionary of texts cannot be encoded: \(error)")
        }
    }
}
