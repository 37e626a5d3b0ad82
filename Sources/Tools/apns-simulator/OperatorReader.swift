import APNsSimulator
import Encodings
import Foundation
import RangersClient
import SimulatedPlayers

/// A client for the data that operators of a game server may read.
struct OperatorReader: Sendable {
    /// The timeout of a request: enough for any response, and short enough for a waiting user.
    private static let timeout = Duration.seconds(10)
    private static let tokenCharacters: ClosedRange<UInt8> = 0x21...0x7e

    private struct Decisions: Decodable {
        let decisions: [PushDecision]
    }

    private struct Adventure: Decodable {
        let partyID: String
    }

    private struct Party: Decodable {
        struct Member: Decodable {}

        let partyID: String
        let name: String
        let inviteCode: String
        let members: [Member]
        let capacity: Int
        let adventureID: String?
    }

    /// The fields of problem+json that matter here.
    private struct ProblemBody: Decodable {
        let title: String
        let detail: String?
    }

    private let server: URL
    private let tokenFile: URL
    private let transport = PlayersTransport()

    /// Creates a client.
    /// - Parameters:
    ///   - server: the address of rangersd.
    ///   - tokenFile: a file with an operator's token; may be created later than this client.
    init(of server: URL, tokenFile: URL) {
        self.server = server
        self.tokenFile = tokenFile
    }

    /// Returns the latest decisions about pushes to an activity, oldest first; empty for an activity that the server
    /// does not know.
    func decisions(on activityID: UUID) async throws -> [PushDecision] {
        // An unknown activity was started on the page by hand, or belongs to another sender.
        let response: Decisions? = try await get("activities/\(activityID.lowercaseText)/decisions")
        return response?.decisions ?? []
    }

    /// Returns the parties of adventures, then further parties, each once, without those that the server does not know
    /// or that were disbanded.
    func parties(of adventureIDs: [UUID], and furtherPartyIDs: [String]) async throws -> [PhoneParty] {
        var partyIDs: [String] = []
        for id in adventureIDs {
            let adventure: Adventure? = try await get("adventures/\(id.lowercaseText)")
            guard let partyID = adventure?.partyID, !partyIDs.contains(partyID) else { continue }
            partyIDs.append(partyID)
        }
        for partyID in furtherPartyIDs where !partyIDs.contains(partyID) { partyIDs.append(partyID) }
        var parties: [PhoneParty] = []
        for id in partyIDs {
            guard let party: Party = try await get("parties/\(id)") else { continue }
            parties.append(
                PhoneParty(
                    partyID: party.partyID,
                    name: party.name,
                    inviteCode: party.inviteCode,
                    members: party.members.count,
                    capacity: party.capacity,
                    adventureID: party.adventureID
                )
            )
        }
        return parties
    }

    /// Returns the server's JSON about raids.
    func raids(_ part: RaidPart) async throws -> Data {
        let (path, query): (String, [URLQueryItem]) =
            switch part {
            case .list: ("raids", [URLQueryItem(name: "ended", value: "true")])
            case .rounds(let id, let after):
                (
                    "raids/\(id.lowercaseText)/rounds",
                    [("after", after), ("limit", 1_000)].compactMap { name, value in
                        value.map { URLQueryItem(name: name, value: "\($0)") }
                    }
                )
            case .ranking(let id): ("raids/\(id.lowercaseText)/ranking", [])
            }
        guard let json = try await body(of: path, query) else {
            throw PlayerProblem(
                status: 404,
                type: "unknown-raid",
                title: "Unknown raid",
                detail: "GET /api/raids lists the raids."
            )
        }
        return json
    }

    /// Reads a resource; nil if the server does not know it.
    private func get<Value: Decodable>(_ path: String) async throws -> Value? {
        try await body(of: path).map { try JSONDecoder().decode(Value.self, from: $0) }
    }

    /// Reads the JSON of a resource; nil if the server does not know it.
    private func body(of path: String, _ query: [URLQueryItem] = []) async throws -> Data? {
        var url = server.appending(path: "admin/v1/\(path)")
        if !query.isEmpty { url.append(queryItems: query) }
        let headers = ["Authorization": "Bearer \(try token)", "Accept": "application/json"]
        let response = try await transport.send(
            TransportRequest(method: "GET", url: url, headers: headers, body: nil, idleTimeout: Self.timeout)
        )
        let body = try await response.body.reduce(into: Data()) { $0 += $1 }
        switch response.status {
        case 200:
            return body
        case 404:
            return nil
        default:
            // A response that is not from the game server, such as a proxy's page, has only its status.
            let problem = try? JSONDecoder().decode(ProblemBody.self, from: body)
            throw PlayerProblem(
                status: 502,
                type: "game-server-refused",
                title: "The game server responded: \(problem?.title ?? "\(response.status)")",
                detail: problem?.detail ?? "The response has no detail."
            )
        }
    }

    private var token: String {
        get throws(PlayerProblem) {
            // An unreadable file is reported as one without a token, below.
            let text = (try? String(contentsOf: tokenFile, encoding: .utf8)) ?? ""
            let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !token.isEmpty, token.utf8.allSatisfy(Self.tokenCharacters.contains) else {
                throw PlayerProblem(
                    status: 409,
                    type: "no-operator",
                    title: "Unreadable operator token",
                    detail: "--operator-token-file must contain the token that 'rangersd operator create' prints."
                )
            }
            return token
        }
    }
}
