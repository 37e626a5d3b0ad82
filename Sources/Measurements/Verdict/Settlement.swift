import GameStore

/// Waits until a game has come to its end: no adventure runs, nobody is owed anything, and no push comes any more.
struct Settlement: Sendable {
    private static let pause = Duration.milliseconds(250)
    /// No push for so long: then there is none to come.
    private static let silence = Duration.seconds(4)

    let store: GameStore
    let witness: PushWitness

    /// Waits.
    /// - Parameter limit: how long at most.
    /// - Returns: what there still is after that time; nil when all has come to its end.
    func wait(atMost limit: Duration) async -> String? {
        let deadline = ContinuousClock.now + limit
        var state = "nothing is known"
        while ContinuousClock.now < deadline {
            do {
                let vitals = try await store.vitals()
                state =
                    "\(vitals.journeys) journeys and \(vitals.bossFights) fights run, \(vitals.liveActivities) cards are live"
                let isOver = vitals.journeys == 0 && vitals.bossFights == 0 && vitals.oldestUnsent == nil
                if isOver, witness.silence >= Self.silence { return nil }
            } catch {
                state = "\(error)"
            }
            try? await Task.sleep(for: Self.pause)
        }
        return "the game has not settled within \(limit / .seconds(1)) s: \(state)"
    }
}
