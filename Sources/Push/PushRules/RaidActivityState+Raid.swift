public import GameCore
public import LiveActivityContent

extension RaidActivityState {
    /// Creates the state of a raid.
    /// - Parameters:
    ///   - boss: the common boss.
    ///   - healthLeft: the health that it has left.
    ///   - maximumHealth: the health that it had at the beginning.
    ///   - phase: its phase, from 1.
    ///   - parties: the number of the parties' fights.
    ///   - biggestBlow: the damage of the biggest blow.
    ///   - endsEpochSeconds: when the raid ends, in seconds since 1970.
    ///   - outcome: how the raid ended; nil while it goes on.
    ///   - round: the number of rounds that are added up.
    ///   - version: the version of the state.
    public init(
        of boss: BossID,
        healthLeft: Int,
        maximumHealth: Int,
        phase: Int,
        parties: Int,
        biggestBlow: Int?,
        endsEpochSeconds: Int64,
        outcome: RaidDecision.Outcome?,
        round: Int,
        version: Int64
    ) {
        let event: LocalizableText
        let outcomeName: String?
        switch outcome {
        case .defeated: (event, outcomeName) = (Phrase.bossDefeated(boss.name), "defeated")
        case .escaped: (event, outcomeName) = (Phrase.bossGotAway(), "escaped")
        case .stopped: (event, outcomeName) = (Phrase.endedByOperator(), "stopped")
        case nil where healthLeft == maximumHealth: (event, outcomeName) = (Phrase.bossAppeared(boss.name), nil)
        case nil: (event, outcomeName) = (Phrase.bossHasLeft(boss.name, String(healthLeft)), nil)
        }
        self.init(
            boss: AdventureAttributes.BossState(
                avatar: boss.avatar,
                name: boss.name,
                healthLevel: AdventureAttributes.shown(Double(healthLeft) / Double(max(1, maximumHealth))),
                phase: phase > 1 ? AdventureAttributes.BossState.enraged : nil
            ),
            health: healthLeft,
            maximumHealth: maximumHealth,
            phase: phase,
            parties: parties,
            biggestBlow: biggestBlow,
            endsEpochSeconds: endsEpochSeconds,
            event: event,
            outcome: outcomeName,
            tick: round,
            sequence: Int(version)
        )
    }

    /// Returns the alert for phones that have not seen this phase of a raid, or its defeat; nil at the beginning, and if the
    /// boss got away.
    public static func alert(
        of boss: BossID,
        phase: Int,
        outcome: RaidDecision.Outcome?
    ) -> LiveActivityPayload.Alert? {
        switch outcome {
        case .defeated: PushAlert.bossDefeated(boss).content
        case .escaped, .stopped: nil
        case nil where phase > 1:
            LiveActivityPayload.Alert(
                title: Phrase.bossAttacksHeavily(),
                body: Phrase.standTogether(),
                sound: AlertSound.bossAppeared.rawValue
            )
        case nil: nil
        }
    }
}
