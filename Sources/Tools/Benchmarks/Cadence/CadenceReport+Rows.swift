import CommandLineSupport
import GameCore

/// What became of alerts.
struct AlertRow: Encodable, Hashable {
    /// What they are about; nil for all of them.
    let alert: AlertSort?
    /// What the phones' app reported; nil for all of them.
    let flags: Flags?
    let delivered: Int
    /// What they asked for happened before they were sent.
    let cancelled: Int
    /// The same, and the phone's budget was spent until then.
    let outwaited: Int
    let lost: Int
    /// Of those delivered, from the event to APNs's answer, in seconds.
    let delay: DelaySpread

    var owed: Int { delivered + cancelled + outwaited + lost }

    init(_ kind: AlertsKind?, _ alerts: [CadenceTally.Alerts]) {
        var sum = CadenceTally.Alerts()
        for some in alerts { sum.add(some) }
        alert = kind?.sort
        flags = kind?.flags
        delivered = sum.delays.count
        cancelled = sum.cancelled
        outwaited = sum.outwaited
        lost = sum.lost
        delay = sum.delays.spread
    }

    static func table(_ rows: [Self]) -> Table {
        Table(
            [
                .init("ALERT"), .init("PHONES"), .init("OWED", isNumber: true), .init("DELIVERED", isNumber: true),
                .init("CANCELLED", isNumber: true), .init("NO BUDGET", isNumber: true), .init("LOST", isNumber: true),
                .init("DELAY s 50%", isNumber: true), .init("99%", isNumber: true),
            ],
            rows: rows.map { row in
                [row.alert?.rawValue ?? "all", row.flags?.rawValue ?? "all"]
                    + [row.owed, row.delivered, row.cancelled, row.outwaited, row.lost].map {
                        NumberText.text(Double($0))
                    }
                    + row.delay.cells
            }
        )
    }
}

/// How many alerts were lost for one reason.
struct LossRow: Encodable, Hashable {
    let reason: String
    let alerts: Int
}

/// How long phones of one kind lag behind.
struct StalenessRow: Encodable, Hashable {
    let flags: Flags
    /// In seconds.
    let p50: Double
    let p99: Double

    init(flags: Flags, spread: DelaySpread) {
        self.flags = flags
        p50 = spread.p50
        p99 = spread.p99
    }
}

/// What was pushed to the cards of one kind.
struct CardRow: Encodable, Hashable {
    let flags: Flags
    let adventure: AdventureKind
    let cards: Int
    /// Pushes of priority 10 to one card in an hour of its life.
    let highPerHour: Double
    /// Pushes of priority 5 to one card in an hour of its life.
    let lowPerHour: Double
    /// From a change to the push that showed it, in seconds.
    let staleness: DelaySpread

    init(_ kind: CardKind, _ counts: CadenceTally.Cards) {
        let hours = counts.life / .seconds(60 * 60)
        flags = kind.flags
        adventure = kind.adventure
        cards = counts.count
        highPerHour = Double(counts.highPushes) / hours
        lowPerHour = Double(counts.lowPushes) / hours
        staleness = counts.staleness.spread
    }

    static func table(_ rows: [Self]) -> Table {
        Table(
            [
                .init("PHONES"), .init("ADVENTURES"), .init("CARDS", isNumber: true),
                .init("PRIORITY 10 PER CARD-HOUR", isNumber: true), .init("PRIORITY 5", isNumber: true),
                .init("STALE s 50%", isNumber: true), .init("99%", isNumber: true),
            ],
            rows: rows.map { row in
                [row.flags.rawValue, row.adventure.rawValue, NumberText.text(Double(row.cards))]
                    + [row.highPerHour, row.lowPerHour].map { NumberText.text($0, digits: 1) }
                    + row.staleness.cells
            }
        )
    }
}

/// What came to the phones of one kind.
struct PhoneRow: Encodable, Hashable {
    let flags: Flags
    let phones: Int
    /// What a phone lets through in an hour.
    let budgetPerHour: Int
    /// What came to one of them in its busiest hour.
    let peakPerHour: Int
    let overBudget: Int
    let throttled: Int

    init(_ flags: Flags, _ phones: CadenceTally.Phones) {
        self.flags = flags
        self.phones = phones.count
        budgetPerHour = flags.budgetPerHour
        peakPerHour = phones.peak
        overBudget = phones.overBudget
        throttled = phones.throttled
    }

    static func table(_ rows: [Self]) -> Table {
        Table(
            [
                .init("PHONES"), .init("COUNT", isNumber: true), .init("BUDGET/h", isNumber: true),
                .init("BUSIEST HOUR", isNumber: true), .init("OVER BUDGET", isNumber: true),
                .init("THROTTLED", isNumber: true),
            ],
            rows: rows.map { row in
                let counts = [row.phones, row.budgetPerHour, row.peakPerHour, row.overBudget, row.throttled]
                return [row.flags.rawValue] + counts.map { NumberText.text(Double($0)) }
            }
        )
    }
}
