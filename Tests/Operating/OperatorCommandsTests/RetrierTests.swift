import CommandLineSupport
import Foundation
import RangersClient
import Testing

@testable import OperatorCommands

/// The errors that are retried, and the delays between the attempts.
@Suite struct RetrierTests {
    @Test func `delays grow, and end a minute after the first failure`() {
        var schedule = RetrySchedule()
        var elapsed = Duration.zero
        var delays: [Duration] = []
        while let delay = schedule.nextDelay(after: elapsed) {
            delays.append(delay)
            elapsed += delay
        }
        #expect(delays.prefix(5) == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        #expect(delays.allSatisfy { $0 <= .seconds(8) } && elapsed == RetrySchedule.timeLimit)
        // The last attempt may end after the time limit.
        #expect(schedule.nextDelay(after: .seconds(90)) == nil)
    }

    private static let server = URL(filePath: "/")

    private static func problem(_ status: Int, _ type: String = "other") -> OperatorClientError {
        let body = #"{"type":"urn:emoji-rangers:problem:\#(type)","title":"No","status":\#(status)}"#
        return .problem(ServerProblem(status: status, body: Data(body.utf8), request: ""))
    }

    @Test(
        arguments: [
            (OperatorClientError.unreachable(server, reason: "", mayHaveArrived: true), true, true),
            (.unreachable(server, reason: "", mayHaveArrived: false), true, false),
            (problem(503), true, true), (problem(502), true, true), (problem(500), true, false),
            (problem(429), true, false), (problem(409), false, false), (problem(422), false, false),
            (.malformedResponse(server), false, false), (.wrongUsage("no"), false, false),
        ]
    )
    func `errors are classified as transient and of unknown outcome`(
        error: OperatorClientError,
        isTransient: Bool,
        isOutcomeUnknown: Bool
    ) {
        #expect(error.isTransient == isTransient && error.isOutcomeUnknown == isOutcomeUnknown)
    }

    @Test func `failed readiness checks explain a timeout, and prevent long retries`() {
        let failedChecks = [
            ServerProblem.FieldError(field: "database", reason: "The database does not answer in time.")
        ]
        let late = Self.problem(503, "took-too-long")
        let error = OperatorClientError.notReady(late, failedChecks: failedChecks)
        #expect(late.isTimeout && !Self.problem(503).isTimeout)
        #expect(
            error.explanation == """
                the server gave up: No. It is not ready:
                  database: The database does not answer in time.
                Fix that first; see 'rangersctl doctor'.
                """
        )
        #expect(error.summary == "the server gave up: No (not ready: database)")
        #expect(error.isTransient && error.isOutcomeUnknown && error.exitStatus == .unreachable)
        #expect(RetrySchedule.isPointless(after: error, attemptDuration: .seconds(35)))
        #expect(!RetrySchedule.isPointless(after: error, attemptDuration: .seconds(2)))
        #expect(!RetrySchedule.isPointless(after: late, attemptDuration: .seconds(35)))
    }

    @Test func `invalid fields are wrong usage, with the valid values`() {
        let body = """
            {"type":"urn:emoji-rangers:problem:invalid-fields","title":"Some fields are not as they must be","status":422,
             "detail":"It is in 'errors'.","errors":[{"field":"boss","reason":"must be one of glitch, cinderwing"}]}
            """
        let error = OperatorClientError.problem(ServerProblem(status: 422, body: Data(body.utf8), request: ""))
        #expect(error.exitStatus == .wrongUsage)
        #expect(error.explanation == "the server rejects the request:\n  boss: must be one of glitch, cinderwing")
        #expect(Self.problem(422).exitStatus == .failed)
    }
}
