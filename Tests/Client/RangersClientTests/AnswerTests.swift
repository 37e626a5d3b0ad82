import Foundation
import GameCore
import Testing

@testable import RangersClient

@Suite struct AnswerTests {
    private static let adventure = AdventureID(rawValue: UUID())

    private func client(_ answer: ScriptedTransport.Answer) -> PlayerClient {
        let configuration = RangersConfiguration(transport: ScriptedTransport(answer))
        return RangersServer(at: localhost(1), configuration: configuration).player(with: PlayerToken("erp_secret"))
    }

    private func problem(_ status: Int, _ body: String) async throws -> Problem {
        let answer = ScriptedTransport.Answer.answer(status, headers: ["X-REQUEST-ID": "r-1"], body)
        let error = await #expect(throws: RangersError.self) {
            try await client(answer).run(.attack, in: Self.adventure)
        }
        guard case .problem(let problem) = error else { throw try #require(error) }
        return problem
    }

    @Test func `a problem has its type, its words, its fields and its request`() async throws {
        let problem = try await problem(
            422,
            """
            {"type": "urn:emoji-rangers:problem:no-potions-left", "title": "None left", "status": 422,
            "detail": "Find one.", "errors": [{"field": "target", "reason": "must be a seat"}]}
            """
        )
        #expect(problem.status == 422)
        #expect(problem.type == ProblemType(.noPotionsLeft))
        #expect(problem.type.refusal == .noPotionsLeft)
        #expect(problem.title == "None left")
        #expect(problem.detail == "Find one.")
        #expect(problem.errors == [.init(field: "target", reason: "must be a seat")])
        #expect(problem.requestID == "r-1")
        #expect(problem.request == "POST /v1/adventures/\(Self.adventure)/commands")
        #expect(
            "\(problem)" == "\(problem.request) was refused with 422 no-potions-left: Find one.; target must be a seat"
        )
    }

    @Test func `the server knows every problem by the name that the client gives it`() {
        let named: [ProblemType] = [
            .partyFull, .unknownInviteCode, .leaderOnly, .unknownMember, .partyChanged, .adventureRunning,
            .unknownParty, .unknownAdventure, .unknownActivity, .frequentPushesFixed, .tooManyActivities,
            .idempotencyKeyReused, .missingToken, .invalidToken, .invalidFields, .tooManyRequests, .tooManyParties,
            .databaseUnavailable, .internalError,
        ]
        // Who is no member hears that there is no such adventure.
        let refusals = Refusal.allCases.filter { $0 != .notAMember }
        for type in named + refusals.map(ProblemType.init) {
            #expect(serversProblemTypes.contains(type.rawValue))
        }
        for refusal in refusals { #expect(ProblemType(refusal).refusal == refusal) }
    }

    @Test func `who answers without a problem is taken by the status`() async throws {
        let problem = try await problem(404, "<html>Not here</html>")
        #expect(problem.type == .none)
        #expect(problem.type.slug == nil)
        #expect(problem.title == "HTTP status 404")
    }

    @Test func `an event of a newer server keeps its place and its name`() async throws {
        let page = try await client(
            .answer(
                200,
                """
                {"events": [
                {"sequence": 4, "tick": 2, "at": "2027-01-15T08:00:00.125Z", "kind": "heroHurt", "hero": 1, "amount": 7,
                "cause": "hazard"},
                {"sequence": 5, "tick": 2, "at": "2027-01-15T08:00:01.000Z", "kind": "dragonHatched", "egg": 3},
                {"sequence": 6, "tick": 3, "at": "2027-01-15T08:00:02.000Z", "kind": "heroHurt", "hero": 1, "amount": 7,
                "cause": "dragon"}], "next": 6}
                """
            )
        ).events(of: Self.adventure)
        #expect(page.next == 6)
        #expect(page.events.map(\.sequence) == [4, 5, 6])
        #expect(page.events.map(\.kind) == ["heroHurt", "dragonHatched", "heroHurt"])
        #expect(page.events.map(\.event) == [.heroHurt(hero: Seat(rawValue: 1), amount: 7, cause: .hazard), nil, nil])
        #expect(page.events[0].at == Date(timeIntervalSince1970: 1_800_000_000.125))
    }

    @Test func `an answer that is none of the API's is not understood`() async throws {
        let error = await #expect(throws: RangersError.self) { try await client(.answer(200, "[]")).parties() }
        guard case .notUnderstood(let url, _) = error else { throw try #require(error) }
        #expect(url.path() == "/v1/players/me/parties")
    }

    @Test func `a token shows itself to nobody but the server`() async throws {
        let token = PlayerToken("erp_secret")
        var dumped = ""
        dump([token], to: &dumped)
        for text in ["\(token)", String(reflecting: token), "\([token])", dumped] {
            #expect(!text.contains("secret"))
        }
        let transport = ScriptedTransport(.answer(200, #"{"parties": []}"#))
        let server = RangersServer(at: localhost(1), configuration: .init(transport: transport))
        _ = try await server.player(with: token).parties()
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer erp_secret"])
    }

    @Test func `a token is kept as its text`() throws {
        let token = PlayerToken("erp_secret")
        let kept = try JSONEncoder().encode([token])
        #expect(String(decoding: kept, as: UTF8.self) == #"["erp_secret"]"#)
        #expect(try JSONDecoder().decode([PlayerToken].self, from: kept) == [token])
    }
}
