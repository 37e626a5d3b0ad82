import Encodings
import GameCore
import GameLog
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

    @Test func `an identifier has the digest of the events up to it`() throws {
        let resumption = try Resumption(after: "7", lastEventID: "9-0123abcd")
        #expect(resumption == Resumption(sequence: 9, mark: "0123abcd"))
        let wrongMarks = ["", "0123abc", "0123abcde", "0123abcg", "0123ABCD", "0123-bcd", "-0123abc"]
        for wrong in wrongMarks.map({ "9-\($0)" }) + ["-0123abcd"] {
            #expect(refused(lastEventID: wrong) == ["Last-Event-ID"], "\(wrong)")
        }
        #expect(refused(after: "9-0123abcd") == ["after"])
    }

    @Test func `an event is lost if the adventure has another one of its sequence, or none`() {
        func events(_ heroes: Int..., at seconds: Int64 = 0) -> [StreamEvent] {
            var digest = EventDigest()
            let stored = heroes.enumerated().map { index, hero in
                StoredEvent(
                    sequence: index + 1,
                    tick: 0,
                    at: Timestamp(epochSeconds: seconds),
                    event: .heroDown(hero: Seat(rawValue: hero))
                )
            }
            return StreamEvent.marked(stored, after: &digest)
        }
        let known = events(1, 2, 3)
        let resumption = Resumption(sequence: 2, mark: known[1].mark)
        #expect(!resumption.isLost(from: known) && !resumption.isLost(from: events(1, 2)))
        // The second event is the same, and the one before it, its moment or its sequence is not.
        #expect(resumption.isLost(from: events(0, 2, 3)) && resumption.isLost(from: events(1)))
        #expect(resumption.isLost(from: events(1, 2, at: 1)))
        #expect(!Resumption(sequence: 2).isLost(from: events(0, 2)) && !Resumption(sequence: 0).isLost(from: []))
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
