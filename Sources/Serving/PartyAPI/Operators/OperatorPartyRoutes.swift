import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import Hummingbird
import ServiceRuntime

/// The operators' routes of parties, and of statistics of the game.
struct OperatorPartyRoutes: Sendable {
    private static let defaultLimit = 100
    private static let maxLimit = 1_000

    let store: GameStore
    let commands: GameCommands
    let runtime: Runtime

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        let filters: Set = ["state", "name", "playerID", "inviteCode", "after", "limit"]
        router.get("admin/v1/parties", use: authenticator.viewer(query: filters, parties))
        router.get("admin/v1/parties/:partyID", use: authenticator.viewer(showParty))
        router.get(
            "admin/v1/parties/:partyID/activities",
            use: authenticator.viewer(query: ["limit"], activitiesOfParty)
        )
        router.post("admin/v1/parties/:partyID/disband", use: authenticator.adminUnlessDryRun(disband))
        router.get("admin/v1/stats", use: authenticator.viewer(statistics))
    }

    private func parties(_ request: APIRequest<Operator>) async throws -> Response {
        let limit = try request.number("limit", in: 1...Self.maxLimit, default: Self.defaultLimit)
        let states = PartyState.allCases.map(\.rawValue).joined(separator: ", ")
        let state = try request.queryValue("state", "must be one of \(states)", PartyState.init(rawValue:))
        let name = try request.queryValue("name", "must not be empty") { $0.isEmpty ? nil : $0 }
        let filter = PartyFilter(state: state, name: name)
        let after = try request.queryValue("after", "must be 'next' of the previous page") { PartyID($0) }
        let playerID = try request.queryValue("playerID", "must be a UUID") { PlayerID($0) }
        let code = try request.queryValue("inviteCode", "must be a string") { $0 }
        if playerID == nil, code == nil {
            return try Response(
                json: PartyPageView(try await store.parties(after: after, filter: filter, limit: limit))
            )
        }
        // A player's parties fit on one page.
        var found: [PartySummary]
        if let playerID {
            found = try await store.parties(of: playerID)
            if let code {
                let id = try await OperatorAdventureRoutes.partyID(ofTyped: code, in: store)
                found = found.filter { $0.id == id }
            }
        } else {
            let id = try await OperatorAdventureRoutes.partyID(ofTyped: code ?? "", in: store)
            found = try await store.parties([id].compactMap(\.self))
        }
        return try Response(json: PartyPageView(PartyPage(parties: found.filter(filter.matches), next: nil)))
    }

    private func showParty(_ request: APIRequest<Operator>) async throws -> Response {
        Response(json: PartyView(try await party(of: request)))
    }

    private func activitiesOfParty(_ request: APIRequest<Operator>) async throws -> Response {
        let limit = try request.number("limit", in: 1...Self.maxLimit, default: Self.defaultLimit)
        // A disbanded party is allowed, too: its activities may still wait for their end push.
        let activities = try await store.activities(of: try request.partyID, limit: limit)
        return try Response(json: ["activities": activities.map(ActivityView.init)])
    }

    private func disband(_ request: APIRequest<Operator>) async throws -> Response {
        try await commands.response(to: .disband(try request.partyID), request)
    }

    private func statistics(_ request: APIRequest<Operator>) async throws -> Response {
        let now = runtime.now()
        return try Response(json: StatisticsView(try await store.statistics(at: now), at: now))
    }

    private func party(of request: APIRequest<Operator>) async throws -> Party {
        guard let party = try await store.party(try request.partyID) else { throw CommandError.unknownParty }
        return party
    }
}

/// A page of parties.
struct PartyPageView: Encodable {
    struct Entry: Encodable {
        let partyID: PartyID
        let name: String
        let leaderID: PlayerID
        let members: Int
        let capacity: Int
        let adventureID: AdventureID?
        let createdAt: String

        init(_ party: PartySummary) {
            partyID = party.id
            name = party.name
            leaderID = party.leaderID
            members = party.members
            capacity = party.capacity
            adventureID = party.adventureID
            createdAt = party.createdAt.rfc3339
        }
    }

    let parties: [Entry]
    /// The value of `after` for the next page; nil if this is the last.
    let next: PartyID?

    init(_ page: PartyPage) {
        parties = page.parties.map(Entry.init)
        next = page.next
    }
}

/// The response to `GET /admin/v1/stats`.
private struct StatisticsView: Encodable {
    struct Count: Encodable {
        let count: Int
        let isExact: Bool

        init(_ count: GameStatistics.Count) {
            self.count = count.value
            isExact = count.isExact
        }
    }

    struct Adventures: Encodable {
        let journeys: Int
        let bossFights: Int
    }

    struct Activities: Encodable {
        let live: Int
        let pushedToInLastMinute: Int
    }

    struct Log: Encodable {
        let entries: Int64
        let oldestPendingAt: String?
        let oldestPendingSeconds: Int64?
    }

    struct Shards: Encodable {
        let leased: Int
        let all: Int
    }

    let at: String
    let parties: Count
    let players: Count
    let adventures: Adventures
    let activities: Activities
    let log: Log
    let shards: Shards
    let dispatchers: Int
    let auditEntries: Int64

    init(_ statistics: GameStatistics, at now: Timestamp) {
        at = now.rfc3339
        parties = Count(statistics.parties)
        players = Count(statistics.players)
        adventures = Adventures(journeys: statistics.journeys, bossFights: statistics.bossFights)
        activities = Activities(
            live: statistics.liveActivities,
            pushedToInLastMinute: statistics.recentlyPushedActivities
        )
        log = Log(
            entries: statistics.logEntries,
            oldestPendingAt: statistics.oldestUnsent?.rfc3339,
            oldestPendingSeconds: statistics.oldestUnsent.map { max(0, now.epochSeconds - $0.epochSeconds) }
        )
        shards = Shards(leased: statistics.leasedShards, all: Shard.all.count)
        dispatchers = statistics.dispatchers
        auditEntries = statistics.auditEntries
    }
}
