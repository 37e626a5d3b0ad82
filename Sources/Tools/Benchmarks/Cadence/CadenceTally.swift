import GameCore
import PushRules

/// What is counted; counts of several parties can be added up in any order.
struct CadenceTally {
    /// What the cards of one kind of adventure on one kind of phone had in common.
    struct Cards: Hashable, Sendable {
        var count = 0
        /// Together, from start to end.
        var life = Duration.zero
        var highPushes = 0
        var lowPushes = 0
        /// From each change to the push that showed it.
        var staleness = DelaySamples()

        mutating func add(_ others: Self) {
            count += others.count
            life += others.life
            highPushes += others.highPushes
            lowPushes += others.lowPushes
            staleness.add(others.staleness)
        }
    }

    /// What became of the alerts of one sort.
    struct Alerts: Hashable, Sendable {
        var delays = DelaySamples()
        var cancelled = 0
        var outwaited = 0
        var lost = 0

        mutating func add(_ others: Self) {
            delays.add(others.delays)
            cancelled += others.cancelled
            outwaited += others.outwaited
            lost += others.lost
        }
    }

    var adventures = 0
    var cards: [CardKind: Cards] = [:]
    private(set) var alerts: [AlertsKind: Alerts] = [:]
    private(set) var losses: [LossReason: Int] = [:]
    private(set) var phones: [Flags: Phones] = [:]

    /// The phones of one kind.
    struct Phones: Hashable, Sendable {
        var count = 0
        /// How many were ever pushed beyond their budget.
        var overBudget = 0
        /// How many pushes did not get through for that.
        var throttled = 0
        /// How many pushes of priority 10 came to one of them in its busiest hour.
        var peak = 0

        mutating func add(_ others: Self) {
            count += others.count
            overBudget += others.overBudget
            throttled += others.throttled
            peak = max(peak, others.peak)
        }
    }

    mutating func count(_ sort: AlertSort, on flags: Flags, _ fate: AlertFate) {
        let kind = AlertsKind(sort: sort, flags: flags)
        switch fate {
        case .delivered(let delay): alerts[kind, default: Alerts()].delays.add(delay)
        case .cancelled: alerts[kind, default: Alerts()].cancelled += 1
        case .outwaited: alerts[kind, default: Alerts()].outwaited += 1
        case .lost(let reason):
            alerts[kind, default: Alerts()].lost += 1
            losses[reason, default: 0] += 1
        }
    }

    mutating func count(_ budget: DeviceBudget, of flags: Flags) {
        let phone = Phones(
            count: 1,
            overBudget: budget.throttled > 0 ? 1 : 0,
            throttled: budget.throttled,
            peak: budget.peak
        )
        phones[flags, default: Phones()].add(phone)
    }

    mutating func add(_ other: Self) {
        adventures += other.adventures
        for (kind, more) in other.cards { cards[kind, default: Cards()].add(more) }
        for (sort, more) in other.alerts { alerts[sort, default: Alerts()].add(more) }
        for (reason, more) in other.losses { losses[reason, default: 0] += more }
        for (flags, more) in other.phones { phones[flags, default: Phones()].add(more) }
    }
}

/// What the app of a phone reported.
enum Flags: String, Encodable, CaseIterable {
    /// `frequentPushesEnabled`.
    case frequent
    /// Not so.
    case standard

    /// How many pushes of priority 10 such a phone lets through in an hour.
    var budgetPerHour: Int {
        switch self {
        case .frequent: DeviceBudget.frequentPerHour
        case .standard: DeviceBudget.standardPerHour
        }
    }
}

/// Which alerts are counted together.
struct AlertsKind: Hashable, Sendable {
    let sort: AlertSort
    let flags: Flags

    static let all = AlertSort.allCases.flatMap { sort in Flags.allCases.map { Self(sort: sort, flags: $0) } }
}

/// Which cards are counted together.
struct CardKind: Hashable, Sendable {
    let flags: Flags
    let adventure: AdventureKind

    static let all = Flags.allCases.flatMap { flags in
        AdventureKind.allCases.map { Self(flags: flags, adventure: $0) }
    }
}
