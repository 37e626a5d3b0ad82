public import GameCore
public import GameLog
import GameStore

extension GameCommands {
    /// Opens a party to spectators, until it is closed to them or disbanded, or gets another leader.
    ///
    /// Idempotent as long as the link follows from the same secret; another link replaces the previous one.
    /// - Parameters:
    ///   - id: the party.
    ///   - actor: the player who opens it, its leader.
    ///   - link: returns the link that is derived from random bytes.
    /// - Returns: the random bytes, and whether the link is new.
    /// - Throws: ``CommandError/unknownParty``; ``CommandError/party(_:)`` for a member who does not lead the party; errors of
    ///   the store.
    public func openToSpectators(
        _ id: PartyID,
        by actor: PlayerID,
        link: @Sendable (_ salt: [UInt8]) -> SpectatorLink
    ) async throws -> (salt: [UInt8], isNew: Bool) {
        let salt = randomBytes(32)
        return try await store.withShard(id.shard) { transaction in
            try await requireLeader(actor, of: id, in: transaction)
            if let known = try await transaction.spectatorLink(of: id), link(known.salt) == known.link {
                return (known.salt, false)
            }
            transaction.open(id, to: link(salt), salt: salt)
            return (salt, true)
        }
    }

    /// Closes a party to spectators.
    ///
    /// Idempotent. The link is worth nothing from then on.
    /// - Parameters:
    ///   - id: the party.
    ///   - actor: the player who closes it, its leader.
    /// - Throws: ``CommandError/unknownParty``; ``CommandError/party(_:)`` for a member who does not lead the party; errors of
    ///   the store.
    public func closeToSpectators(_ id: PartyID, by actor: PlayerID) async throws {
        try await store.withShard(id.shard) { transaction in
            try await requireLeader(actor, of: id, in: transaction)
            transaction.closeToSpectators(id)
        }
    }

    private func requireLeader(_ actor: PlayerID, of id: PartyID, in transaction: ShardTransaction) async throws {
        guard try await party(id, with: actor, in: transaction).leaderID == actor else {
            throw CommandError.party(.notALeader)
        }
    }
}
