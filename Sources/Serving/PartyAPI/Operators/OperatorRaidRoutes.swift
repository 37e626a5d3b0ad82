import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import Hummingbird
import ServiceRuntime

/// The operators' routes of raids.
struct OperatorRaidRoutes: Sendable {
    private static let defaultLimit = 100
    private static let maxLimit = 1_000
    /// The time ahead for which a raid can be scheduled.
    private static let maxDelay = Duration.seconds(30 * 86_400)

    let store: GameStore
    let commands: GameCommands
    let runtime: Runtime

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.get("admin/v1/raids", use: authenticator.viewer(query: ["ended", "limit"], list))
        router.post("admin/v1/raids", use: authenticator.adminUnlessDryRun(start))
        router.get("admin/v1/raids/:raidID", use: authenticator.viewer(show))
        router.get("admin/v1/raids/:raidID/rounds", use: authenticator.viewer(query: RaidRoundsView.query, rounds))
        router.get("admin/v1/raids/:raidID/ranking", use: authenticator.viewer(ranking))
        router.post("admin/v1/raids/:raidID/stop", use: authenticator.adminUnlessDryRun(stop))
    }

    private func list(_ request: APIRequest<Operator>) async throws -> Response {
        let limit = try request.number("limit", in: 1...Self.maxLimit, default: Self.defaultLimit)
        let raids = try await store.raids(includingEnded: try request.flag("ended"), limit: limit)
        return try Response(json: ["raids": raids.map { RaidView($0, for: .operators) }])
    }

    private func show(_ request: APIRequest<Operator>) async throws -> Response {
        let raid = try await raid(of: request)
        let channels = try await store.channels(of: raid.channelOwner)
        return try Response(json: RaidView(raid, for: .operators, channels: channels))
    }

    private func start(_ request: APIRequest<Operator>) async throws -> Response {
        let body: NewRaidBody = try request.fields()
        if let startsAt = body.startsAt {
            let now = runtime.now()
            // A minute for the clocks of operators.
            guard now - .seconds(60) <= startsAt, startsAt <= now + Self.maxDelay else {
                throw HTTPProblem.invalidFields([
                    .init(
                        field: "startsAt",
                        reason: "must be within the next 30 days; without it the raid starts at once"
                    )
                ])
            }
        }
        let plan = RaidPlan(
            boss: body.boss,
            health: body.health,
            startsAt: body.startsAt,
            duration: body.duration,
            regions: body.regions
        )
        let isDryRun = try request.flag("dryRun")
        let raid = try await commands.startRaid(
            plan,
            by: request.author,
            request: try request.idempotentRequest,
            dryRun: isDryRun
        )
        return try Response(
            status: isDryRun ? .ok : .created,
            json: RaidView(raid, for: .operators, dryRun: isDryRun)
        )
    }

    private func stop(_ request: APIRequest<Operator>) async throws -> Response {
        let isDryRun = try request.flag("dryRun")
        var raid = try await raid(of: request)
        switch raid.state {
        case .scheduled, .running:
            if !isDryRun { raid = try await commands.stopRaid(raid.id, by: request.author) }
        // A client whose response was lost repeats the request.
        case .stopped: break
        case .defeated, .escaped: throw CommandError.raidOver
        }
        return try Response(json: RaidView(raid, for: .operators, dryRun: isDryRun))
    }

    private func rounds(_ request: APIRequest<Operator>) async throws -> Response {
        try await RaidRoundsView.response(to: request, from: store)
    }

    private func ranking(_ request: APIRequest<Operator>) async throws -> Response {
        let ranking = try await store.raidRanking(of: try await raid(of: request).id)
        let parties = try await store.parties(ranking.map(\.partyID))
        let names = Dictionary(parties.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        return try Response(
            json: ["parties": ranking.map { RaidRankingEntryView($0, name: names[$0.partyID]) }]
        )
    }

    private func raid(of request: APIRequest<Operator>) async throws -> Raid {
        try await store.requiredRaid(try request.raidID)
    }
}
