import Encodings
public import GameCore
import GameLog
import GameStore
import ServiceRuntime

extension GameCommands {
    /// The minimum age of an erasure before it is repeated and completed.
    ///
    /// It exceeds the duration of any request, because a request in progress may have added the player to a party after
    /// that party was examined.
    static let erasureMargin = maxRequestDuration

    /// Erases a player: name, hero, tokens, memberships, and the push tokens of all devices.
    ///
    /// Adventures stay as they were played. They refer to the player by a seat and an identifier that no longer leads
    /// to a person. The erasure consists of idempotent steps in several shards; ``finishErasures(limit:)`` completes it
    /// after a crash, and repeats it for requests that were in progress.
    public func erase(_ playerID: PlayerID) async throws {
        try await store.recordErasure(of: playerID, at: runtime.now())
        try await performErasure(of: playerID)
    }

    /// Repeats and completes erasures recorded some time ago.
    ///
    /// A failing erasure does not prevent the others.
    /// - Parameter limit: the maximum number of erasures.
    /// - Returns: the number of erasures attempted.
    /// - Throws: the last error of the store. Failed erasures are retried by the next call.
    public func finishErasures(limit: Int) async throws -> Int {
        let open = try await store.pendingErasures(recordedBefore: runtime.now() - Self.erasureMargin, limit: limit)
        var failure: (any Error)?
        for playerID in open {
            do {
                try await performErasure(of: playerID)
                try await store.completeErasure(of: playerID)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return open.count
    }

    private func performErasure(of playerID: PlayerID) async throws {
        // First, so that the player can start nothing new: every way into a party reads the profile.
        try await store.deleteProfile(of: playerID)
        for partyID in try await store.partyIDs(of: playerID) {
            try await erase(playerID, from: partyID)
        }
        // Last, so that a caller without a response can repeat the request.
        try await store.deleteTokens(of: playerID)
    }

    private func erase(_ playerID: PlayerID, from partyID: PartyID) async throws {
        try await store.withShard(partyID.shard) { transaction in
            if let party = try await transaction.party(partyID), party.member(playerID) != nil {
                try await remove(playerID, from: party, by: playerID, at: nil, in: &transaction)
                transaction.eraseName(ofDisbandedParty: partyID)
            }
            for activity in try await transaction.liveActivities(of: playerID) {
                transaction.release(activity.id, of: activity.adventureID)
            }
            transaction.erase(playerID)
        }
        wakeSignal.notify()
    }
}
