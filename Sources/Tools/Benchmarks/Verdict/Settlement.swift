import GameStore

/// Waits until a game has come to its end: no adventure runs, nobody is owed anything, and no push comes any more.
struct Settlement: Sendable {
    /// How long the game may take to come to its end once nobody sets out any more.
    private static let longest = Duration.seconds(600)
    private static let pause = Duration.milliseconds(250)
    /// No push for so long: then there is none to come.
    private static let silence = Duration.seconds(4)

    let store: GameStore
    let witness: PushWitness

    /// Waits.
    /// - Returns: what there still is after the longest time; nil when all has come to its end.
    func wait() async -> String? {
        var state = "nothing is known"
        // Only a cancelled task throws here, and has not seen the end either.
        let isOver = try? await Wait.until(atMost: Self.longest, lookingEvery: Self.pause) {
            do {
                let vitals = try await store.vitals()
                state =
                    "\(vitals.journeys) journeys and \(vitals.bossFights) fights run, \(vitals.liveActivities) cards are live"
                let isOver = vitals.journeys == 0 && vitals.bossFights == 0 && vitals.oldestUnsent == nil
                return isOver && witness.silence >= Self.silence
            } catch {
                state = "\(error)"
                return false
            }
        }
        return isOver == true ? nil : "the game has not settled within \(Self.longest.text): \(state)"
    }
}
