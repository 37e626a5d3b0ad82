import PushCadence

/// The names of one pace's numbers.
struct PaceSettings {
    let turnSpacing: Setting
    let lowSpacing: Setting
    let highCapacity: Setting
    let highRefill: Setting
    let alertReserve: Setting
    let staleAfter: Setting
    let journeyStaleAfter: Setting

    static let frequent = Self(
        turnSpacing: .frequentTurnSpacing,
        lowSpacing: .frequentLowSpacing,
        highCapacity: .frequentHighCapacity,
        highRefill: .frequentHighRefill,
        alertReserve: .frequentAlertReserve,
        staleAfter: .frequentStaleAfter,
        journeyStaleAfter: .frequentJourneyStaleAfter
    )

    static let standard = Self(
        turnSpacing: .standardTurnSpacing,
        lowSpacing: .standardLowSpacing,
        highCapacity: .standardHighCapacity,
        highRefill: .standardHighRefill,
        alertReserve: .standardAlertReserve,
        staleAfter: .standardStaleAfter,
        journeyStaleAfter: .standardJourneyStaleAfter
    )
}

extension SettingsReader {
    /// Nothing waits longer than an activity lives.
    private static let longestActivity = CadencePolicy.longestLife
    /// The longest that the Lock Screen keeps an ended activity (Apple, "Displaying live data with Live Activities").
    private static let longestDismissal = Duration.seconds(4 * 60 * 60)
    /// More than anybody can want, few enough that the memory for all activities stays bounded.
    private static let mostPushes = 1_000
    /// More than any phone is reported to take; each start of a day is kept with its player.
    private static let mostStarts = 100

    mutating func cadence() -> CadencePolicy {
        var policy = CadencePolicy()
        let wait = SettingValue.duration(.seconds(1)...Self.longestActivity)
        policy.frequent = pace(.frequent, usual: policy.frequent)
        policy.standard = pace(.standard, usual: policy.standard)
        policy.alertQueueBound = value(
            .alertQueueBound,
            default: policy.alertQueueBound,
            as: SettingValue.number(1...Self.mostPushes)
        )
        policy.alertExpiry = value(.alertExpiry, default: policy.alertExpiry, as: wait)
        policy.dismissalAfter = value(
            .dismissalAfter,
            default: policy.dismissalAfter,
            as: SettingValue.duration(.zero...Self.longestDismissal)
        )
        policy.endExpiration = value(.endExpiration, default: policy.endExpiration, as: wait)
        let notice = SettingValue.duration(.zero...Self.longestActivity)
        policy.ageWarningBefore = value(.ageWarningBefore, default: policy.ageWarningBefore, as: notice)
        policy.ageEndBefore = value(.ageEndBefore, default: policy.ageEndBefore, as: notice)
        policy.pushToStart = pushToStart(usual: policy.pushToStart)
        return policy
    }

    private mutating func pushToStart(usual: PushToStartPolicy) -> PushToStartPolicy {
        var policy = usual
        let budget = SettingValue.number(0...Self.mostStarts)
        policy.hourlyBudget = value(.startHourlyBudget, default: usual.hourlyBudget, as: budget)
        policy.dailyBudget = value(.startDailyBudget, default: usual.dailyBudget, as: budget)
        let wait = SettingValue.duration(.seconds(1)...Self.longestActivity)
        policy.answerLimit = value(.startAnswerLimit, default: usual.answerLimit, as: wait)
        policy.oldestBeginning = value(.startOldestBeginning, default: usual.oldestBeginning, as: wait)
        policy.expiration = value(.startExpiration, default: usual.expiration, as: wait)
        policy.sameAdventureSpacing = value(.startSameAdventureSpacing, default: usual.sameAdventureSpacing, as: wait)
        // Half of the age at which a beginning is too old, so that a slow moment does not cost the card.
        policy.grace = value(
            .startGrace,
            default: usual.grace,
            as: SettingValue.duration(.zero...max(policy.oldestBeginning / 2, usual.grace))
        )
        if policy.expiration >= policy.answerLimit {
            contradiction(
                "\(Setting.startExpiration.rawValue) (\(policy.expiration.settingText)) is not shorter than "
                    + "\(Setting.startAnswerLimit.rawValue) (\(policy.answerLimit.settingText)): two starts could arrive "
                    + "together"
            )
        }
        return policy
    }

    private mutating func pace(_ names: PaceSettings, usual: CadencePolicy.Pace) -> CadencePolicy.Pace {
        let spacing = SettingValue.duration(CadencePolicy.minimumSpacing...Self.longestActivity)
        // What an activity needs for the alert that tells the end, for the end itself, and for one more.
        let capacity = SettingValue.number((CadencePolicy.personalReserve + 1)...Self.mostPushes)
        let reserve = SettingValue.number(CadencePolicy.personalReserve...Self.mostPushes)
        let pace = CadencePolicy.Pace(
            turnSpacing: value(names.turnSpacing, default: usual.turnSpacing, as: spacing),
            lowSpacing: value(names.lowSpacing, default: usual.lowSpacing, as: spacing),
            highCapacity: value(names.highCapacity, default: usual.highCapacity, as: capacity),
            highRefill: value(
                names.highRefill,
                default: usual.highRefill,
                as: SettingValue.duration(.milliseconds(1)...Self.longestActivity)
            ),
            alertReserve: value(names.alertReserve, default: usual.alertReserve, as: reserve),
            staleAfter: value(names.staleAfter, default: usual.staleAfter, as: spacing),
            journeyStaleAfter: value(names.journeyStaleAfter, default: usual.journeyStaleAfter, as: spacing)
        )
        if pace.alertReserve >= pace.highCapacity {
            contradiction(
                "\(names.alertReserve.rawValue) (\(pace.alertReserve)) leaves nothing of "
                    + "\(names.highCapacity.rawValue) (\(pace.highCapacity)) to anything else: make it less"
            )
        }
        if pace.turnSpacing > pace.lowSpacing {
            contradiction(
                "\(names.turnSpacing.rawValue) (\(pace.turnSpacing.settingText)) is longer than "
                    + "\(names.lowSpacing.rawValue) (\(pace.lowSpacing.settingText)): turns would wait longer than small changes"
            )
        }
        return pace
    }
}
