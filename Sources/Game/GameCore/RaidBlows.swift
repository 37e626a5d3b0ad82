public import Encodings

/// The blows of a raid fight about which the raid's home has decided nothing yet.
public struct RaidBlows: Hashable, Sendable {
    /// The fight.
    public let adventureID: AdventureID
    /// The start of the fight.
    public let startedAt: Timestamp
    private let countsFrom: Timestamp
    /// The blows that are not before the end of the newest decision's round, in order.
    public private(set) var blows: [RaidBlow] = []
    /// The damage that decisions excluded after the end of the fight.
    private(set) var excluded = 0

    init(of adventureID: AdventureID, startedAt: Timestamp, countsFrom: Timestamp) {
        self.adventureID = adventureID
        self.startedAt = startedAt
        self.countsFrom = countsFrom
    }

    mutating func add(_ damage: Int, sequence: Int, at moment: Timestamp) {
        let moment = max(moment, countsFrom)
        blows.append(RaidBlow(at: moment, adventureID: adventureID, sequence: sequence, damage: damage))
    }

    /// Returns the damage that does not count by a decision.
    func uncounted(by decision: RaidDecision) -> Int {
        guard decision.outcome != nil else { return 0 }
        return blows.reduce(0) { $0 + $1.damage - decision.counted($1) }
    }

    /// Removes the blows that a decision includes or excludes.
    mutating func removeDecided(by decision: RaidDecision) {
        blows.removeAll { decision.outcome != nil || $0.at < decision.roundEnd }
    }

    /// Takes a decision that the fight, which has ended, does not take.
    mutating func settle(_ decision: RaidDecision) {
        excluded += uncounted(by: decision)
        removeDecided(by: decision)
    }
}
