import Encodings
import Foundation
import GameCore
import GameEngine
import HTTPServing
import HTTPTypes
import Testing

@testable import PartyAPI

@Suite struct ProblemTests {
    @Test(arguments: AdventureRefusal.allCases)
    func `each refusal of the game has a problem of the same name, except for non-members`(refusal: AdventureRefusal)
        throws
    {
        let problem = try #require(HTTPProblem(CommandError.adventure(refusal)))
        #expect((400..<500).contains(problem.status.code))
        if refusal == .notAMember {
            #expect(problem == HTTPProblem(CommandError.unknownAdventure))
        } else {
            #expect(problem.kind.name == refusal.slug && problem.detail == refusal.explanation)
        }
    }

    @Test func `each refusal of a party has a problem of its own`() throws {
        let kinds = try PartyRefusal.allCases.map { try #require(HTTPProblem(CommandError.party($0))).kind }
        #expect(Set(kinds).count == kinds.count)
    }

    @Test func `the names of all kinds of problems differ`() {
        let kinds = HTTPProblem.Kind.all
        #expect(Set(kinds.map(\.name)).count == kinds.count)
    }
}
