import Testing

@testable import RangersClient

@Suite struct LetterBoxTests {
    /// What is done to a box, one line per event: what it asks for.
    private struct Transcript {
        private var box = LetterBox<String>()
        private(set) var lines: [String] = []

        mutating func post(_ content: String, isLast: Bool = false) {
            let letter = LetterBox<String>.Letter(content: content, key: .init(rawValue: content), isLast: isLast)
            add("post \(content)", box.posted(letter))
        }

        mutating func end(_ outcome: LetterBox<String>.Outcome) {
            add("\(outcome)", box.attemptEnded(outcome))
        }

        mutating func pauseEnds() {
            add("pause ends", box.pauseEnded())
        }

        private mutating func add(_ event: String, _ action: LetterBox<String>.Action) {
            let answer =
                switch action {
                case .send(let letter): "send \(letter.content)"
                case .pause(let failures, let retryAfter):
                    "pause \(failures)" + (retryAfter.map { ", at least \($0)" } ?? "")
                case .finish: "finish"
                case .nothing: "nothing"
                }
            lines.append("\(event): \(answer)")
        }
    }

    @Test func `of what waits for an answer only the newest is sent, and only then`() {
        var transcript = Transcript()
        transcript.post("A")
        transcript.post("B")
        transcript.post("C")
        transcript.end(.delivered)
        transcript.end(.delivered)
        transcript.post("D")
        #expect(
            transcript.lines == [
                "post A: send A", "post B: nothing", "post C: nothing", "delivered: send C", "delivered: nothing",
                "post D: send D",
            ]
        )
    }

    @Test func `what was lost is sent again until it is delivered, or the newer in its place`() {
        var transcript = Transcript()
        transcript.post("A")
        transcript.end(.failed(retryAfter: nil))
        transcript.pauseEnds()
        transcript.end(.failed(retryAfter: .seconds(7)))
        transcript.post("B")
        transcript.pauseEnds()
        transcript.post("C")
        transcript.end(.failed(retryAfter: nil))
        transcript.pauseEnds()
        transcript.end(.delivered)
        transcript.post("D")
        transcript.end(.failed(retryAfter: nil))
        #expect(
            transcript.lines == [
                "post A: send A", "failed(retryAfter: nil): pause 1", "pause ends: send A",
                "failed(retryAfter: Optional(7.0 seconds)): pause 2, at least 7.0 seconds", "post B: nothing",
                "pause ends: send B", "post C: nothing", "failed(retryAfter: nil): pause 3", "pause ends: send C",
                "delivered: nothing", "post D: send D", "failed(retryAfter: nil): pause 1",
            ]
        )
    }

    @Test func `a refusal is not sent again, and does not stop what comes after it`() {
        var transcript = Transcript()
        transcript.post("A")
        transcript.end(.refused)
        transcript.post("B")
        transcript.post("C")
        transcript.end(.refused)
        #expect(
            transcript.lines == [
                "post A: send A", "refused: nothing", "post B: send B", "post C: nothing", "refused: send C",
            ]
        )
    }

    @Test(arguments: [LetterBox<String>.Outcome.delivered, .refused])
    func `nothing is sent after the last`(outcome: LetterBox<String>.Outcome) {
        var transcript = Transcript()
        transcript.post("A")
        transcript.post("end", isLast: true)
        transcript.post("B")
        transcript.end(.failed(retryAfter: nil))
        transcript.post("C")
        transcript.pauseEnds()
        transcript.post("D")
        transcript.end(outcome)
        transcript.post("E")
        #expect(
            transcript.lines == [
                "post A: send A", "post end: nothing", "post B: nothing", "failed(retryAfter: nil): pause 1",
                "post C: nothing", "pause ends: send end", "post D: nothing", "\(outcome): finish", "post E: nothing",
            ]
        )
    }
}
