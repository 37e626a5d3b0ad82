import CommandLineSupport
import GameCore

/// How well the cadence serves many phones for some hours.
struct CadenceReport: Report {
    static let isAboutSpeed = false

    let scenario: CadenceScenario
    let tally: CadenceTally

    /// All alerts together.
    var alerts: AlertRow { AlertRow(nil, AlertsKind.all.compactMap { tally.alerts[$0] }) }
    var alertRows: [AlertRow] {
        AlertsKind.all.compactMap { kind in tally.alerts[kind].map { AlertRow(kind, [$0]) } }
    }
    var losses: [LossRow] {
        LossReason.allCases.compactMap { reason in
            tally.losses[reason].map { LossRow(reason: reason.rawValue, alerts: $0) }
        }
    }
    var phones: [PhoneRow] { Flags.allCases.compactMap { flags in tally.phones[flags].map { PhoneRow(flags, $0) } } }
    var cards: [CardRow] { CardKind.all.compactMap { kind in tally.cards[kind].map { CardRow(kind, $0) } } }
    var staleness: [StalenessRow] {
        Flags.allCases.map { flags in
            var samples = DelaySamples()
            for (kind, cards) in tally.cards where kind.flags == flags { samples.add(cards.staleness) }
            return StalenessRow(flags: flags, spread: samples.spread)
        }
    }

    var devicesOverBudget: Int { phones.reduce(0) { $0 + $1.overBudget } }
    var pushesThrottled: Int { phones.reduce(0) { $0 + $1.throttled } }

    /// What does not hold of what must hold.
    var failings: [String] {
        let alerts = alerts
        return [
            alerts.lost == 0 ? nil : "\(alerts.lost) alerts were lost.",
            devicesOverBudget == 0 ? nil : "\(devicesOverBudget) phones were pushed beyond their budget.",
            alerts.delay.p50 < 1 ? nil : "The median delay of an alert is a second or more.",
        ].compactMap(\.self)
    }

    /// Refuses a report in which something does not hold.
    func check() throws(FailedCadence) {
        let failings = failings
        if !failings.isEmpty { throw FailedCadence(explanation: failings.joined(separator: " ")) }
    }

    func lines(fitting width: Int?) -> [String] {
        let tables = [AlertRow.table(alertRows + [alerts]), CardRow.table(cards), PhoneRow.table(phones)]
        let text = tables.flatMap { $0.lines(fitting: width) + [""] }
        let losses = losses.map { "\($0.alerts) \($0.reason)" }.joined(separator: ", ")
        let failings = failings
        return text + (losses.isEmpty ? [] : ["Lost: \(losses)."])
            + (failings.isEmpty
                ? [
                    "No alert was lost, no phone was pushed beyond its budget; half of the alerts took under a second."
                ]
                : failings)
    }
}

/// Why a check of the cadence did not hold.
struct FailedCadence: CommandFailure, Hashable {
    let explanation: String
    let exitStatus = ExitStatus.failed
}

extension CadenceReport {
    /// Simulates on all cores; a party shares nothing with another, so the numbers are the same in whatever order they
    /// come.
    ///
    /// At a lower priority, so that nothing else in the process waits behind them all.
    init(simulating scenario: CadenceScenario) async {
        let parties = scenario.parties
        let tally = await withTaskGroup(of: CadenceTally.self) { group in
            for party in parties {
                group.addTask(priority: .utility) { SimulatedParty(party, of: scenario).tallied() }
            }
            var progress = Progress(of: parties.count)
            var tally = CadenceTally()
            for await one in group {
                tally.add(one)
                progress.advance()
            }
            return tally
        }
        self.init(scenario: scenario, tally: tally)
    }
}

extension CadenceReport {
    private enum CodingKeys: CodingKey {
        case activities
        case hours
        case seed
        case busy
        case adventures
        case alertsOwed
        case alertsDelivered
        case alertsCancelled
        case alertsOutwaited
        case alertsLost
        case alertDelaySeconds
        case devicesOverBudget
        case pushesThrottled
        case staleness
        case alerts
        case losses
        case cards
        case phones
    }

    /// Encodes what was simulated, and what came of it.
    func encode(to encoder: any Encoder) throws {
        let all = alerts
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(scenario.activities, forKey: .activities)
        try container.encode(scenario.hours, forKey: .hours)
        try container.encode(scenario.seed, forKey: .seed)
        try container.encode(scenario.isBusy, forKey: .busy)
        try container.encode(tally.adventures, forKey: .adventures)
        try container.encode(all.owed, forKey: .alertsOwed)
        try container.encode(all.delivered, forKey: .alertsDelivered)
        try container.encode(all.cancelled, forKey: .alertsCancelled)
        try container.encode(all.outwaited, forKey: .alertsOutwaited)
        try container.encode(all.lost, forKey: .alertsLost)
        try container.encode(all.delay, forKey: .alertDelaySeconds)
        try container.encode(devicesOverBudget, forKey: .devicesOverBudget)
        try container.encode(pushesThrottled, forKey: .pushesThrottled)
        try container.encode(staleness, forKey: .staleness)
        try container.encode(alertRows, forKey: .alerts)
        try container.encode(losses, forKey: .losses)
        try container.encode(cards, forKey: .cards)
        try container.encode(phones, forKey: .phones)
    }
}
