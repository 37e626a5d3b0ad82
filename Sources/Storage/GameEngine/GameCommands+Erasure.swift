import Encodings
public import GameCore
import GameStore
import ServiceRuntime

extension GameCommands {
    /// How long after it was asked for an erasure is gone through once more: longer than any request takes that was
    /// under way then, and may have let the player into a party after it was looked at.
    static let erasureMargin = longestRequest

    /// Erases a player: name, hero, tokens and membership are gone, and so is what phones were pushed with.
    ///
    /// Games stay as they were played: they know the player by a seat and an identifier, which leads to nobody any more.
    /// Steps over several homes, each of which may be repeated: a crash in between is made good by
    /// ``finishErasures(limit:)``, and so is what was under way meanwhile.
    public func erase(_ playerID: PlayerID) async throws {
        try await store.noteErasure(of: playerID, at: runtime.now())
        try await carryOutErasure(of: playerID)
    }

    /// Goes through erasures once more that were asked for a while ago, and closes them; one that fails does not hold up
    /// the others.
    /// - Parameter limit: how many to take at most.
    /// - Returns: how many were closed.
    /// - Throws: the last error of the store; what is not closed is taken up the next time.
    public func finishErasures(limit: Int) async throws -> Int {
        let open = try await store.erasures(askedForBefore: runtime.now() - Self.erasureMargin, limit: limit)
        var failure: (any Error)?
        for playerID in open {
            do {
                try await carryOutErasure(of: playerID)
                try await store.closeErasure(of: playerID)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return open.count
    }

    private func carryOutErasure(of playerID: PlayerID) async throws {
        // First, so that nothing new begins: every way into a party reads the profile.
        try await store.forgetProfile(of: playerID)
        for partyID in try await store.partyIDs(of: playerID) {
            try await erase(playerID, from: partyID)
        }
        // Last, so that whoever gets no answer can ask again.
        try await store.forgetTokens(of: playerID)
    }

    private func erase(_ playerID: PlayerID, from partyID: PartyID) async throws {
        try await store.withShard(partyID.shard, at: runtime.now()) { transaction in
            if let party = try await transaction.party(partyID), party.member(playerID) != nil {
                try await remove(playerID, from: party, by: playerID, at: nil, in: &transaction)
                transaction.forgetName(ofDisbanded: partyID)
            }
            for activity in try await transaction.liveActivities(of: playerID) {
                guard let stored = try await transaction.adventure(activity.adventureID) else { continue }
                transaction.release(activity.id, in: stored)
            }
            transaction.forget(playerID)
        }
        wakeSignal.notify()
    }
}
