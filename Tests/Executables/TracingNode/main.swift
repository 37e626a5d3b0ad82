// `rangersd` with a tracer: the program of docs/tracing.md, with an exporter that prints each span as a line.

import InMemoryTracing
import RangersNode
import Tracing

let tracer = TraceContextTracer()
InstrumentationSystem.bootstrap(tracer)
await Rangersd.main(adding: [SpanPrinter(tracer: tracer)])
