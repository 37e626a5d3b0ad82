import GameCore
import GameStore

// The actions of operators on players. They have the rules of the players' own requests, but use none of their quotas.
// Entries of the audit log have the reason and no name: they cannot be erased.

extension OperatorAction {
    /// Whether the action depends on other shards than its own.
    var hasConditions: Bool {
        switch self {
        case .rename: true
        case .bossFight, .end, .disband, .signOut, .erase: false
        }
    }
}

extension GameCommands {
    /// Checks what an action depends on in other shards than its own.
    func checkConditions(of action: OperatorAction) async throws {
        guard case .rename(let id, _, _) = action else { return }
        try await requireNoAdventure(of: id)
    }

    /// Makes the changes of an action in other shards than its own, after its transaction.
    ///
    /// Idempotent. After a crash, the workers of profiles and erasures complete them.
    func complete(_ action: OperatorAction) async throws {
        switch action {
        case .rename(let id, _, _): await showChangedProfile(of: id)
        case .erase(let id, _): try await performErasure(of: id)
        case .bossFight, .end, .disband, .signOut: break
        }
    }

    func rename(
        _ id: PlayerID,
        to name: Name,
        reason: String,
        by author: AuditAuthor,
        in transaction: inout ShardTransaction
    ) async throws {
        let (before, after) = try await changeProfile(of: id, displayName: name, in: &transaction)
        guard after.version != before.version else { return }
        transaction.audit(
            AuditChange(
                .playerRename,
                of: "player/\(id)",
                before: ["version": "\(before.version)"],
                after: ["reason": reason, "version": "\(after.version)"],
                by: author
            )
        )
    }

    func signOut(
        _ id: PlayerID,
        reason: String,
        by author: AuditAuthor,
        in transaction: inout ShardTransaction
    ) async throws {
        guard try await transaction.player(id) != nil else { throw CommandError.unknownPlayer }
        let tokens = try await transaction.tokens(of: id)
        guard !tokens.isEmpty else { return }
        transaction.revokeTokens(of: id)
        transaction.audit(
            AuditChange(
                .playerSignOut,
                of: "player/\(id)",
                before: ["tokens": "\(tokens.count)"],
                after: ["reason": reason, "tokens": "0"],
                by: author
            )
        )
    }

    func erase(
        _ id: PlayerID,
        reason: String,
        by author: AuditAuthor,
        in transaction: inout ShardTransaction
    ) async throws {
        guard try await transaction.player(id) != nil else { throw CommandError.unknownPlayer }
        transaction.recordErasure(of: id)
        transaction.audit(AuditChange(.playerErase, of: "player/\(id)", after: ["reason": reason], by: author))
    }
}
