import Encodings
import Cryptography
import Foundation
public import GameCore
public import GameStore
import ServiceRuntime

extension GameCommands {
    /// Registers a player with the hash of a token that the caller made.
    public func register(displayName: Name, hero: HeroID, tokenHash: [UInt8]) async throws -> Player {
        var generator = runtime.generator()
        let now = runtime.now()
        let player = Player(
            id: PlayerID(at: now, using: &generator),
            displayName: displayName.text,
            hero: hero
        )
        try await store.register(player, tokenHash: tokenHash, at: now)
        return player
    }

    /// Founds a party, led by its founder.
    public func createParty(
        named name: Name,
        capacity: Int,
        founder: PlayerID,
        request: RepeatableRequest?,
        answering render: @Sendable (Party) throws -> Answer
    ) async throws -> Answer {
        let id = newPartyID(of: founder, request: request)
        if let kept = try await keptAnswer(to: request, of: founder, in: id.shard) { return kept }
        return try await withPlace(of: founder, in: id, request: request) { founder in
            let code = try await freshCode(for: id)
            return try await once(request, of: founder.playerID, in: id.shard) { transaction in
                let party = Party(id: id, name: name.text, inviteCode: code, capacity: capacity, founder: founder)
                transaction.insert(party)
                return try render(party)
            }
        }
    }

    /// Lets a player into the party with an invite code, and into its running adventure; joining twice is fine.
    public func join(
        code: InviteCode,
        player playerID: PlayerID,
        at versions: Set<Int64>? = nil,
        request: RepeatableRequest?,
        answering render: @Sendable (Party) throws -> Answer
    ) async throws -> Answer {
        guard let id = try await store.partyID(of: code) else { throw CommandError.party(.unknownInviteCode) }
        return try await withPlace(of: playerID, in: id, request: request) { newcomer in
            try await once(request, of: playerID, in: id.shard) { transaction in
                guard var party = try await transaction.party(id), party.inviteCode == code else {
                    throw CommandError.party(.unknownInviteCode)
                }
                let isNew = try change(&party, at: versions) { party throws(PartyRefusal) in try party.join(newcomer) }
                if isNew {
                    transaction.update(party)
                    try await letIn(newcomer, to: party, in: &transaction)
                }
                return try render(party)
            }
        }
    }

    /// Takes a member out of a party and of its running adventure: everyone may leave, the leader may remove.
    public func removeMember(
        _ playerID: PlayerID,
        of id: PartyID,
        by actor: PlayerID,
        at versions: Set<Int64>? = nil,
        request: RepeatableRequest?
    ) async throws -> Answer {
        try await once(request, of: actor, in: id.shard) { transaction in
            let party = try await party(id, with: actor, in: transaction)
            try await remove(playerID, from: party, by: actor, at: versions, in: &transaction)
            return Answer(status: 204, body: "")
        }
    }

    /// Takes a member out of a party and of its running adventure.
    func remove(
        _ playerID: PlayerID,
        from party: Party,
        by actor: PlayerID,
        at versions: Set<Int64>?,
        in transaction: inout ShardTransaction
    ) async throws {
        var party = party
        try change(&party, at: versions) { party throws(PartyRefusal) in try party.remove(playerID, by: actor) }
        transaction.update(party)
        guard let adventureID = party.adventureID, var stored = try await transaction.adventure(adventureID) else {
            return
        }
        // A member who came when every seat was taken is not in the adventure: nothing to leave.
        if stored.adventure.heroes.contains(where: { $0.playerID == playerID && !$0.hasLeft }) {
            _ = try await advance(&stored, .leave(playerID), in: &transaction)
        }
    }

    /// Makes another member the leader.
    public func handOver(
        _ id: PartyID,
        to playerID: PlayerID,
        by actor: PlayerID,
        at versions: Set<Int64>? = nil,
        request: RepeatableRequest?,
        answering render: @Sendable (Party) throws -> Answer
    ) async throws -> Answer {
        try await once(request, of: actor, in: id.shard) { transaction in
            var party = try await party(id, with: actor, in: transaction)
            try change(&party, at: versions) { party throws(PartyRefusal) in try party.handOver(to: playerID, by: actor)
            }
            transaction.update(party)
            return try render(party)
        }
    }

    /// Gives a party a new invite code; the old one is dead from then on.
    public func renewInviteCode(
        of id: PartyID,
        by actor: PlayerID,
        at versions: Set<Int64>? = nil,
        request: RepeatableRequest?,
        answering render: @Sendable (Party) throws -> Answer
    ) async throws -> Answer {
        if let kept = try await keptAnswer(to: request, of: actor, in: id.shard) { return kept }
        // Judged before a code is taken, and again under the lock: what is refused uses no code up.
        guard let known = try await store.party(id), known.member(actor) != nil else {
            throw CommandError.unknownParty
        }
        guard known.leaderID == actor else { throw CommandError.party(.notALeader) }
        if let versions, !versions.contains(known.version) { throw CommandError.partyChanged(version: known.version) }
        let code = try await freshCode(for: id)
        return try await once(request, of: actor, in: id.shard) { transaction in
            var party = try await party(id, with: actor, in: transaction)
            try change(&party, at: versions) { party throws(PartyRefusal) in
                try party.replaceInviteCode(with: code, by: actor)
            }
            transaction.update(party)
            return try render(party)
        }
    }

    /// Lets a player into a party, as the member that the player would be, if the player's places are not all taken.
    private func withPlace(
        of playerID: PlayerID,
        in id: PartyID,
        request: RepeatableRequest?,
        _ enter: (Member) async throws -> Answer
    ) async throws -> Answer {
        let now = runtime.now()
        let answer = try await store.claimPlace(
            of: playerID,
            in: id,
            atMost: Self.mostParties,
            claimsSince: now - Self.longestRequest,
            at: now
        )
        switch answer {
        case .unknownPlayer:
            throw CommandError.unknownPlayer
        case .noneLeft:
            // Unless the request was answered already: it may be what took the last place.
            return try await once(request, of: playerID, in: id.shard) { _ in throw CommandError.tooManyParties }
        case .claimed(let claim):
            let member = Member(
                playerID: playerID,
                displayName: claim.player.displayName,
                hero: claim.player.hero,
                experience: 0,
                joinedAt: now
            )
            let outcome: Result<Answer, any Error>
            do {
                outcome = .success(try await enter(member))
            } catch {
                outcome = .failure(error)
            }
            do {
                try await store.settle(claim)
            } catch {
                // What was decided is decided; a claim that is not settled counts for nothing after a while.
            }
            return try outcome.get()
        }
    }

    /// The identifier of a party about to be founded.
    ///
    /// With an idempotency key its shard follows from player and key, so that the request sent again comes to where its
    /// answer is kept.
    private func newPartyID(of founder: PlayerID, request: RepeatableRequest?) -> PartyID {
        let shard = request.map { Shard(rawValue: SHA256.digest(of: "party of \(founder) by key \($0.key)")[0]) }
        var generator = runtime.generator()
        return PartyID(at: runtime.now(), in: shard, using: &generator)
    }

    /// The party, for one of its members.
    func party(_ id: PartyID, with actor: PlayerID, in transaction: ShardTransaction) async throws -> Party {
        guard let party = try await transaction.party(id), party.member(actor) != nil else {
            throw CommandError.unknownParty
        }
        return party
    }

    /// A code that leads to the party as soon as the party names it.
    private func freshCode(for id: PartyID) async throws -> InviteCode {
        var generator = runtime.generator()
        while true {
            let code = InviteCode(using: &generator)
            // 40 bits: with a million codes in use one try in a million meets one.
            if try await store.reserve(code, for: id, at: runtime.now()) { return code }
        }
    }

    /// Seats a newcomer in the party's running adventure, if there is one with a seat left.
    private func letIn(_ newcomer: Member, to party: Party, in transaction: inout ShardTransaction) async throws {
        guard let adventureID = party.adventureID, var stored = try await transaction.adventure(adventureID) else {
            return
        }
        do {
            _ = try await advance(&stored, .join(hero(of: newcomer)), in: &transaction)
        } catch CommandError.adventure(.partyFull) {
            // Heroes who left keep their seats, so the adventure can be full while the party is not: the newcomer is
            // in the party and sets out with it next time.
        }
    }
}
