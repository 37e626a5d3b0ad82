import Encodings
public import GameCore
import GameLog
public import GameStore
import ServiceRuntime

extension GameCommands {
    /// Changes a player's name or hero, between adventures, or whether leaderboards show the name.
    ///
    /// The profile is stored first, and the response with it. Then each of the player's parties gets the change, with a
    /// version of its own. ``finishProfileChanges(limit:)`` completes it after a crash, and repeats it for joins that were in
    /// progress. An adventure that starts at the same time goes on with the name and the hero that it began with.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - displayName: the new name; nil to keep it.
    ///   - hero: the new hero; nil to keep it. The experience stays.
    ///   - isNamedInLeaderboards: whether leaderboards show the name; nil to keep that.
    ///   - versions: the expected versions of the profile; nil accepts any.
    ///   - request: the request; nil without an idempotency key.
    ///   - render: returns the response.
    /// - Returns: the response.
    /// - Throws: ``CommandError``; errors of the store.
    public func changeProfile(
        of playerID: PlayerID,
        displayName: Name?,
        hero: HeroID?,
        isNamedInLeaderboards: Bool? = nil,
        at versions: Set<Int64>? = nil,
        request: IdempotentRequest?,
        render: @Sendable (Player) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        if let response = try await storedResponse(to: request, of: playerID, in: playerID.shard) { return response }
        return try await withQuota(.profile, of: playerID, in: playerID.shard, request: request) {
            // Adventures show the others.
            if displayName != nil || hero != nil { try await requireNoAdventure(of: playerID) }
            var isChanged = false
            let response = try await withIdempotency(request, of: playerID, in: playerID.shard) { transaction in
                let (before, player) = try await changeProfile(
                    of: playerID,
                    displayName: displayName,
                    hero: hero,
                    isNamedInLeaderboards: isNamedInLeaderboards,
                    at: versions,
                    in: &transaction
                )
                isChanged = player.version != before.version
                return try render(player)
            }
            if isChanged { await showChangedProfile(of: playerID) }
            return (response, isChanged)
        }
    }

    /// Refuses to change the name or the hero of a player whose adventure goes on with them.
    /// - Throws: ``CommandError/onAdventure``; errors of the store.
    func requireNoAdventure(of playerID: PlayerID) async throws {
        let partyIDs = try await store.partyIDs(of: playerID)
        guard try await !store.hasRunningAdventure(playerID, among: partyIDs) else { throw CommandError.onAdventure }
    }

    /// Changes a player's profile, in an existing transaction; see ``changeProfile(of:displayName:hero:isNamedInLeaderboards:at:request:render:)``.
    /// - Returns: the player before and after the change, with the same version if there was nothing to change.
    func changeProfile(
        of playerID: PlayerID,
        displayName: Name?,
        hero: HeroID? = nil,
        isNamedInLeaderboards: Bool? = nil,
        at versions: Set<Int64>? = nil,
        in transaction: inout ShardTransaction
    ) async throws -> (before: Player, after: Player) {
        guard let player = try await transaction.player(playerID) else { throw CommandError.unknownPlayer }
        let name = displayName?.text ?? player.displayName
        let newHero = hero ?? player.hero
        let isNamed = isNamedInLeaderboards ?? player.isNamedInLeaderboards
        guard
            name != player.displayName || newHero != player.hero || isNamed != player.isNamedInLeaderboards
        else { return (player, player) }
        if let versions, !versions.contains(player.version) {
            throw CommandError.profileChanged(version: player.version)
        }
        let changed = Player(
            id: playerID,
            displayName: name,
            hero: newHero,
            isNamedInLeaderboards: isNamed,
            progress: player.progress,
            version: player.version + 1
        )
        transaction.update(changed)
        return (player, changed)
    }

    /// Shows a stored change in all of a player's parties, as far as that succeeds.
    func showChangedProfile(of playerID: PlayerID) async {
        do {
            try await showProfile(of: playerID)
        } catch {
            // The profile is changed. The other parties get it in the background.
        }
    }

    /// Repeats and completes changes of profiles made some time ago.
    ///
    /// A failing change does not prevent the others.
    /// - Parameter limit: the number of changes read at once.
    /// - Returns: the number of changes attempted.
    /// - Throws: the last error of the store. Failed changes are retried by the next call.
    public func finishProfileChanges(limit: Int) async throws -> Int {
        let moment = try await store.now() - Self.maxRequestDuration
        var attempts = 0
        var failure: (any Error)?
        var page: [PendingProfileChange] = []
        repeat {
            page = try await store.pendingProfileChanges(before: moment, after: page.last?.playerID, limit: limit)
            for change in page {
                do {
                    try await showProfile(of: change.playerID)
                    try await store.complete(change)
                } catch {
                    failure = error
                }
            }
            attempts += page.count
            try Task.checkCancellation()
        } while page.count == limit
        if let failure { throw failure }
        return attempts
    }

    /// Gives all of a player's parties the player's newest name, hero and experience.
    ///
    /// Idempotent. A failing party does not prevent the others.
    func showProfile(of playerID: PlayerID) async throws {
        var failure: (any Error)?
        for partyID in try await store.partyIDs(of: playerID) {
            do {
                try await showProfile(of: playerID, in: partyID)
            } catch {
                try Task.checkCancellation()
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private func showProfile(of playerID: PlayerID, in partyID: PartyID) async throws {
        // Read for each party: a concurrent change may be newer by now.
        guard let player = try await store.player(playerID) else { return }
        func isChanged(_ party: inout Party) -> Bool {
            party.changeProfile(
                of: playerID,
                displayName: player.displayName,
                hero: player.hero,
                experience: player.progress.experience
            )
        }
        // Most repetitions change nothing, and need no lock.
        guard var known = try await store.party(partyID), isChanged(&known) else { return }
        try await store.withShard(partyID.shard) { transaction in
            guard var party = try await transaction.party(partyID), isChanged(&party),
                let member = party.member(playerID)
            else { return }
            // The shard must not get a hero that this node cannot play.
            _ = try self.hero(of: member)
            transaction.update(party, changingProfileOf: playerID)
        }
    }
}
