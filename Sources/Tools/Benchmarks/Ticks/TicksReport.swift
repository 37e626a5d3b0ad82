import CommandLineSupport

/// How many ticks a second the engine plays, beside what PostgreSQL alone allows.
struct TicksReport: Report {
    static let isAboutSpeed = true

    /// The rounds of the game, or of its statements alone.
    struct Lane {
        let parties: Int
        let connections: Int
        let isFloor: Bool
        let rounds: [TickFigures]
    }

    /// One number of parties with one number of connections, each figure the median of its rounds.
    struct Row: Encodable, Hashable {
        let parties: Int
        let connections: Int
        let ticksPerRound: Int
        let ticksPerSecond: Double
        /// Of the same statements alone; nil when they were not measured.
        let floorTicksPerSecond: Double?
        /// Of the two.
        let ratio: Double?
        let walBytesPerTick: Double
        /// CPU time of the engine, and of PostgreSQL while it played.
        let engineMicrosecondsPerTick: Double
        let postgresMicrosecondsPerTick: Double
        /// CPU time of both together, which is what a tick costs.
        var microsecondsPerTick: Double { engineMicrosecondsPerTick + postgresMicrosecondsPerTick }
    }

    /// What a tick costs with the most parties stored, in relation to the fewest.
    struct Growth: Encodable, Hashable {
        let connections: Int
        let fewestParties: Int
        let mostParties: Int
        /// Of the CPU time, engine and PostgreSQL together.
        let processorRatio: Double
        /// Of the time that it takes.
        let timeRatio: Double
    }

    let rows: [Row]
    /// By the number of connections; empty where there is nothing to compare.
    let growth: [Growth]
    /// Of the first row's database, in all its rounds.
    let statements: [StatementFigures]
    let ticksOfStatements: Int
    let medianOf: Int

    /// - Parameters:
    ///   - lanes: each floor behind the game whose statements it has.
    ///   - statements: what PostgreSQL counted.
    ///   - played: whose statements they are.
    init(_ lanes: [Lane], statements: [StatementFigures], of played: Lane) {
        let rows = lanes.filter { !$0.isFloor }.map { game in
            Row(
                game,
                floor: lanes.first {
                    $0.isFloor && $0.parties == game.parties && $0.connections == game.connections
                }
            )
        }
        self.rows = rows
        self.statements = statements
        ticksOfStatements = played.rounds.reduce(0) { $0 + ($1.ticks ?? 0) }
        medianOf = played.rounds.count
        growth = Set(rows.map(\.connections)).sorted().compactMap { connections in
            Growth(rows.filter { $0.connections == connections })
        }
    }

    func lines(fitting width: Int?) -> [String] {
        let table = Table(
            [
                .init("PARTIES", isNumber: true), .init("CONNECTIONS", isNumber: true),
                .init("TICKS/S", isNumber: true), .init("FLOOR", isNumber: true), .init("RATIO", isNumber: true),
                .init("ENGINE µS", isNumber: true), .init("POSTGRES µS", isNumber: true),
                .init("WAL BYTES", isNumber: true),
            ],
            rows: rows.map { row in
                [
                    NumberText.text(Double(row.parties)), "\(row.connections)", NumberText.text(row.ticksPerSecond),
                    row.floorTicksPerSecond.map { NumberText.text($0) } ?? "-",
                    row.ratio.map { NumberText.text($0, digits: 2) } ?? "-",
                    NumberText.text(row.engineMicrosecondsPerTick, digits: 1),
                    NumberText.text(row.postgresMicrosecondsPerTick, digits: 1), NumberText.text(row.walBytesPerTick),
                ]
            }
        )
        return table.lines(fitting: width) + growthLines + [
            "",
            "Each the median of \(medianOf) rounds in turns; µs of CPU time and bytes of WAL are of one tick, and the floor is",
            "the same statements without the game, over as many connections.",
            "",
        ] + statementTable.lines(fitting: width)
    }

    private var growthLines: [String] {
        growth.flatMap { growth in
            [
                "",
                "A tick with \(NumberText.text(Double(growth.mostParties))) parties stored costs "
                    + "\(NumberText.text(growth.processorRatio, digits: 2)) times the CPU, and "
                    + "\(NumberText.text(growth.timeRatio, digits: 2)) times the time, of one with "
                    + "\(NumberText.text(Double(growth.fewestParties))), over "
                    + (growth.connections == 1 ? "one connection." : "\(growth.connections) connections."),
            ]
        }
    }

    private var statementTable: Table {
        let ticks = Double(max(ticksOfStatements, 1))
        return Table(
            [
                .init("STATEMENT"), .init("CALLS", isNumber: true), .init("MS A CALL", isNumber: true),
                .init("ROWS A CALL", isNumber: true), .init("µS A TICK", isNumber: true),
                .init("WAL A TICK", isNumber: true),
            ],
            rows: statements.map { figures in
                let calls = Double(max(figures.calls, 1))
                return [
                    figures.statement, NumberText.text(Double(figures.calls)),
                    NumberText.text(figures.milliseconds / calls, digits: 3),
                    NumberText.text(Double(figures.rows) / calls),
                    NumberText.text(figures.milliseconds * 1_000 / ticks, digits: 2),
                    NumberText.text(Double(figures.walBytes) / ticks),
                ]
            }
        )
    }
}

extension TicksReport {
    /// The one that the bars are about: of the size that was asked for first, with the most connections.
    private var barRow: Row? {
        rows.filter { $0.parties == rows[0].parties }.max { $0.connections < $1.connections }
    }

    private enum CodingKeys: CodingKey {
        case parties, connections, ticksPerSecond, floorTicksPerSecond, ratio, walBytesPerTick
        case rows, growth, statements, ticksOfStatements, medianOf
    }

    /// Encodes the row that the bars are about, and beside it all rows and what else was measured.
    func encode(to encoder: any Encoder) throws {
        let row = barRow
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(row?.parties, forKey: .parties)
        try container.encode(row?.connections, forKey: .connections)
        try container.encode(row?.ticksPerSecond, forKey: .ticksPerSecond)
        try container.encode(row?.floorTicksPerSecond, forKey: .floorTicksPerSecond)
        try container.encode(row?.ratio, forKey: .ratio)
        try container.encode(row?.walBytesPerTick, forKey: .walBytesPerTick)
        try container.encode(rows, forKey: .rows)
        try container.encode(growth, forKey: .growth)
        try container.encode(statements, forKey: .statements)
        try container.encode(ticksOfStatements, forKey: .ticksOfStatements)
        try container.encode(medianOf, forKey: .medianOf)
    }
}

extension TicksReport.Row {
    init(_ game: TicksReport.Lane, floor: TicksReport.Lane?) {
        // Each figure of each round by the ticks of that round: rounds differ a little, since adventures end.
        func median(_ lane: TicksReport.Lane, _ figure: (TickFigures) -> Double) -> Double {
            let numbers = zip(lane.rounds, game.rounds).map { round, played in figure(round) / Double(played.ticks ?? 1)
            }
            return Spread(of: numbers).median
        }
        let seconds = median(game, \.seconds)
        let floorSeconds = floor.map { median($0, \.seconds) }
        self.init(
            parties: game.parties,
            connections: game.connections,
            ticksPerRound: game.rounds[0].ticks ?? 0,
            ticksPerSecond: 1 / seconds,
            floorTicksPerSecond: floorSeconds.map { 1 / $0 },
            ratio: floorSeconds.map { $0 / seconds },
            walBytesPerTick: median(game, \.walBytes),
            engineMicrosecondsPerTick: median(game, \.ownSeconds) * 1_000_000,
            postgresMicrosecondsPerTick: median(game, \.serverSeconds) * 1_000_000
        )
    }
}

extension TicksReport.Growth {
    /// Compares the most parties with the fewest; nil where that is the same row.
    /// - Parameter rows: with as many connections each.
    init?(_ rows: [TicksReport.Row]) {
        let byParties = rows.sorted { $0.parties < $1.parties }
        guard let fewest = byParties.first, let most = byParties.last, fewest.parties < most.parties else { return nil }
        self.init(
            connections: fewest.connections,
            fewestParties: fewest.parties,
            mostParties: most.parties,
            processorRatio: most.microsecondsPerTick / fewest.microsecondsPerTick,
            timeRatio: fewest.ticksPerSecond / most.ticksPerSecond
        )
    }
}
