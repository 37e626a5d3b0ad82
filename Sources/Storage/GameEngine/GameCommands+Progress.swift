import Encodings
import GameCore
import GameLog
import GameStore
import ServiceRuntime

extension GameCommands {
    /// How old pending awards may be when they are given: less than a failover takes, which may lose the ends that brought
    /// them, while this node waits for a connection or stands still.
    private static let maxAwardAge = Duration.seconds(1)

    /// Gives players what their ended adventures brought them: history, progress and leaderboards, and then the new level in
    /// all of their parties.
    ///
    /// Each award is given once, however many nodes do it, and whenever they stop. A failing shard does not prevent the
    /// others.
    /// - Parameter limit: the number of awards read at once.
    /// - Returns: the number of awards given.
    /// - Throws: the last error of the store. Failed awards are retried by the next call.
    public func giveAwards(limit: Int) async throws -> Int {
        var given = 0
        var failure: (any Error)?
        var page: [Award] = []
        repeat {
            guard try await !store.pendingAwards(after: page.last, limit: 1).isEmpty else { break }
            let now = try await store.now()
            let leaders = await self.leaders(at: now)
            let readAt = runtime.uptime()
            page = try await store.pendingAwards(after: page.last, limit: limit)
            let byShard = Dictionary(grouping: page, by: \.playerID.shard)
            for (shard, awards) in byShard.sorted(by: { $0.key < $1.key }) {
                do {
                    let behind = try await store.apply(awards, in: shard, at: now) {
                        runtime.uptime() - readAt < Self.maxAwardAge
                    }
                    // The next call reads them again.
                    guard let behind else { break }
                    try await store.remove(awards)
                    given += awards.count
                    for playerID in behind { await showProgress(of: playerID) }
                } catch {
                    failure = error
                }
            }
            await reloadWidgets(ofFormer: leaders, at: now)
            try Task.checkCancellation()
        } while page.count == limit
        if let failure { throw failure }
        return given
    }

    /// - Returns: the players at the top of the leaderboards; none after an error, which costs only reloads of widgets.
    private func leaders(at now: Timestamp) async -> [LeaderboardEdition: PlayerID] {
        do {
            return try await store.leaders(at: now)
        } catch {
            return [:]
        }
    }

    /// Reloads the widgets of players who are not at the top of a leaderboard any more: at most one for each.
    ///
    /// The new leader's own progress reloads the leader's widgets.
    private func reloadWidgets(ofFormer leaders: [LeaderboardEdition: PlayerID], at now: Timestamp) async {
        let current = await self.leaders(at: now)
        let former = Set(leaders.filter { current[$0.key] != nil && current[$0.key] != $0.value }.values)
        for playerID in former.sorted() {
            do {
                try await store.markWidgets(of: playerID, at: now)
            } catch {
                // The widgets show the change when they reload by themselves.
            }
        }
    }

    private func showProgress(of playerID: PlayerID) async {
        do {
            try await showProfile(of: playerID)
        } catch {
            // The change of the profile is pending. The parties get it with `finishProfileChanges(limit:)`.
        }
    }
}
