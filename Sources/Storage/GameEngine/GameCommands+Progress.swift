import Encodings
import GameCore
import GameLog
import GameStore

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
            let readAt = runtime.uptime()
            page = try await store.pendingAwards(after: page.last, limit: limit)
            guard !page.isEmpty else { break }
            let now = try await store.now()
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
            try Task.checkCancellation()
        } while page.count == limit
        if let failure { throw failure }
        return given
    }

    private func showProgress(of playerID: PlayerID) async {
        do {
            try await showProfile(of: playerID)
        } catch {
            // The change of the profile is pending. The parties get it with `finishProfileChanges(limit:)`.
        }
    }
}
