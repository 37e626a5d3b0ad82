import Encodings
public import GameCore
import GameLog
import GameStore
import ServiceRuntime

extension GameCommands {
    /// Creates a party led by its founder.
    public func createParty(
        named name: Name,
        capacity: Int,
        founder: PlayerID,
        request: IdempotentRequest?,
        render: @Sendable (Party) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        let id = try await newPartyID(of: founder, request: request)
        if let response = try await storedResponse(to: request, of: founder, in: id.shard) { return response }
        return try await withQuota(.party, of: founder, in: id.shard, request: request) {
            let response = try await withMembershipSlot(of: founder, in: id, request: request) { founder in
                let code = try await freshCode(for: id, at: founder.joinedAt)
                return try await withIdempotency(request, of: founder.playerID, in: id.shard) { transaction in
                    let party = Party(id: id, name: name.text, inviteCode: code, capacity: capacity, founder: founder)
                    transaction.insert(party)
                    return try render(party)
                }
            }
            return (response, true)
        }
    }

    /// Adds a player to the party with an invite code, and to its running adventure.
    ///
    /// Idempotent.
    public func join(
        code: InviteCode,
        player playerID: PlayerID,
        at versions: Set<Int64>? = nil,
        request: IdempotentRequest?,
        render: @Sendable (Party) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        guard let id = try await store.partyID(of: code) else {
            guard request != nil else { throw CommandError.party(.unknownInviteCode) }
            // A party that the player has joined is in the player's list.
            let moment = try await store.now() - Self.idempotencyRecordLifetime
            let shards = try await store.partyIDs(of: playerID, leftAfter: moment).map(\.shard)
            guard let response = try await storedResponse(to: request, of: .player(playerID), among: shards) else {
                throw CommandError.party(.unknownInviteCode)
            }
            return response
        }
        return try await withQuota(.party, of: playerID, in: id.shard, request: request) {
            var isNew = false
            let response = try await withMembershipSlot(of: playerID, in: id, request: request) { newcomer in
                try await withIdempotency(request, of: playerID, in: id.shard) { transaction in
                    guard var party = try await transaction.party(id), party.inviteCode == code else {
                        throw CommandError.party(.unknownInviteCode)
                    }
                    isNew = try change(&party, at: versions) { party throws(PartyRefusal) in try party.join(newcomer) }
                    if isNew {
                        transaction.update(party, changingMembers: true)
                        try await seat(newcomer, to: party, in: &transaction)
                    }
                    return try render(party)
                }
            }
            return (response, isNew)
        }
    }

    /// Removes a member from a party and its running adventure.
    ///
    /// Members may leave; the leader may remove others.
    public func removeMember(
        _ playerID: PlayerID,
        of id: PartyID,
        by actor: PlayerID,
        at versions: Set<Int64>? = nil,
        request: IdempotentRequest?
    ) async throws -> EncodedResponse {
        let response = try await withIdempotency(request, of: actor, in: id.shard) { transaction in
            let party = try await party(id, with: actor, in: transaction)
            try await remove(playerID, from: party, by: actor, at: versions, in: &transaction)
            return EncodedResponse(status: 204, body: "")
        }
        do {
            let now = try await store.now()
            try await store.noteDeparture(of: playerID, from: id, claimsAfter: now - Self.maxRequestDuration, at: now)
        } catch {
            // The player has left. A claim of a slot that finds the list full marks the party.
        }
        return response
    }

    /// Removes a member from a party and its running adventure.
    func remove(
        _ playerID: PlayerID,
        from party: Party,
        by actor: PlayerID,
        at versions: Set<Int64>?,
        in transaction: inout ShardTransaction
    ) async throws {
        let leaderID = party.leaderID
        var party = party
        try change(&party, at: versions) { party throws(PartyRefusal) in try party.remove(playerID, by: actor) }
        transaction.update(party, changingMembers: true)
        // The next leader decides anew whether the party has spectators.
        if leaderID == playerID, !party.isDisbanded { transaction.closeToSpectators(party.id) }
        guard var stored = try await runningAdventure(of: party, in: &transaction) else { return }
        // A member who joined when all seats were taken is not in the adventure.
        if stored.adventure.heroes.contains(where: { $0.playerID == playerID && !$0.hasLeft }) {
            _ = try await apply(.leave(playerID), to: &stored, in: &transaction)
        }
    }

    /// Transfers the leadership to another member.
    public func handOver(
        _ id: PartyID,
        to playerID: PlayerID,
        by actor: PlayerID,
        at versions: Set<Int64>? = nil,
        request: IdempotentRequest?,
        render: @Sendable (Party) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        try await withIdempotency(request, of: actor, in: id.shard) { transaction in
            var party = try await party(id, with: actor, in: transaction)
            try change(&party, at: versions) { party throws(PartyRefusal) in
                try party.transferLeadership(to: playerID, by: actor)
            }
            transaction.update(party)
            // As when the leader leaves: the former one may leave later, and knows the link.
            if playerID != actor { transaction.closeToSpectators(id) }
            return try render(party)
        }
    }

    /// Replaces a party's invite code; the previous code becomes invalid.
    public func renewInviteCode(
        of id: PartyID,
        by actor: PlayerID,
        at versions: Set<Int64>? = nil,
        request: IdempotentRequest?,
        render: @Sendable (Party) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        if let response = try await storedResponse(to: request, of: actor, in: id.shard) { return response }
        // Checked before a code is reserved, and again under the lock, so that refused requests use up no codes.
        guard let known = try await store.party(id), known.member(actor) != nil else {
            throw CommandError.unknownParty
        }
        guard known.leaderID == actor else { throw CommandError.party(.notALeader) }
        if let versions, !versions.contains(known.version) { throw CommandError.partyChanged(version: known.version) }
        let code = try await freshCode(for: id, at: try await store.now())
        return try await withIdempotency(request, of: actor, in: id.shard) { transaction in
            var party = try await party(id, with: actor, in: transaction)
            try change(&party, at: versions) { party throws(PartyRefusal) in
                try party.replaceInviteCode(with: code, by: actor)
            }
            transaction.update(party)
            return try render(party)
        }
    }

    /// Claims a membership slot for a player, and passes the player to a closure as a new member.
    private func withMembershipSlot(
        of playerID: PlayerID,
        in id: PartyID,
        request: IdempotentRequest?,
        _ body: (Member) async throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        let result = try await store.claimMembershipSlot(
            of: playerID,
            in: id,
            limit: Self.maxParties,
            claimsLastingFor: Self.maxRequestDuration
        )
        switch result {
        case .unknownPlayer:
            throw CommandError.unknownPlayer
        case .limitReached:
            // If the request has a stored response, it may have used the last slot itself.
            return try await withIdempotency(request, of: playerID, in: id.shard) { _ in
                throw CommandError.tooManyParties
            }
        case .claimed(let claim):
            let member = Member(
                playerID: playerID,
                displayName: claim.player.displayName,
                hero: claim.player.hero,
                experience: claim.player.progress.experience,
                joinedAt: claim.claimedAt
            )
            let outcome: Result<EncodedResponse, any Error>
            do {
                // Also if no adventure is running: the shard must not get a member whose hero this node cannot play.
                _ = try hero(of: member)
                outcome = .success(try await body(member))
            } catch {
                outcome = .failure(error)
            }
            do {
                // Only a refusal is certain: after another error, the membership may be stored.
                let isRefused = if case .failure(is CommandError) = outcome { true } else { false }
                try await store.release(claim, isRefused: isRefused)
            } catch {
                // The outcome stands. An unreleased claim expires.
            }
            return try outcome.get()
        }
    }

    /// Returns the identifier of a party about to be created.
    ///
    /// With an idempotency key, the shard is derived from the key and a secret of the player, so that a repeated request
    /// finds the stored response, and that no client can choose the shard.
    private func newPartyID(of founder: PlayerID, request: IdempotentRequest?) async throws -> PartyID {
        var shard: Shard?
        if let request {
            guard let secret = try await store.shardSecret(of: founder) else { throw CommandError.unknownPlayer }
            shard = Shard.ofNewParty(secret: secret, key: request.key)
        }
        var generator = runtime.generator()
        return PartyID(at: runtime.now(), in: shard, using: &generator)
    }

    /// Returns a party of which a player is a member.
    func party(_ id: PartyID, with actor: PlayerID, in transaction: ShardTransaction) async throws -> Party {
        guard let party = try await transaction.party(id), party.member(actor) != nil else {
            throw CommandError.unknownParty
        }
        return party
    }

    /// Reserves a new invite code, which becomes valid when the party's row refers to it.
    private func freshCode(for id: PartyID, at now: Timestamp) async throws -> InviteCode {
        var generator = runtime.generator()
        while true {
            let code = InviteCode(using: &generator)
            // 40 bits: with a million codes in use, one attempt in a million collides.
            if try await store.reserve(code, for: id, at: now) { return code }
        }
    }

    /// Adds a new member to the party's running adventure, if there is one with a free seat.
    private func seat(_ newcomer: Member, to party: Party, in transaction: inout ShardTransaction) async throws {
        guard var stored = try await runningAdventure(of: party, in: &transaction) else { return }
        do {
            _ = try await apply(.join(try hero(of: newcomer)), to: &stored, in: &transaction)
        } catch CommandError.adventure(.partyFull) {
            // Heroes who left keep their seats, so the adventure can be full although the party is not: the new member
            // joins the party's next adventure.
        }
    }
}
