import Foundation
import Hummingbird

/// Players of a game on the phones, and what its server decides: who asks here hears it from whoever knows the game.
struct PlayerAPI: Sendable {
    let simulation: Simulation
    /// Nil when the simulator knows no game.
    let players: (any PhonePlayers)?

    /// Adds its routes.
    func addRoutes(to router: Router<WallContext>) {
        router.get("api/players") { _, _ in
            let list = players?.players.sorted { $0.phoneID.uuidString < $1.phoneID.uuidString }
            return Response(
                json: PlayerList(canBeAttached: list != nil, heroes: players?.heroes ?? [], players: list ?? [])
            )
        }
        router.post("api/phones/:phoneID/player", use: attach)
        router.delete("api/phones/:phoneID/player") { _, context in
            try await known.detach(from: try context.phoneID.rawValue)
            return Response(status: .noContent)
        }
        router.get("api/activities/:activityID/decisions", use: decisions)
    }

    /// `{decisions: […]}`, oldest first.
    private func decisions(_ request: Request, _ context: WallContext) async throws -> Response {
        guard let decisions = try await known.decisions(on: try context.activityID.rawValue) else {
            throw Problem.noOperator
        }
        return Response(json: ["decisions": decisions])
    }

    private func attach(_ request: Request, _ context: WallContext) async throws -> Response {
        let body = try await context.decode(NewPlayer.self, from: request)
        let phoneID = try context.phoneID
        let phone = try simulation.read { wall throws(WallError) in try wall.phone(phoneID) }
        let wish = PlayerWish(
            phoneID: phoneID.rawValue,
            inviteCode: body.inviteCode,
            displayName: body.displayName ?? phone.label,
            hero: body.hero,
            takesTurns: body.takesTurns ?? true,
            locale: phone.locale,
            frequentPushesEnabled: phone.frequentPushesEnabled
        )
        return Response(status: .created, json: try await known.attach(wish))
    }

    private var known: any PhonePlayers {
        get throws(Problem) {
            guard let players else { throw .noGame }
            return players
        }
    }

    private struct PlayerList: Encodable, Sendable {
        let canBeAttached: Bool
        let heroes: [PhoneHero]
        let players: [PhonePlayer]
    }
}

/// A player to attach to a phone.
private struct NewPlayer: RequestBody {
    /// The party's, as a person types it.
    let inviteCode: String
    /// The phone's label when it is left out.
    let displayName: String?
    /// Any hero when it is left out.
    let hero: String?
    /// Whether the player acts in boss fights; true when it is left out.
    let takesTurns: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case inviteCode
        case displayName
        case hero
        case takesTurns
    }
}

extension Problem {
    fileprivate static let noGame = Self(
        type: "no-game-server",
        title: "The simulator knows no game server",
        status: .conflict,
        detail: "Start it with --game-server and the server's address."
    )

    fileprivate static let noOperator = Self(
        type: "no-operator",
        title: "The simulator is no operator of the game server",
        status: .conflict,
        detail: "Start it with --operator-token-file and a file that holds the token of an operator, role viewer."
    )

    /// What whoever knows the game says.
    init(_ refusal: PlayerRefusal) {
        self.init(
            type: refusal.type,
            title: refusal.title,
            status: HTTPResponse.Status(code: refusal.status),
            detail: refusal.detail
        )
    }
}
