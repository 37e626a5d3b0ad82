import PushCadence
import RangersSettings

/// The settings of one pace.
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
    /// The longest wait: the lifetime of an activity.
    private static let maxWait = CadencePolicy.maxLifetime
    /// The maximum time for which the Lock Screen keeps an ended activity (Apple, "Displaying live data with Live
    /// Activities").
    private static let maxDismissal = Duration.seconds(4 * 60 * 60)
    /// The largest budget and alert queue: more than is useful, but low enough to bound the memory for all activities.
    private static let maxPushes = 1_000
    /// The largest budget of starts by push: more than any phone is reported to accept.
    ///
    /// A day's starts are stored for each player.
    private static let maxStarts = 100

    mutating func cadence() -> CadencePolicy {
        var policy = CadencePolicy()
        let wait = SettingValue.duration(.seconds(1)...Self.maxWait)
        policy.frequent = pace(.frequent, defaults: policy.frequent)
        policy.standard = pace(.standard, defaults: policy.standard)
        policy.maxQueuedAlerts = value(
            .alertQueueBound,
            default: policy.maxQueuedAlerts,
            as: SettingValue.number(1...Self.maxPushes)
        )
        policy.alertExpiry = value(.alertExpiry, default: policy.alertExpiry, as: wait)
        policy.dismissalAfter = value(
            .dismissalAfter,
            default: policy.dismissalAfter,
            as: SettingValue.duration(.zero...Self.maxDismissal)
        )
        policy.endExpiration = value(.endExpiration, default: policy.endExpiration, as: wait)
        let notice = SettingValue.duration(.zero...Self.maxWait)
        policy.ageWarningBefore = value(.ageWarningBefore, default: policy.ageWarningBefore, as: notice)
        policy.ageEndBefore = value(.ageEndBefore, default: policy.ageEndBefore, as: notice)
        policy.widgetSpacing = value(.widgetSpacing, default: policy.widgetSpacing, as: wait)
        policy.fallbackHourlyBudget = value(
            .fallbackHourlyBudget,
            default: policy.fallbackHourlyBudget,
            as: SettingValue.number(0...Self.maxStarts)
        )
        policy.pushToStart = pushToStart(defaults: policy.pushToStart)
        return policy
    }

    private mutating func pushToStart(defaults: PushToStartPolicy) -> PushToStartPolicy {
        var policy = defaults
        let budget = SettingValue.number(0...Self.maxStarts)
        policy.hourlyBudget = value(.startHourlyBudget, default: defaults.hourlyBudget, as: budget)
        policy.dailyBudget = value(.startDailyBudget, default: defaults.dailyBudget, as: budget)
        policy.partyHourlyBudget = value(.startPartyHourlyBudget, default: defaults.partyHourlyBudget, as: budget)
        policy.partyDailyBudget = value(.startPartyDailyBudget, default: defaults.partyDailyBudget, as: budget)
        let wait = SettingValue.duration(.seconds(1)...Self.maxWait)
        policy.registrationTimeout = value(.startRegistrationTimeout, default: defaults.registrationTimeout, as: wait)
        policy.maxRequestAge = value(.startMaxRequestAge, default: defaults.maxRequestAge, as: wait)
        policy.expiration = value(.startExpiration, default: defaults.expiration, as: wait)
        policy.sameAdventureSpacing = value(
            .startSameAdventureSpacing,
            default: defaults.sameAdventureSpacing,
            as: wait
        )
        // At most half of the maximum age of a request, so that a short delay does not prevent the start.
        policy.appGracePeriod = value(
            .startGrace,
            default: defaults.appGracePeriod,
            as: SettingValue.duration(.zero...max(policy.maxRequestAge / 2, defaults.appGracePeriod))
        )
        policy.raidDelay = value(.raidStartDelay, default: defaults.raidDelay, as: wait)
        policy.raidSpacing = value(
            .raidStartSpacing,
            default: defaults.raidSpacing,
            as: SettingValue.duration(.milliseconds(1)...Self.maxWait)
        )
        policy.maxRaidRequestAge = value(.raidStartMaxRequestAge, default: defaults.maxRaidRequestAge, as: wait)
        if policy.expiration >= policy.registrationTimeout {
            contradiction(
                "\(Setting.startExpiration.rawValue) (\(policy.expiration.settingText)) is not shorter than "
                    + "\(Setting.startRegistrationTimeout.rawValue) (\(policy.registrationTimeout.settingText)): two starts could arrive "
                    + "together"
            )
        }
        return policy
    }

    private mutating func pace(_ names: PaceSettings, defaults: CadencePolicy.Pace) -> CadencePolicy.Pace {
        let spacing = SettingValue.duration(CadencePolicy.minimumSpacing...Self.maxWait)
        // An activity needs pushes for the alert of its end, for the end itself, and for one more.
        let capacity = SettingValue.number((CadencePolicy.personalReserve + 1)...Self.maxPushes)
        let reserve = SettingValue.number(CadencePolicy.personalReserve...Self.maxPushes)
        let pace = CadencePolicy.Pace(
            turnSpacing: value(names.turnSpacing, default: defaults.turnSpacing, as: spacing),
            lowSpacing: value(names.lowSpacing, default: defaults.lowSpacing, as: spacing),
            highCapacity: value(names.highCapacity, default: defaults.highCapacity, as: capacity),
            highRefill: value(
                names.highRefill,
                default: defaults.highRefill,
                as: SettingValue.duration(.milliseconds(1)...Self.maxWait)
            ),
            alertReserve: value(names.alertReserve, default: defaults.alertReserve, as: reserve),
            staleAfter: value(names.staleAfter, default: defaults.staleAfter, as: spacing),
            journeyStaleAfter: value(names.journeyStaleAfter, default: defaults.journeyStaleAfter, as: spacing)
        )
        if pace.alertReserve >= pace.highCapacity {
            contradiction(
                "\(names.alertReserve.rawValue) (\(pace.alertReserve)) leaves nothing of "
                    + "\(names.highCapacity.rawValue) (\(pace.highCapacity)) for other pushes: make it smaller"
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
