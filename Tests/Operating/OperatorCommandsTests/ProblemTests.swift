import Foundation
import Testing

@testable import OperatorCommands

@Suite struct ProblemTests {
    private func text(_ body: String, status: Int = 409) -> String {
        Problem(status: status, body: Data(body.utf8)).text
    }

    @Test func `a problem is told by title and detail`() {
        let body = #"{"type":"urn:x","title":"Adventure running","status":409,"detail":"Wait until it is over."}"#
        #expect(text(body) == "Adventure running: Wait until it is over.")
    }

    @Test func `every bad field has a line`() {
        let body = """
            {"title": "Bad fields", "errors": [
                {"field": "boss", "reason": "there is no wolf"}, {"field": "partyID", "reason": "is no UUID"}
            ]}
            """
        #expect(text(body) == "Bad fields\n  boss: there is no wolf\n  partyID: is no UUID")
    }

    @Test(arguments: ["", "<html>Bad Gateway</html>", "{}", "[1]"])
    func `what is no problem of ours has only its status`(body: String) {
        #expect(text(body, status: 502) == "the server answered 502 without saying why")
    }

    @Test func `a problem cannot steer the terminal`() {
        #expect(text(#"{"title": "\u001b[2J"}"#) == "\u{FFFD}[2J")
    }
}
