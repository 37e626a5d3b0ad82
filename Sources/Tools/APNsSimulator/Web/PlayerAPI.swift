import Foundation
import Hummingbird

/// The routes for the players on the phones and for the game server's decisions; a ``PhonePlayers`` answers them.
struct PlayerAPI: Sendable {
    /// The maximum number of adventures whose parties are listed: each takes two requests to the game server.
    private static let maxAdventures = 5
    /// The maximum number of parties of attached players that are listed: each takes one request to the game server.
    private static let maxJoinedParties = 5

    let simulator: SimulatorState
    /// The players; nil without a game server.
    let players: (any PhonePlayers)?

    /// Adds the routes.
    func addRoutes(to router: Router<WallContext>) {
        router.get("api/players") { _, _ in
            let list = players?.players.sorted { $0.phoneID.uuidString < $1.phoneID.uuidString }
            return Response(
                json: PlayerList(
                    canBeAttached: list != nil,
                    server: players?.server.absoluteString,
                    heroes: players?.heroes ?? [],
                    bosses: players?.bosses ?? [],
                    players: list ?? []
                )
            )
        }
        router.post("api/phones/:phoneID/player", use: attach)
        router.delete("api/phones/:phoneID/player") { _, context in
            try await game.detach(from: try context.phoneID.rawValue)
            return Response(status: .noContent)
        }
        router.get("api/parties") { _, _ in
            guard let parties = try await game.parties(of: newestAdventures, and: joinedParties) else {
                throw SimulatorProblem.noOperator
            }
            return Response(json: ["parties": parties])
        }
        router.get("api/activities/:activityID/decisions", use: decisions)
        router.get("api/raids") { _, _ in try await raids(.list) }
        router.get("api/raids/:raidID/rounds") { request, context in
            let after = try context.number("after", in: 0...Int(Int32.max), of: request)
            return try await raids(.rounds(try context.raidID, after: after))
        }
        router.get("api/raids/:raidID/ranking") { _, context in
            try await raids(.ranking(try context.raidID))
        }
    }

    /// The adventures of the newest activities, newest first; also ended ones, since operators start fights for idle
    /// parties.
    private var newestAdventures: [UUID] {
        let now = simulator.time
        let running = simulator.read { wall in
            wall.phones.flatMap { phone in phone.activities.filter { $0.status(at: now) != .dismissed } }
        }
        var adventures: [UUID] = []
        for activity in running.sorted(by: { $0.startedAt > $1.startedAt }) {
            let id = activity.adventureID.rawValue
            guard !adventures.contains(id) else { continue }
            adventures.append(id)
            if adventures.count == Self.maxAdventures { break }
        }
        return adventures
    }

    /// The parties of attached players, newest first; also those without an adventure so far, for which operators start
    /// fights.
    private var joinedParties: [String] {
        // Identifiers begin with their time of creation.
        let newestFirst = Set(players?.players.map(\.partyID) ?? []).sorted(by: >)
        return Array(newestFirst.prefix(Self.maxJoinedParties))
    }

    /// Responds with `{decisions: […]}`, oldest first.
    private func decisions(_ request: Request, _ context: WallContext) async throws -> Response {
        guard let decisions = try await game.decisions(on: try context.activityID.rawValue) else {
            throw SimulatorProblem.noOperator
        }
        return Response(json: ["decisions": decisions])
    }

    /// Responds with the game's own JSON.
    private func raids(_ part: RaidPart) async throws -> Response {
        guard let json = try await game.raids(part) else { throw SimulatorProblem.noOperator }
        return Response(
            status: .ok,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json))
        )
    }

    private func attach(_ request: Request, _ context: WallContext) async throws -> Response {
        let body = try await context.decode(NewPlayer.self, from: request)
        let phoneID = try context.phoneID
        let phone = try simulator.read { wall throws(WallError) in try wall.phone(phoneID) }
        let player = PlayerRequest(
            phoneID: phoneID.rawValue,
            inviteCode: body.inviteCode,
            displayName: body.displayName ?? phone.label,
            hero: body.hero,
            takesTurns: body.takesTurns ?? true,
            locale: phone.locale,
            frequentPushesEnabled: phone.frequentPushesEnabled
        )
        return Response(status: .created, json: try await game.attach(player))
    }

    private var game: any PhonePlayers {
        get throws(SimulatorProblem) {
            guard let players else { throw .noGame }
            return players
        }
    }

    private struct PlayerList: Encodable, Sendable {
        let canBeAttached: Bool
        /// The address of the game server; absent without one.
        let server: String?
        let heroes: [PhoneCharacter]
        let bosses: [PhoneCharacter]
        let players: [PhonePlayer]
    }
}

/// The body of a request to attach a player.
private struct NewPlayer: RequestBody {
    /// The party's invite code, as a user types it.
    let inviteCode: String
    /// The player's name; by default, the phone's label.
    let displayName: String?
    /// The hero; by default, any hero.
    let hero: String?
    /// Whether the player acts in boss fights; true by default.
    let takesTurns: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case inviteCode
        case displayName
        case hero
        case takesTurns
    }
}

extension SimulatorProblem {
    fileprivate static let noGame = Self(
        type: "no-game-server",
        title: "No game server",
        status: .conflict,
        detail: "Start the simulator with --game-server and the server's address."
    )

    fileprivate static let noOperator = Self(
        type: "no-operator",
        title: "No operator token",
        status: .conflict,
        detail: "Start the simulator with --operator-token-file and a file with the token of an operator, role viewer."
    )

    /// Converts a problem of the game.
    init(_ problem: PlayerProblem) {
        self.init(
            type: problem.type,
            title: problem.title,
            status: HTTPResponse.Status(code: problem.status),
            detail: problem.detail,
            errors: problem.fields.isEmpty ? nil : problem.fields.map { .init(field: $0.name, reason: $0.reason) }
        )
    }
}
