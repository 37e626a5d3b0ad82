import CommandLineSupport
import Foundation
import Testing

@testable import OperatorCommands

/// What is tried again, and for how long.
@Suite struct PatienceTests {
    @Test func `waits grow, and end a minute after the first failure`() {
        var patience = Patience()
        var elapsed = Duration.zero
        var waits: [Duration] = []
        while let wait = patience.nextWait(after: elapsed) {
            waits.append(wait)
            elapsed += wait
        }
        #expect(waits.prefix(5) == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        #expect(waits.allSatisfy { $0 <= .seconds(8) } && elapsed == Patience.limit)
        // A try may take long itself.
        #expect(patience.nextWait(after: .seconds(90)) == nil)
    }

    private static let server = URL(filePath: "/")

    private static func refusal(_ status: Int, _ type: String = "other") -> OperatorClientError {
        let body = #"{"type":"urn:emoji-rangers:problem:\#(type)","title":"No","status":\#(status)}"#
        return .refused(Problem(status: status, body: Data(body.utf8)))
    }

    @Test(
        arguments: [
            (OperatorClientError.unreachable(server, reason: "", mayHaveArrived: true), true, true),
            (.unreachable(server, reason: "", mayHaveArrived: false), true, false),
            (refusal(503), true, true), (refusal(502), true, true), (refusal(500), true, false),
            (refusal(429), true, false), (refusal(409), false, false), (refusal(422), false, false),
            (.notUnderstood(server), false, false), (.wrongUsage("no"), false, false),
        ]
    )
    func `what may pass is tried again, and what may have been done is not given up`(
        error: OperatorClientError,
        mayPass: Bool,
        leavesOpen: Bool
    ) {
        #expect(error.mayPass == mayPass && error.leavesOpen == leavesOpen)
    }

    @Test func `where the server says what it misses, that is told, and a long try is not made again`() {
        let missing = [Problem.FieldError(field: "database", reason: "The database does not answer in time.")]
        let late = Self.refusal(503, "took-too-long")
        let error = OperatorClientError.notReady(late, missing: missing)
        #expect(late.isExplainedByWhatIsMissing && !Self.refusal(503).isExplainedByWhatIsMissing)
        #expect(
            error.explanation == """
                the server gave up: No. It says what it misses:
                  database: The database does not answer in time.
                Mend that first; 'rangersctl doctor' tells more.
                """
        )
        #expect(error.summary == "the server gave up: No (it misses: database)")
        #expect(error.mayPass && error.leavesOpen && error.exitStatus == .unreachable)
        #expect(Patience.isEnough(after: error, which: .seconds(35)))
        #expect(!Patience.isEnough(after: error, which: .seconds(2)))
        #expect(!Patience.isEnough(after: late, which: .seconds(35)))
    }

    @Test func `what the server does not take is wrong usage, and says which words are`() {
        let body = """
            {"type":"urn:emoji-rangers:problem:invalid-fields","title":"Some fields are not as they must be","status":422,
             "detail":"It is in 'errors'.","errors":[{"field":"boss","reason":"must be one of glitch, cinderwing"}]}
            """
        let error = OperatorClientError.refused(Problem(status: 422, body: Data(body.utf8)))
        #expect(error.exitStatus == .wrongUsage)
        #expect(error.explanation == "the server does not take this:\n  boss: must be one of glitch, cinderwing")
        #expect(Self.refusal(422).exitStatus == .failed)
    }
}
