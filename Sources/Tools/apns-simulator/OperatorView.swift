import APNsSimulator
import Foundation
import RangersClient
import SimulatedPlayers

/// What the operators of a game server may know.
struct OperatorView: Sendable {
    /// How long the server may take: long enough for any answer, short enough for somebody who waits.
    private static let patience = Duration.seconds(10)
    private static let tokenCharacters: ClosedRange<UInt8> = 0x21...0x7e

    private struct Decisions: Decodable {
        let decisions: [PushDecision]
    }

    /// Of problem+json, as much as matters here.
    private struct Refusal: Decodable {
        let title: String
        let detail: String?
    }

    private let server: URL
    private let tokenFile: URL
    private let transport = PlayersTransport()

    /// - Parameters:
    ///   - server: where rangersd is.
    ///   - tokenFile: holds an operator's token; need not be there before somebody asks.
    init(of server: URL, tokenFile: URL) {
        self.server = server
        self.tokenFile = tokenFile
    }

    /// What was decided lately about pushes to an activity, oldest first; nothing for one that the server does not know.
    func decisions(on activityID: UUID) async throws -> [PushDecision] {
        let url = server.appending(path: "admin/v1/activities/\(activityID.uuidString.lowercased())/decisions")
        let headers = ["Authorization": "Bearer \(try token)", "Accept": "application/json"]
        let answer = try await transport.send(
            TransportRequest(method: "GET", url: url, headers: headers, body: nil, longestSilence: Self.patience)
        )
        let body = try await answer.body.reduce(into: Data()) { $0 += $1 }
        switch answer.status {
        case 200:
            return try JSONDecoder().decode(Decisions.self, from: body).decisions
        case 404:
            // Started on the page by hand, or by a sender of another kind.
            return []
        default:
            // What is not from the game server, such as a proxy's page, has nothing to say but its status.
            let refusal = try? JSONDecoder().decode(Refusal.self, from: body)
            throw PlayerRefusal(
                status: 502,
                type: "game-server-refused",
                title: "The game server says: \(refusal?.title ?? "\(answer.status)")",
                detail: refusal?.detail ?? "It says no more."
            )
        }
    }

    private var token: String {
        get throws(PlayerRefusal) {
            // A file that cannot be read is reported as one without a token, below.
            let text = (try? String(contentsOf: tokenFile, encoding: .utf8)) ?? ""
            let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !token.isEmpty, token.utf8.allSatisfy(Self.tokenCharacters.contains) else {
                throw PlayerRefusal(
                    status: 409,
                    type: "no-operator",
                    title: "The operator's token cannot be read",
                    detail: "--operator-token-file is to hold what rangersd operator create prints."
                )
            }
            return token
        }
    }
}
