import GameCore
import GameEngine
import GameStore
import Hummingbird

/// Parties and their members.
struct PartyRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<APIContext>, _ gate: Gate) {
        router.post("v1/parties", use: gate.player(create))
        router.get("v1/parties/:partyID", use: gate.player(show))
        router.get("v1/players/me/parties", use: gate.player(list))
        router.post("v1/parties/join", use: gate.player(join))
        router.delete("v1/parties/:partyID/members/:playerID", use: gate.player(removeMember))
        router.post("v1/parties/:partyID/leader", use: gate.player(handOver))
        router.post("v1/parties/:partyID/invite-code", use: gate.player(renewInviteCode))
    }

    private func create(_ call: Call<PlayerID>) async throws -> Response {
        let body: NewParty = try call.fields()
        return Response(
            try await commands.createParty(
                named: body.name,
                capacity: body.capacity,
                founder: call.caller,
                request: try call.repeatable
            ) { party in try Answer(status: .created, party: party) }
        )
    }

    private func show(_ call: Call<PlayerID>) async throws -> Response {
        let party = try await store.party(try call.partyID)
        guard let party, party.member(call.caller) != nil else { throw CommandError.unknownParty }
        return try Response(party, asked: call)
    }

    private func list(_ call: Call<PlayerID>) async throws -> Response {
        var parties: [PartyView] = []
        let ids = try await store.partyIDs(of: call.caller)
        // Those that the player has left are among them, however many; the others are few.
        let memberships = try await store.current(among: Set(ids.map { Membership(of: call.caller, in: $0) }))
        for id in ids where memberships.contains(Membership(of: call.caller, in: id)) {
            if let party = try await store.party(id), party.member(call.caller) != nil {
                parties.append(PartyView(party))
            }
        }
        return try Response(json: ["parties": parties])
    }

    private func join(_ call: Call<PlayerID>) async throws -> Response {
        let body: Joining = try call.fields()
        guard let code = InviteCode(typed: body.inviteCode) else { throw CommandError.party(.unknownInviteCode) }
        return Response(
            try await commands.join(
                code: code,
                player: call.caller,
                at: try call.expectedVersions,
                request: try call.repeatable
            ) { party in try Answer(status: .ok, party: party) }
        )
    }

    private func removeMember(_ call: Call<PlayerID>) async throws -> Response {
        let partyID = try call.partyID
        guard let playerID = call.id("playerID", as: PlayerID.self) else {
            throw CommandError.party(.unknownMember)
        }
        return Response(
            try await commands.removeMember(
                playerID,
                of: partyID,
                by: call.caller,
                at: try call.expectedVersions,
                request: try call.repeatable
            )
        )
    }

    private func handOver(_ call: Call<PlayerID>) async throws -> Response {
        let body: HandingOver = try call.fields()
        return Response(
            try await commands.handOver(
                try call.partyID,
                to: body.playerID,
                by: call.caller,
                at: try call.expectedVersions,
                request: try call.repeatable
            ) { party in try Answer(status: .ok, party: party) }
        )
    }

    private func renewInviteCode(_ call: Call<PlayerID>) async throws -> Response {
        Response(
            try await commands.renewInviteCode(
                of: try call.partyID,
                by: call.caller,
                at: try call.expectedVersions,
                request: try call.repeatable
            ) { party in try Answer(status: .ok, party: party) }
        )
    }
}
