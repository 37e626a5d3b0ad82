/// A trace context as text, so that a log entry can carry the trace of the request that caused it to the push that
/// shows it, on any node.
///
/// The tracer chooses the fields; those of W3C Trace Context are `traceparent` and `tracestate`. Without a tracer there
/// are none.
public struct TraceCarrier: Sendable, Hashable {
    /// The fields of the context.
    package var fields: [String: String]

    /// Creates a carrier of a context's fields.
    package init(fields: [String: String]) { self.fields = fields }
}
