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

    /// The maximum number of rows that a statement of an erasure changes, in a few milliseconds.
    private static let erasureBatch = 200
    /// How long after its expiry a stored response may still be there: some sweeps, and any difference of clocks.
    private static let recordExpiryMargin = Duration.seconds(24 * 60 * 60)

    /// Erases a player: name, hero, history, scores, tokens, memberships, and the push tokens of all devices.
    ///
    /// Adventures stay as they were played. They refer to the player by a seat and an identifier that no longer leads
    /// to a person. The erasure consists of idempotent steps in several shards; ``finishErasures(limit:)`` completes it
    /// after a crash, and repeats it for requests that were in progress.
    public func erase(_ playerID: PlayerID) async throws {
        try await store.recordErasure(of: playerID, at: try await store.now())
        try await performErasure(of: playerID)
    }

    /// Repeats and completes erasures recorded some time ago, each once.
    ///
    /// A failing erasure does not prevent the others.
    /// - Parameter limit: the number of erasures read at once.
    /// - Returns: the number of erasures attempted.
    /// - Throws: the last error of the store. Failed erasures are retried by the next call.
    public func finishErasures(limit: Int) async throws -> Int {
        let start = try await store.now()
        var attempts = 0
        var failure: (any Error)?
        var open: [PlayerID]
        repeat {
            open = try await store.pendingErasures(
                recordedBefore: start - Self.erasureMargin,
                attemptedBefore: start,
                limit: limit
            )
            for playerID in open {
                // First, so that neither a failure nor a crash of the attempt makes it the first one again.
                try await store.recordErasureAttempt(of: playerID, at: max(start, try await store.now()))
                do {
                    try await performErasure(of: playerID)
                    try await store.completeErasure(of: playerID)
                } catch {
                    failure = error
                }
            }
            attempts += open.count
            try Task.checkCancellation()
        } while open.count == limit
        if let failure { throw failure }
        return attempts
    }

    /// Carries out the steps of a recorded erasure.
    ///
    /// Idempotent.
    func performErasure(of playerID: PlayerID) async throws {
        // First, so that the player can start nothing new: every way into a party reads the profile.
        try await store.deleteProfile(of: playerID)
        try await store.eraseProgress(of: playerID, batch: Self.erasureBatch)
        // All of the list: the player may have returned to a party through a node that does not know what is marked as left.
        let listed = try await store.partyIDs(of: playerID, leftAfter: Timestamp(epochSeconds: 0))
        let memberships = try await store.currentMemberships(
            among: Set(listed.map { Membership(of: playerID, in: $0) })
        )
        let joined = Set(listed.filter { memberships.contains(Membership(of: playerID, in: $0)) })
        for partyID in listed where joined.contains(partyID) { try await removeErased(playerID, from: partyID) }
        // Stored responses show a former member until they expire.
        let recent = try await store.partyIDs(
            of: playerID,
            leftAfter: try await store.now() - Self.idempotencyRecordLifetime - Self.recordExpiryMargin
        )
        let parties = listed.filter(joined.union(recent).contains)
        // The player is in no party any more, so no response that is stored from here on shows the player.
        for partyID in parties {
            var cursor: IdempotencyRecordCursor?
            repeat {
                cursor = try await store.redactResponses(
                    showing: playerID,
                    in: partyID,
                    after: cursor,
                    batch: Self.erasureBatch
                )
            } while cursor != nil
        }
        for shard in try await store.shards(withDataOf: playerID) {
            try await releaseActivities(ofErased: playerID, in: shard)
            try await store.erase(playerID, in: shard, batch: Self.erasureBatch)
        }
        // Last, so that a caller without a response can repeat the request.
        try await store.deleteTokens(of: playerID)
    }

    private func removeErased(_ playerID: PlayerID, from partyID: PartyID) async throws {
        try await store.withShard(partyID.shard) { transaction in
            guard let party = try await transaction.party(partyID), party.member(playerID) != nil else { return }
            try await remove(playerID, from: party, by: playerID, at: nil, in: &transaction)
            transaction.eraseName(ofDisbandedParty: partyID)
        }
        wakeSignal.notify()
    }

    /// Releases the live activities of an erased player in a shard, in batches, so that each holds the shard's lock for a
    /// few milliseconds.
    private func releaseActivities(ofErased playerID: PlayerID, in shard: Shard) async throws {
        while try await !store.liveActivities(of: playerID, in: [shard]).isEmpty {
            try await store.withShard(shard) { transaction in
                for activity in try await transaction.liveActivities(of: playerID).prefix(Self.releaseBatch) {
                    transaction.release(activity.id, of: activity.adventureID)
                }
            }
            wakeSignal.notify()
        }
    }

    /// The maximum number of activities that a transaction of an erasure releases.
    private static let releaseBatch = 50
}
