import Foundation
import RangersClient
import Testing

@testable import OperatorCommands

@Suite struct ServerProblemTextTests {
    private func text(_ body: String, status: Int = 409) -> String {
        ServerProblem(status: status, body: Data(body.utf8), request: "").text
    }

    @Test func `a problem has its title and detail`() {
        let body = #"{"type":"urn:x","title":"Adventure running","status":409,"detail":"Wait until it is over."}"#
        #expect(text(body) == "Adventure running: Wait until it is over.")
    }

    @Test func `each invalid field has a line`() {
        let body = """
            {"title": "Bad fields", "errors": [
                {"field": "boss", "reason": "there is no wolf"}, {"field": "partyID", "reason": "is no UUID"}
            ]}
            """
        #expect(text(body) == "Bad fields\n  boss: there is no wolf\n  partyID: is no UUID")
    }

    @Test(arguments: ["", "<html>Bad Gateway</html>", "{}", "[1]"])
    func `a response without a problem has only its status`(body: String) {
        #expect(text(body, status: 502) == "HTTP status 502 without an explanation")
    }

    @Test func `a problem cannot steer the terminal`() {
        #expect(text(#"{"title": "\u001b[2J"}"#) == "\u{FFFD}[2J")
    }
}
