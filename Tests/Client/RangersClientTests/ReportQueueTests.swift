import Testing

@testable import RangersClient

@Suite struct ReportQueueTests {
    /// A transcript of a queue: one line for each event, with the resulting action.
    private struct Transcript {
        private var queue = ReportQueue<String>()
        private(set) var lines: [String] = []

        mutating func enqueue(_ content: String, isLast: Bool = false) {
            let report = ReportQueue<String>.Report(content: content, key: .init(rawValue: content), isLast: isLast)
            add("enqueue \(content)", queue.enqueued(report))
        }

        mutating func end(_ outcome: ReportQueue<String>.Outcome) {
            add("\(outcome)", queue.attemptEnded(outcome))
        }

        mutating func pauseEnds() {
            add("pause ends", queue.pauseEnded())
        }

        private mutating func add(_ event: String, _ action: ReportQueue<String>.Action) {
            let text =
                switch action {
                case .send(let report): "send \(report.content)"
                case .pause(let failures, let retryAfter):
                    "pause \(failures)" + (retryAfter.map { ", at least \($0)" } ?? "")
                case .finish: "finish"
                case .nothing: "nothing"
                }
            lines.append("\(event): \(text)")
        }
    }

    @Test func `only the newest waiting report is sent, after the response to the one in flight`() {
        var transcript = Transcript()
        transcript.enqueue("A")
        transcript.enqueue("B")
        transcript.enqueue("C")
        transcript.end(.delivered)
        transcript.end(.delivered)
        transcript.enqueue("D")
        #expect(
            transcript.lines == [
                "enqueue A: send A", "enqueue B: nothing", "enqueue C: nothing", "delivered: send C",
                "delivered: nothing",
                "enqueue D: send D",
            ]
        )
    }

    @Test func `a failed report is retried until it is delivered or superseded`() {
        var transcript = Transcript()
        transcript.enqueue("A")
        transcript.end(.failed(retryAfter: nil))
        transcript.pauseEnds()
        transcript.end(.failed(retryAfter: .seconds(7)))
        transcript.enqueue("B")
        transcript.pauseEnds()
        transcript.enqueue("C")
        transcript.end(.failed(retryAfter: nil))
        transcript.pauseEnds()
        transcript.end(.delivered)
        transcript.enqueue("D")
        transcript.end(.failed(retryAfter: nil))
        #expect(
            transcript.lines == [
                "enqueue A: send A", "failed(retryAfter: nil): pause 1", "pause ends: send A",
                "failed(retryAfter: Optional(7.0 seconds)): pause 2, at least 7.0 seconds", "enqueue B: nothing",
                "pause ends: send B", "enqueue C: nothing", "failed(retryAfter: nil): pause 3", "pause ends: send C",
                "delivered: nothing", "enqueue D: send D", "failed(retryAfter: nil): pause 1",
            ]
        )
    }

    @Test func `a rejected report is not retried, and does not stop the next one`() {
        var transcript = Transcript()
        transcript.enqueue("A")
        transcript.end(.rejected)
        transcript.enqueue("B")
        transcript.enqueue("C")
        transcript.end(.rejected)
        #expect(
            transcript.lines == [
                "enqueue A: send A", "rejected: nothing", "enqueue B: send B", "enqueue C: nothing", "rejected: send C",
            ]
        )
    }

    @Test(arguments: [ReportQueue<String>.Outcome.delivered, .rejected])
    func `nothing is sent after the last report`(outcome: ReportQueue<String>.Outcome) {
        var transcript = Transcript()
        transcript.enqueue("A")
        transcript.enqueue("end", isLast: true)
        transcript.enqueue("B")
        transcript.end(.failed(retryAfter: nil))
        transcript.enqueue("C")
        transcript.pauseEnds()
        transcript.enqueue("D")
        transcript.end(outcome)
        transcript.enqueue("E")
        #expect(
            transcript.lines == [
                "enqueue A: send A", "enqueue end: nothing", "enqueue B: nothing", "failed(retryAfter: nil): pause 1",
                "enqueue C: nothing", "pause ends: send end", "enqueue D: nothing", "\(outcome): finish",
                "enqueue E: nothing",
            ]
        )
    }
}
