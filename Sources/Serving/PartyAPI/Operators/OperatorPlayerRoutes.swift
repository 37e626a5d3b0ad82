import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import Hummingbird
import ServiceRuntime

/// The operators' routes of players.
struct OperatorPlayerRoutes: Sendable {
    private static let defaultLimit = 100
    private static let maxLimit = 1_000

    let store: GameStore
    let commands: GameCommands
    let runtime: Runtime

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.get("admin/v1/players", use: authenticator.viewer(query: ["text", "limit"], find))
        router.get("admin/v1/players/:playerID", use: authenticator.viewer(show))
        router.get("admin/v1/players/:playerID/activities", use: authenticator.viewer(query: ["limit"], activities))
        router.get("admin/v1/players/:playerID/devices", use: authenticator.viewer(devices))
        router.get("admin/v1/players/:playerID/export", use: authenticator.viewer(query: ["after"], export))
        router.post("admin/v1/players/:playerID/rename", use: authenticator.adminUnlessDryRun(rename))
        router.post("admin/v1/players/:playerID/sign-out", use: authenticator.adminUnlessDryRun(signOut))
        router.post("admin/v1/players/:playerID/erase", use: authenticator.adminUnlessDryRun(erase))
    }

    private func find(_ request: APIRequest<Operator>) async throws -> Response {
        let limit = try request.number("limit", in: 1...Self.maxLimit, default: Self.defaultLimit)
        guard let text = request.queryText("text") else {
            throw HTTPProblem.invalidFields([.init(field: "text", reason: "is missing")])
        }
        var search = PlayerSearch(limit: limit)
        if let id = PlayerID(text) {
            try await search.run(for: id.rawValue, in: store)
        } else {
            let name: Name
            do throws(NameRefusal) { name = try Name(text) } catch {
                throw HTTPProblem.invalidFields([.init(field: "text", reason: error.reason)])
            }
            try await search.run(for: name, in: store)
        }
        return try Response(json: PlayerSearchView(search, try await store.players(search.playerIDs)))
    }

    private func show(_ request: APIRequest<Operator>) async throws -> Response {
        let id = try request.playerID
        guard let player = try await store.player(id), let registeredAt = try await store.registrationTime(of: id)
        else {
            throw CommandError.unknownPlayer
        }
        return try Response(
            json: PlayerDetailView(
                player,
                registeredAt: registeredAt,
                tokens: try await store.tokens(of: id).count,
                parties: try await store.parties(of: id),
                devices: try await deviceViews(of: id),
                activities: try await store.liveActivities(of: id, in: Shard.all)
            )
        )
    }

    private func activities(_ request: APIRequest<Operator>) async throws -> Response {
        let limit = try request.number("limit", in: 1...Self.maxLimit, default: Self.defaultLimit)
        let activities = try await store.activities(of: try request.playerID, limit: limit)
        return try Response(json: ["activities": activities.map(ActivityView.init)])
    }

    private func devices(_ request: APIRequest<Operator>) async throws -> Response {
        try Response(json: ["devices": try await deviceViews(of: try request.playerID)])
    }

    private func deviceViews(of playerID: PlayerID) async throws -> [DeviceView] {
        let hourAgo = runtime.now() - .seconds(60 * 60)
        var views: [DeviceView] = []
        for device in try await store.devices(of: playerID) {
            let isRoutable = try await store.dispatcherSends(to: device.environment)
            views.append(DeviceView(device, isRoutable: isRoutable, alertsAfter: hourAgo))
        }
        return views
    }

    /// Returns a page of what the player's own export has.
    ///
    /// Each page that an operator reads has an entry in the audit log, since it has personal data.
    private func export(_ request: APIRequest<Operator>) async throws -> Response {
        guard request.caller.role == .admin else { throw HTTPProblem.adminsOnly }
        let id = try request.playerID
        let response = try await PlayerExport.response(to: request, of: id, from: store, at: runtime.now())
        try await store.audit(AuditChange(.playerExport, of: "player/\(id)", by: request.author))
        return response
    }

    private func rename(_ request: APIRequest<Operator>) async throws -> Response {
        let body: RenamingBody = try request.fields()
        return try await commands.response(
            to: .rename(request.playerID, body.displayName, reason: body.reason),
            request
        )
    }

    private func signOut(_ request: APIRequest<Operator>) async throws -> Response {
        let body: ReasonBody = try request.fields()
        return try await commands.response(to: .signOut(request.playerID, reason: body.reason), request)
    }

    private func erase(_ request: APIRequest<Operator>) async throws -> Response {
        let body: ReasonBody = try request.fields()
        return try await commands.response(to: .erase(request.playerID, reason: body.reason), request)
    }
}

extension GameCommands {
    /// Performs an operator's action, or with `dryRun=true` decides its effect, and returns the effect.
    func response(to action: OperatorAction, _ request: APIRequest<Operator>) async throws -> Response {
        let idempotentRequest = try request.idempotentRequest
        if try request.flag("dryRun") {
            return Response(json: ChangeView(try await dryRun(action, by: request.author)))
        }
        return Response(
            try await perform(action, by: request.author, request: idempotentRequest) { outcome in
                EncodedResponse(status: .ok, json: ChangeView(outcome))
            }
        )
    }
}
