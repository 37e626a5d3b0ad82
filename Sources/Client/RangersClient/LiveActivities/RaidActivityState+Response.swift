import Encodings
import Foundation
import GameCore
public import LiveActivityContent
import PushRules

extension RaidActivityState {
    /// Creates the content state that the server broadcasts for a raid that is like this.
    public init(of raid: RaidResponse) {
        let outcome = RaidDecision.Outcome(of: raid)
        self.init(
            of: raid.boss.id,
            healthLeft: raid.boss.health,
            maximumHealth: raid.boss.maximumHealth,
            phase: raid.boss.phase,
            parties: raid.parties,
            biggestBlow: raid.biggestBlow?.damage,
            endsEpochSeconds: Int64(raid.endsAt.timeIntervalSince1970),
            outcome: outcome,
            round: raid.round,
            // The server counts in the same way.
            version: Int64(raid.damage) + (outcome == nil ? 1 : 2)
        )
    }
}

extension RaidDecision.Outcome {
    /// Creates the outcome of a raid; nil while it is not over.
    fileprivate init?(of raid: RaidResponse) {
        guard raid.isOver else { return nil }
        switch (raid.state.value, raid.finishingBlow) {
        case (.defeated?, let blow?):
            let at = Timestamp(microseconds: Int64((blow.at.timeIntervalSince1970 * 1_000_000).rounded()))
            // No activity shows the sequence, which responses do not have.
            self = .defeated(by: RaidBlow(at: at, adventureID: blow.adventureID, sequence: 0, damage: blow.damage))
        case (.escaped?, _): self = .escaped
        default: self = .stopped
        }
    }
}
