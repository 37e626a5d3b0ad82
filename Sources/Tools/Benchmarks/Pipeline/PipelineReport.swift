import CommandLineSupport

/// How long it takes from a tick to the phones, and what that costs.
struct PipelineReport: Report {
    static let isAboutSpeed = true

    /// One number of live parties.
    struct Row: Encodable, Hashable {
        let parties: Int
        /// Between two ticks of an adventure.
        let intervalSeconds: Double
        let ticksPerSecond: Double
        /// Those that APNs accepted.
        let pushesPerSecond: Double
        /// Those that it did not.
        let refusedPushes: Int
        /// From the transaction of a tick until the simulator's answer; nil when nothing was pushed.
        let p50Milliseconds: Double?
        let p99Milliseconds: Double?
        /// Of one core, for each part.
        let nodeCores: Double
        let simulatorCores: Double
        let postgresCores: Double
    }

    let rows: [Row]
    let cardsOfParty: Int

    func lines(fitting width: Int?) -> [String] {
        let table = Table(
            [
                .init("PARTIES", isNumber: true), .init("TICK S", isNumber: true), .init("TICKS/S", isNumber: true),
                .init("PUSHES/S", isNumber: true), .init("REFUSED", isNumber: true), .init("P50 MS", isNumber: true),
                .init("P99 MS", isNumber: true), .init("NODE", isNumber: true), .init("SIMULATOR", isNumber: true),
                .init("POSTGRES", isNumber: true),
            ],
            rows: rows.map { row in
                [
                    NumberText.text(Double(row.parties)), NumberText.text(row.intervalSeconds, digits: 1),
                    NumberText.text(row.ticksPerSecond), NumberText.text(row.pushesPerSecond), "\(row.refusedPushes)",
                    row.p50Milliseconds.map { NumberText.text($0, digits: 1) } ?? "-",
                    row.p99Milliseconds.map { NumberText.text($0, digits: 1) } ?? "-",
                    NumberText.text(row.nodeCores, digits: 2), NumberText.text(row.simulatorCores, digits: 2),
                    NumberText.text(row.postgresCores, digits: 2),
                ]
            }
        )
        return table.lines(fitting: width) + [
            "",
            "\(cardsOfParty) phones a party; from a tick's transaction to the answer, as the node's histogram tells it.",
            "Node, simulator and PostgreSQL: how much of a core each used.",
        ]
    }
}

extension PipelineReport {
    /// The one that the bars are about: with the most parties, at the usual interval between ticks.
    private var barRow: Row? {
        let interval = rows.map(\.intervalSeconds).max()
        return rows.filter { $0.intervalSeconds == interval }.max { $0.parties < $1.parties }
    }

    private enum CodingKeys: CodingKey {
        case parties, p50Milliseconds, p99Milliseconds, pushesPerSecond, rows, cardsOfParty
    }

    /// Encodes the row that the bars are about, and beside it all rows.
    func encode(to encoder: any Encoder) throws {
        let row = barRow
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(row?.parties, forKey: .parties)
        try container.encode(row?.p50Milliseconds, forKey: .p50Milliseconds)
        try container.encode(row?.p99Milliseconds, forKey: .p99Milliseconds)
        try container.encode(row?.pushesPerSecond, forKey: .pushesPerSecond)
        try container.encode(rows, forKey: .rows)
        try container.encode(cardsOfParty, forKey: .cardsOfParty)
    }
}

extension PipelineReport.Row {
    /// What came about between two readings.
    init(parties: Int, intervalSeconds: Double, from before: PipelineReading, to after: PipelineReading) {
        let seconds = (after.at - before.at) / .seconds(1)
        let latencies = after.latencies - before.latencies
        let accepted = after.accepted - before.accepted
        self.init(
            parties: parties,
            intervalSeconds: intervalSeconds,
            ticksPerSecond: (after.ticks - before.ticks) / seconds,
            pushesPerSecond: accepted / seconds,
            refusedPushes: Int(after.pushes - before.pushes - accepted),
            p50Milliseconds: latencies.percentile(50).map { $0 * 1_000 },
            p99Milliseconds: latencies.percentile(99).map { $0 * 1_000 },
            nodeCores: (after.nodeSeconds - before.nodeSeconds) / seconds,
            simulatorCores: (after.simulatorSeconds - before.simulatorSeconds) / seconds,
            postgresCores: (after.postgresSeconds - before.postgresSeconds) / seconds
        )
    }
}
