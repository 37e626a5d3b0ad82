import GameCore
import GameEngine
import GameStore
import HTTPServing
import Hummingbird

/// The routes of parties and their members.
struct PartyRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.post("v1/parties", use: authenticator.player(create))
        router.get("v1/parties/:partyID", use: authenticator.player(show))
        router.get("v1/players/me/parties", use: authenticator.player(list))
        router.post("v1/parties/join", use: authenticator.player(join))
        router.delete("v1/parties/:partyID/members/:playerID", use: authenticator.player(removeMember))
        router.post("v1/parties/:partyID/leader", use: authenticator.player(handOver))
        router.post("v1/parties/:partyID/invite-code", use: authenticator.player(renewInviteCode))
    }

    private func create(_ request: APIRequest<PlayerID>) async throws -> Response {
        let body: NewPartyBody = try request.fields()
        return Response(
            try await commands.createParty(
                named: body.name,
                capacity: body.capacity,
                founder: request.caller,
                request: try request.idempotentRequest
            ) { party in EncodedResponse(status: .created, party: party) }
        )
    }

    private func show(_ request: APIRequest<PlayerID>) async throws -> Response {
        let party = try await store.party(try request.partyID)
        guard let party, party.member(request.caller) != nil else { throw CommandError.unknownParty }
        return try Response(party, for: request)
    }

    private func list(_ request: APIRequest<PlayerID>) async throws -> Response {
        var parties: [PartyView] = []
        let ids = try await store.partyIDs(of: request.caller)
        // The identifiers include all parties that the player has left; the current ones are few.
        let memberships = try await store.currentMemberships(
            among: Set(ids.map { Membership(of: request.caller, in: $0) })
        )
        for id in ids where memberships.contains(Membership(of: request.caller, in: id)) {
            if let party = try await store.party(id), party.member(request.caller) != nil {
                parties.append(PartyView(party))
            }
        }
        return Response(json: PartyListView(parties: parties))
    }

    private func join(_ request: APIRequest<PlayerID>) async throws -> Response {
        let body: JoinBody = try request.fields()
        guard let code = InviteCode(typed: body.inviteCode) else { throw CommandError.party(.unknownInviteCode) }
        return Response(
            try await commands.join(
                code: code,
                player: request.caller,
                at: try request.expectedVersions,
                request: try request.idempotentRequest
            ) { party in EncodedResponse(status: .ok, party: party) }
        )
    }

    private func removeMember(_ request: APIRequest<PlayerID>) async throws -> Response {
        Response(
            try await commands.removeMember(
                try request.playerID,
                of: try request.partyID,
                by: request.caller,
                at: try request.expectedVersions,
                request: try request.idempotentRequest
            )
        )
    }

    private func handOver(_ request: APIRequest<PlayerID>) async throws -> Response {
        let body: NewLeaderBody = try request.fields()
        return Response(
            try await commands.handOver(
                try request.partyID,
                to: body.playerID,
                by: request.caller,
                at: try request.expectedVersions,
                request: try request.idempotentRequest
            ) { party in EncodedResponse(status: .ok, party: party) }
        )
    }

    private func renewInviteCode(_ request: APIRequest<PlayerID>) async throws -> Response {
        Response(
            try await commands.renewInviteCode(
                of: try request.partyID,
                by: request.caller,
                at: try request.expectedVersions,
                request: try request.idempotentRequest
            ) { party in EncodedResponse(status: .ok, party: party) }
        )
    }
}
