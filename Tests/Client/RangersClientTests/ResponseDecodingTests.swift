import Foundation
import GameCore
import Testing

@testable import RangersClient

@Suite struct ResponseDecodingTests {
    private static let adventure = AdventureID(rawValue: UUID())

    private func client(_ response: ScriptedTransport.Step) -> PlayerClient {
        let configuration = RangersConfiguration(transport: ScriptedTransport(response))
        return RangersServer(at: localhost(1), configuration: configuration).player(with: PlayerToken("erp_secret"))
    }

    private func problem(_ status: Int, _ body: String) async throws -> ServerProblem {
        let response = ScriptedTransport.Step.response(status, headers: ["X-REQUEST-ID": "r-1"], body)
        let error = await #expect(throws: RangersError.self) {
            try await client(response).run(.attack, in: Self.adventure)
        }
        guard case .problem(let problem) = error else { throw try #require(error) }
        return problem
    }

    @Test func `a problem has its type, texts, fields and request`() async throws {
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
            "\(problem)" == "\(problem.request) failed with 422 no-potions-left: Find one.; target must be a seat"
        )
    }

    @Test func `the server knows every problem type of the client`() {
        let named: [ProblemType] = [
            .partyFull, .unknownInviteCode, .leaderOnly, .unknownMember, .partyChanged, .adventureRunning,
            .unknownParty, .unknownAdventure, .unknownActivity, .frequentPushesFixed, .tooManyActivities,
            .idempotencyKeyReused, .missingToken, .invalidToken, .invalidFields, .tooManyRequests, .tooManyParties,
            .quotaExceeded, .databaseUnavailable, .tookTooLong, .internalError, .raidNotFound, .raidNotStarted,
            .raidOver, .unknownLink,
        ]
        // The API reports an unknown adventure to players who are not members.
        let refusals = AdventureRefusal.allCases.filter { $0 != .notAMember }
        for type in named + refusals.map(ProblemType.init) {
            #expect(serversProblemTypes.contains(type.rawValue))
        }
        for refusal in refusals { #expect(ProblemType(refusal).refusal == refusal) }
    }

    @Test func `a response without a problem has only its status`() async throws {
        let problem = try await problem(404, "<html>Not here</html>")
        #expect(problem.type == .none)
        #expect(problem.type.slug == nil)
        #expect(problem.title == "HTTP status 404 without an explanation")
        #expect(problem.detail == nil)
    }

    @Test func `an unknown event of a newer server keeps its sequence and its kind`() async throws {
        let page = try await client(
            .response(
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

    @Test func `a response that does not conform to the API is malformed`() async throws {
        let error = await #expect(throws: RangersError.self) { try await client(.response(200, "[]")).parties() }
        guard case .malformedResponse(let url, _) = error else { throw try #require(error) }
        #expect(url.path() == "/v1/players/me/parties")
    }

    @Test func `a token is sent to the server and never printed`() async throws {
        let token = PlayerToken("erp_secret")
        var dumped = ""
        dump([token], to: &dumped)
        for text in ["\(token)", String(reflecting: token), "\([token])", dumped] {
            #expect(!text.contains("secret"))
        }
        let transport = ScriptedTransport(.response(200, #"{"parties": []}"#))
        let server = RangersServer(at: localhost(1), configuration: .init(transport: transport))
        _ = try await server.player(with: token).parties()
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer erp_secret"])
    }

    @Test func `a token is coded as a string`() throws {
        let token = PlayerToken("erp_secret")
        let data = try JSONEncoder().encode([token])
        #expect(String(decoding: data, as: UTF8.self) == #"["erp_secret"]"#)
        #expect(try JSONDecoder().decode([PlayerToken].self, from: data) == [token])
    }
}
