import Encodings
import GameCore
import GameEngine
import GameStore
import HTTPServing
import Hummingbird

/// `POST /admin/v1/campaigns`: starts boss fights of idle parties, in bounded steps.
///
/// Each request is one step; the next one continues at `next`. Steps are idempotent without an idempotency key, and a
/// repeated step with the same `run` has the same response.
struct CampaignRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        // Viewers are allowed too, since the body may ask for a dry run.
        router.post("admin/v1/campaigns", use: authenticator.viewer(startFights))
    }

    private func startFights(_ request: APIRequest<Operator>) async throws -> Response {
        let body: CampaignStepBody = try request.fields()
        try request.caller.requireAdmin(unless: body.isDryRun)
        let campaign = try await commands.begin(
            campaign: body.name,
            against: body.boss,
            by: request.author,
            dryRun: body.isDryRun
        )
        // Only the first step counts all parties, for a display of progress.
        let parties = body.after == nil ? try await store.countParties().value : nil
        let step = try await commands.startFights(
            of: campaign,
            after: body.after,
            startingAtMost: body.limit,
            in: body.run,
            by: request.author,
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
    let alreadyStarted: Int
    let earlierFights: [Fight]
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
        alreadyStarted = step.earlierFights.count
        earlierFights = step.earlierFights.map(Fight.init)
        empty = step.empty
        failed = step.failed.map { Failure(partyID: $0.partyID, reason: $0.reason) }
        next = step.next
    }
}
