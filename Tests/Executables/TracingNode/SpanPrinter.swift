import Foundation
import InMemoryTracing
import ServiceLifecycle
import Tracing

/// Prints the finished spans: `span TRACE PARENT SPAN NAME KEY=VALUE…`.
struct SpanPrinter: Service {
    let tracer: TraceContextTracer

    func run() async {
        // Only the shutdown ends the loop.
        try? await cancelWhenGracefulShutdown {
            while true {
                printSpans()
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        printSpans()
    }

    private func printSpans() {
        for span in tracer.memory.popFinishedSpans() {
            var attributes: [String] = []
            // The attributes are not a sequence.
            // swift-format-ignore: ReplaceForEachWithForLoop
            span.attributes.forEach { key, value in attributes.append("\(key)=\(text(of: value))") }
            let line = ["span", span.traceID, span.parentSpanID ?? "-", span.spanID, span.operationName]
            // Not buffered, unlike `print`.
            FileHandle.standardOutput.write(Data("\((line + attributes.sorted()).joined(separator: " "))\n".utf8))
        }
    }

    private func text(of attribute: SpanAttribute) -> String {
        switch attribute {
        case .int64(let number): "\(number)"
        case .string(let text): text
        default: "\(attribute)"
        }
    }
}
