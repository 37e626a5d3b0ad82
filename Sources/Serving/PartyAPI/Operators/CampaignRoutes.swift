import Encodings
import GameCore
import GameEngine
import GameStore
import Hummingbird

/// `POST /admin/v1/campaigns`: sets a boss on idle parties, some at a time.
///
/// Each request is one bounded step; who wants all parties sends it again with what `next` says. Nothing is done twice,
/// however often a step is sent, so that it takes no idempotency key; who names its `run` gets the same answer, too.
struct CampaignRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<APIContext>, _ gate: Gate) {
        // Whether it is a dry run is in the body.
        router.post("admin/v1/campaigns", use: gate.viewer(advance))
    }

    private func advance(_ call: Call<Operator>) async throws -> Response {
        let body: CampaignRequest = try call.fields()
        try call.caller.requireAdmin(unless: body.isDryRun)
        let campaign = try await commands.begin(
            campaign: body.name,
            against: body.boss,
            by: call.author,
            dryRun: body.isDryRun
        )
        // Asked for once: it tells how far the whole has come.
        let parties = body.after == nil ? try await store.countParties().value : nil
        let step = try await commands.advance(
            campaign,
            after: body.after,
            startingAtMost: body.limit,
            in: body.run,
            by: call.author,
            dryRun: body.isDryRun
        )
        return try Response(json: CampaignView(campaign, step, parties: parties, isDryRun: body.isDryRun))
    }
}

/// One step of a campaign.
private struct CampaignView: Encodable {
    struct Fight: Encodable {
        let partyID: PartyID
        let adventureID: AdventureID

        init(_ fight: CampaignFight) {
            partyID = fight.partyID
            adventureID = fight.adventureID
        }
    }

    struct Failure: Encodable {
        let partyID: PartyID
        let reason: String
    }

    let name: String
    let boss: BossID
    let createdBy: String
    let createdAt: String
    let dryRun: Bool
    let parties: Int?
    let started: [Fight]
    let wouldStart: [PartyID]
    let busy: Int
    let already: Int
    let served: [Fight]
    let empty: Int
    let failed: [Failure]
    let next: PartyID?

    init(_ campaign: Campaign, _ step: CampaignStep, parties: Int?, isDryRun: Bool) {
        name = campaign.name
        boss = campaign.boss
        createdBy = campaign.createdBy
        createdAt = campaign.createdAt.rfc3339
        dryRun = isDryRun
        self.parties = parties
        started = step.started.map(Fight.init)
        wouldStart = step.wouldStart
        busy = step.busy
        already = step.served.count
        served = step.served.map(Fight.init)
        empty = step.empty
        failed = step.failed.map { Failure(partyID: $0.partyID, reason: $0.reason) }
        next = step.next
    }
}
