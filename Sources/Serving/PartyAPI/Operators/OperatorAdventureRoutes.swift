import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import Hummingbird

/// The operators' routes of adventures, boss fights and activities.
struct OperatorAdventureRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.get("admin/v1/bosses", use: authenticator.viewer { _ in try CatalogueRoutes.bosses })
        router.post("admin/v1/boss-fights", use: authenticator.adminUnlessDryRun(startBossFight))
        router.get("admin/v1/adventures/:adventureID", use: authenticator.viewer(showAdventure))
        router.get(
            "admin/v1/adventures/:adventureID/events",
            use: authenticator.viewer(query: EventPageView.query, events)
        )
        router.get("admin/v1/adventures/:adventureID/replay", use: authenticator.viewer(replay))
        router.post("admin/v1/adventures/:adventureID/end", use: authenticator.adminUnlessDryRun(endAdventure))
        router.get("admin/v1/adventures/:adventureID/activities", use: authenticator.viewer(activities))
    }

    private func startBossFight(_ request: APIRequest<Operator>) async throws -> Response {
        let body: NewBossFightBody = try request.fields()
        let idempotentRequest = try request.idempotentRequest
        let isDryRun = try request.flag("dryRun")
        guard let partyID = try await partyID(of: body.party) else {
            let owner = IdempotencyKeyOwner.operator(named: request.author.name)
            guard !isDryRun,
                let response = try await commands.storedResponse(to: idempotentRequest, of: owner, among: Shard.all)
            else { throw CommandError.party(.unknownInviteCode) }
            return Response(response)
        }
        if isDryRun {
            return try await dryRun(of: .bossFight(partyID, body.boss), request)
        }
        return Response(
            try await commands.perform(.bossFight(partyID, body.boss), by: request.author, request: idempotentRequest) {
                outcome in
                EncodedResponse(status: .created, json: AdventureView(outcome.requiredAdventure))
            }
        )
    }

    private func showAdventure(_ request: APIRequest<Operator>) async throws -> Response {
        Response(json: AdventureView(try await adventure(of: request)))
    }

    private func events(_ request: APIRequest<Operator>) async throws -> Response {
        let stored = try await adventure(of: request)
        return try await EventPageView.response(to: request, for: stored, from: store)
    }

    private func replay(_ request: APIRequest<Operator>) async throws -> Response {
        let id = try request.adventureID
        do {
            guard let (_, events) = try await store.replay(id) else { throw CommandError.unknownAdventure }
            return try Response(json: ReplayView(of: id, events: events))
        } catch StoreError.undecodable(_, _, let reason) {
            return try Response(json: ReplayView(of: id, difference: reason))
        }
    }

    private func endAdventure(_ request: APIRequest<Operator>) async throws -> Response {
        let id = try request.adventureID
        let idempotentRequest = try request.idempotentRequest
        if try request.flag("dryRun") { return try await dryRun(of: .end(id), request) }
        return Response(
            try await commands.perform(.end(id), by: request.author, request: idempotentRequest) { outcome in
                guard let adventure = outcome.adventure else {
                    // It could not be played, so there is no state to show.
                    return EncodedResponse(status: .ok, json: ChangeView(outcome))
                }
                return EncodedResponse(status: .ok, json: AdventureView(adventure))
            }
        )
    }

    /// Returns the effect that an action would have, without changing anything.
    private func dryRun(of action: OperatorAction, _ request: APIRequest<Operator>) async throws -> Response {
        Response(json: ChangeView(try await commands.dryRun(action, by: request.author)))
    }

    private func activities(_ request: APIRequest<Operator>) async throws -> Response {
        let stored = try await adventure(of: request)
        let activities = try await store.activities(of: stored.id)
        return try Response(json: ["activities": activities.map(ActivityView.init)])
    }

    private func adventure(of request: APIRequest<Operator>) async throws -> StoredAdventure {
        guard let stored = try await store.adventure(try request.adventureID) else {
            throw CommandError.unknownAdventure
        }
        return stored
    }

    /// Returns a party; nil if no party has the invite code.
    private func partyID(of reference: NewBossFightBody.PartyReference) async throws -> PartyID? {
        switch reference {
        case .id(let id): id
        case .inviteCode(let text): try await Self.partyID(ofTyped: text, in: store)
        }
    }

    /// Returns the party with an invite code, as a person typed it; nil if no party has it.
    static func partyID(ofTyped text: String, in store: GameStore) async throws -> PartyID? {
        // The index keeps old codes; only the party's current code is valid.
        guard
            let code = InviteCode(typed: text),
            let id = try await store.partyID(of: code),
            try await store.party(id)?.inviteCode == code
        else {
            return nil
        }
        return id
    }
}

extension OperatorOutcome {
    /// The adventure of an action that always has one.
    fileprivate var requiredAdventure: StoredAdventure {
        guard let adventure else {
            preconditionFailure("starting a fight always returns the adventure")
        }
        return adventure
    }
}
