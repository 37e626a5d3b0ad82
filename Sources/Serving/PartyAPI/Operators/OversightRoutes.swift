import Encodings
import GameCore
import GameEngine
import GameStore
import Hummingbird
import ServiceRuntime

/// What operators see of parties, and of the game as a whole.
struct OversightRoutes: Sendable {
    private static let standardLimit = 100
    private static let largestLimit = 1_000

    let store: GameStore
    let commands: GameCommands
    let runtime: Runtime

    func add(to router: Router<APIContext>, _ gate: Gate) {
        let filters: Set = ["state", "playerID", "inviteCode", "after", "limit"]
        router.get("admin/v1/parties", use: gate.viewer(query: filters, parties))
        router.get("admin/v1/parties/:partyID", use: gate.viewer(showParty))
        router.get("admin/v1/parties/:partyID/activities", use: gate.viewer(query: ["limit"], activitiesOfParty))
        router.post("admin/v1/parties/:partyID/disband", use: gate.adminUnlessDryRun(disband))
        router.get("admin/v1/players/:playerID/activities", use: gate.viewer(query: ["limit"], activitiesOfPlayer))
        router.get("admin/v1/stats", use: gate.viewer(statistics))
    }

    private func parties(_ call: Call<Operator>) async throws -> Response {
        let limit = try call.number("limit", in: 1...Self.largestLimit, default: Self.standardLimit)
        let states = PartyState.allCases.map(\.rawValue).joined(separator: ", ")
        let state = try call.queryValue("state", "must be one of \(states)", PartyState.init(rawValue:))
        let place = try call.queryValue("after", "must be 'next' of the page before") { PartyID($0) }
        let playerID = try call.queryValue("playerID", "must be a UUID") { PlayerID($0) }
        let code = try call.queryValue("inviteCode", "must be a string") { $0 }
        if playerID == nil, code == nil {
            return try Response(json: PartyPageView(try await store.parties(after: place, in: state, limit: limit)))
        }
        // Few enough for one page.
        var found: [PartySummary]
        if let playerID {
            found = try await store.parties(of: playerID)
            if let code {
                let id = try await OperatorRoutes.partyID(ofTyped: code, in: store)
                found = found.filter { $0.id == id }
            }
        } else {
            let id = try await OperatorRoutes.partyID(ofTyped: code ?? "", in: store)
            found = try await store.parties([id].compactMap(\.self))
        }
        found = found.filter { state?.holds($0) != false }
        return try Response(json: PartyPageView(PartyPage(parties: found, next: nil)))
    }

    private func showParty(_ call: Call<Operator>) async throws -> Response {
        try Response(json: PartyView(try await party(of: call)))
    }

    private func activitiesOfParty(_ call: Call<Operator>) async throws -> Response {
        let limit = try call.number("limit", in: 1...Self.largestLimit, default: Self.standardLimit)
        // Those of a party that was disbanded may be asked for, too: some phone may still wait for its end.
        let activities = try await store.activities(of: try call.partyID, limit: limit)
        return try Response(json: ["activities": activities.map(ActivityView.init)])
    }

    private func activitiesOfPlayer(_ call: Call<Operator>) async throws -> Response {
        let limit = try call.number("limit", in: 1...Self.largestLimit, default: Self.standardLimit)
        guard let playerID = call.id("playerID", as: PlayerID.self) else {
            throw Problem.invalidFields([.init(field: "playerID", reason: "must be a UUID")])
        }
        let activities = try await store.activities(of: playerID, limit: limit)
        return try Response(json: ["activities": activities.map(ActivityView.init)])
    }

    private func disband(_ call: Call<Operator>) async throws -> Response {
        let wish = OperatorWish.disband(try call.partyID)
        let request = try call.repeatable
        if try call.flag("dryRun") {
            return try Response(json: ChangeView(try await commands.rehearse(wish, by: call.author)))
        }
        return Response(
            try await commands.carryOut(wish, by: call.author, request: request) { outcome in
                try Answer(status: .ok, json: ChangeView(outcome))
            }
        )
    }

    private func statistics(_ call: Call<Operator>) async throws -> Response {
        let now = runtime.now()
        return try Response(json: StatisticsView(try await store.statistics(at: now), at: now))
    }

    private func party(of call: Call<Operator>) async throws -> Party {
        guard let party = try await store.party(try call.partyID) else { throw CommandError.unknownParty }
        return party
    }
}

/// A page of parties.
private struct PartyPageView: Encodable {
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
    /// What to give as `after` for the next page; nothing when this is the last.
    let next: PartyID?

    init(_ page: PartyPage) {
        parties = page.parties.map(Entry.init)
        next = page.next
    }
}

/// How much there is and goes on.
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
        let oldestUnsettledAt: String?
        let oldestUnsettledSeconds: Int64?
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
            pushedToInLastMinute: statistics.activitiesPushedToLately
        )
        log = Log(
            entries: statistics.logEntries,
            oldestUnsettledAt: statistics.oldestUnsettled?.rfc3339,
            oldestUnsettledSeconds: statistics.oldestUnsettled.map { max(0, now.epochSeconds - $0.epochSeconds) }
        )
        shards = Shards(leased: statistics.leasedShards, all: Shard.all.count)
        dispatchers = statistics.dispatchers
        auditEntries = statistics.auditEntries
    }
}
