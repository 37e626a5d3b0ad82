import Encodings
import Foundation
import GameCore
import GameEngine
import HTTPTypes
import Testing

@testable import PartyAPI

@Suite struct ProblemTests {
    @Test(arguments: Refusal.allCases)
    func `each refusal of the game keeps its word, but for who is not in it`(refusal: Refusal) throws {
        let problem = try #require(Problem(CommandError.adventure(refusal)))
        #expect((400..<500).contains(problem.status.code))
        if refusal == .notAMember {
            #expect(problem == Problem(CommandError.unknownAdventure))
        } else {
            #expect(problem.kind.rawValue == refusal.slug && problem.detail == refusal.explanation)
        }
    }

    @Test func `each refusal of a party has a word of its own`() throws {
        let kinds = try PartyRefusal.allCases.map { try #require(Problem(CommandError.party($0))).kind }
        #expect(Set(kinds).count == kinds.count)
    }

    @Test func `the README lists every kind of problem, and no others`() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../../README.md").standardized
        let listed = try String(contentsOf: file, encoding: .utf8).matches(
            of: /\n\| `([a-z-]+)` \| (\d{3}) \| ([^|]+) \|/
        )
        .map { "\($0.1) \($0.2) \($0.3)" }
        let kinds = Problem.Kind.allCases.sorted { ($0.status.code, $0.rawValue) < ($1.status.code, $1.rawValue) }
        #expect(listed == kinds.map { "\($0.rawValue) \($0.status.code) \($0.title)" })
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_790_000_000_007_999, "2026-09-21T14:13:20.007Z"),
            (1_790_000_000_999_999, "2026-09-21T14:13:20.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
        ] as [(Int64, String)]
    )
    func `moments are written to the millisecond, never rounded up`(microseconds: Int64, text: String) {
        #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
    }
}
