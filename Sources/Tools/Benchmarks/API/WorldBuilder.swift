import GameCore
import GameEngine
import GameStore
import HTTPTypes
import PartyAPI

/// Makes players, parties and fights, one by one.
struct WorldBuilder: Sendable {
    private static let `operator` = AuditAuthor(operator: "bench", requestID: nil)

    let commands: GameCommands

    /// A player registers.
    var registration: PreparedRequest {
        PreparedRequest(.post, "/v1/players", body: #"{"displayName":"Ranger","hero":"spouty"}"#)
    }

    /// A party that has been set a boss.
    func fight(_ number: Int, fighters count: Int) async throws -> APIFight {
        let leader = try await player()
        let party = try await party(of: leader)
        var tokens = [leader.token]
        for _ in 1..<count {
            let member = try await player()
            _ = try await commands.join(code: party.code, player: member.id, request: nil) { _ in Self.noAnswer }
            tokens.append(member.token)
        }
        let boss = BossCatalogue.all[number % BossCatalogue.all.count].id
        let stored = try await commands.startBossFight(of: party.id, against: boss, by: Self.operator)
        return APIFight(id: stored.id, tokens: tokens)
    }

    /// Requests of as many players to join one party.
    func newcomers(_ count: Int, party number: Int) async throws -> [PreparedRequest] {
        let party = try await party(of: try await player())
        var requests: [PreparedRequest] = []
        for seat in 0..<count {
            requests.append(
                PreparedRequest(
                    .post,
                    "/v1/parties/join",
                    token: try await player().token,
                    key: "join-\(number)-\(seat)",
                    body: #"{"inviteCode":"\#(party.code.rawValue)"}"#,
                    shard: party.id.shard.rawValue
                )
            )
        }
        return requests
    }

    private static var noAnswer: Answer { Answer(status: 200, body: "") }

    private func player() async throws -> (id: PlayerID, token: String) {
        var generator = SystemRandomNumberGenerator()
        let token = BearerToken(for: .player, using: &generator)
        let hero = HeroCatalogue.all[Int(generator.next() % UInt64(HeroCatalogue.all.count))].id
        let player = try await commands.register(displayName: try Name("Ranger"), hero: hero, tokenHash: token.hash)
        return (player.id, token.text)
    }

    private func party(of leader: (id: PlayerID, token: String)) async throws -> (id: PartyID, code: InviteCode) {
        let answer = try await commands.createParty(
            named: try Name("The Rangers"),
            capacity: Party.largestCapacity,
            founder: leader.id,
            request: nil
        ) { Answer(status: 201, body: "\($0.id) \($0.inviteCode.rawValue)") }
        let words = answer.body.split(separator: " ")
        guard words.count == 2, let id = PartyID(String(words[0])) else {
            throw MeasurementFailure("A party was not created")
        }
        return (id, InviteCode(rawValue: String(words[1])))
    }
}

/// A boss fight, and whose it is.
struct APIFight: Sendable {
    let id: AdventureID
    let tokens: [String]

    /// One of its players looks at it; they take turns.
    func state(turn: Int) -> PreparedRequest {
        PreparedRequest(.get, "/v1/adventures/\(id)", token: tokens[turn % tokens.count])
    }

    /// One of its players chooses a policy; they take turns.
    func command(turn: Int, round: Int) -> PreparedRequest {
        let policy = TurnPolicy.allCases[turn % TurnPolicy.allCases.count].rawValue
        return PreparedRequest(
            .post,
            "/v1/adventures/\(id)/commands",
            token: tokens[turn % tokens.count],
            key: "command-\(round)-\(turn)",
            body: #"{"type":"policy","policy":"\#(policy)"}"#,
            shard: id.shard.rawValue
        )
    }
}
