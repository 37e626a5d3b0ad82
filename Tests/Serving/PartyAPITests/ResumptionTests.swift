import HTTPServing
import Testing

@testable import PartyAPI

/// The start of a stream by query parameter and header.
@Suite struct ResumptionTests {
    private func refused(after: String? = nil, lastEventID: String? = nil) -> [String] {
        do throws(HTTPProblem) {
            _ = try Resumption(after: after, lastEventID: lastEventID)
            return []
        } catch {
            return error.errors.map(\.field)
        }
    }

    @Test func `the header takes precedence over the query, and without both a stream begins at the start`() throws {
        #expect(try Resumption(after: nil, lastEventID: nil).sequence == 0)
        #expect(try Resumption(after: "7", lastEventID: nil).sequence == 7)
        #expect(try Resumption(after: "7", lastEventID: "9").sequence == 9)
        #expect(try Resumption(after: nil, lastEventID: "2147483647").sequence == 2_147_483_647)
    }

    @Test(
        arguments: [
            "", " ", " 1", "1 ", "+1", "-1", "1.0", "1e3", "0x1", "1,2", "1;2", "1'--", "%31", "\u{661}", "1\u{0}",
            "1\n2",
            "2147483648", "99999999999999999999999", String(repeating: "9", count: 8_000),
        ]
    )
    func `a malformed or too large number is rejected by the name of its parameter`(text: String) {
        #expect(refused(after: text) == ["after"])
        #expect(refused(lastEventID: text) == ["Last-Event-ID"])
        #expect(refused(after: text, lastEventID: "1") == ["after"])
        #expect(refused(after: text, lastEventID: text) == ["after", "Last-Event-ID"])
    }
}
