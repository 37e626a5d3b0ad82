import CommandLineSupport

/// What the game does without, with and again without a reader that keeps a snapshot open.
struct SnapshotReport: Report {
    static let isAboutSpeed = true

    /// When.
    enum Phase: String, CaseIterable, Encodable, Sendable {
        case before
        /// While the snapshot is kept.
        case pinned
        case after
    }

    /// Some seconds of a phase.
    struct Row: Encodable, Hashable {
        let phase: Phase
        /// Since the measurement began.
        let fromSeconds: Double
        /// With what comes between rounds and is not counted: adventures that begin.
        let seconds: Double
        let ticks: Int
        /// While the engine played.
        let ticksPerSecond: Double
        let engineMicrosecondsPerTick: Double
        let postgresMicrosecondsPerTick: Double
        let walBytesPerTick: Double
        /// At the end, of the tables that ticks rewrite, as far as PostgreSQL knows.
        let deadRows: Int
        /// The same tables with their indexes.
        let tableBytes: Int
    }

    /// A table at the end of a phase.
    struct TableRow: Encodable, Hashable {
        let phase: Phase
        let table: String
        let deadRows: Int
        let bytes: Int
    }

    /// What a statement took in a phase.
    struct StatementRow: Encodable, Hashable {
        let phase: Phase
        let statement: String
        let calls: Int
        let microsecondsPerTick: Double
    }

    let parties: Int
    let connections: Int
    let pinnedSeconds: Double
    /// In their order.
    var rows: [Row] = []
    var tables: [TableRow] = []
    /// Of each phase those that took the longest, in that order.
    var statements: [StatementRow] = []

    init(parties: Int, connections: Int, pinnedSeconds: Double) {
        self.parties = parties
        self.connections = connections
        self.pinnedSeconds = pinnedSeconds
    }

    /// Ticks a second of a phase; nil where nothing was played.
    func ticksPerSecond(_ phase: Phase) -> Double? {
        let rows = rows.filter { $0.phase == phase && $0.ticks > 0 }
        guard !rows.isEmpty else { return nil }
        let seconds = rows.reduce(0) { $0 + Double($1.ticks) / $1.ticksPerSecond }
        return Double(rows.reduce(0) { $0 + $1.ticks }) / seconds
    }

    /// Of the time with the reader to that before.
    var pinnedRatio: Double? {
        guard let before = ticksPerSecond(.before), let pinned = ticksPerSecond(.pinned) else { return nil }
        return pinned / before
    }

    /// Of the slowest row with the reader.
    private var lowestTicksPerSecond: Double? { rows.filter { $0.phase == .pinned }.map(\.ticksPerSecond).min() }

    func lines(fitting width: Int?) -> [String] {
        rowTable.lines(fitting: width) + [
            "", closing,
            "Ticks a second are of the time in which the engine plays; µs of CPU time and bytes of WAL are of one tick.",
            "",
        ] + tableTable.lines(fitting: width) + [""] + statementTable.lines(fitting: width)
    }

    private var closing: String {
        func text(_ rate: Double?) -> String { rate.map { NumberText.text($0) } ?? "-" }
        return
            "\(text(ticksPerSecond(.before))) ticks a second before, \(text(ticksPerSecond(.pinned))) with a snapshot of "
            + "\(NumberText.text(pinnedSeconds)) s (\(pinnedRatio.map { NumberText.text($0, digits: 2) } ?? "-") of it, "
            + "\(text(lowestTicksPerSecond)) at the lowest), \(text(ticksPerSecond(.after))) after it."
    }

    private var rowTable: Table {
        Table(
            [
                .init("PHASE"), .init("FROM S", isNumber: true), .init("TICKS/S", isNumber: true),
                .init("ENGINE µS", isNumber: true), .init("POSTGRES µS", isNumber: true),
                .init("WAL BYTES", isNumber: true), .init("DEAD ROWS", isNumber: true), .init("MB", isNumber: true),
            ],
            rows: rows.map { row in
                [
                    row.phase.rawValue, NumberText.text(row.fromSeconds), NumberText.text(row.ticksPerSecond),
                    NumberText.text(row.engineMicrosecondsPerTick, digits: 1),
                    NumberText.text(row.postgresMicrosecondsPerTick, digits: 1), NumberText.text(row.walBytesPerTick),
                    NumberText.text(Double(row.deadRows)), NumberText.text(Double(row.tableBytes) / 1_000_000),
                ]
            }
        )
    }

    private var tableTable: Table {
        Table(
            [.init("TABLE")]
                + Phase.allCases.flatMap { phase in
                    [
                        Table.Column("DEAD \(phase.rawValue.uppercased())", isNumber: true),
                        Table.Column("MB", isNumber: true),
                    ]
                },
            rows: tables.filter { $0.phase == .before }.map(\.table).map { name in
                [name]
                    + Phase.allCases.flatMap { phase in
                        guard let row = tables.first(where: { $0.phase == phase && $0.table == name }) else {
                            return ["-", "-"]
                        }
                        return [
                            NumberText.text(Double(row.deadRows)),
                            NumberText.text(Double(row.bytes) / 1_000_000, digits: 1),
                        ]
                    }
            }
        )
    }

    /// Those that took the longest with the reader, µs a tick in each phase.
    private var statementTable: Table {
        Table(
            [.init("STATEMENT")] + Phase.allCases.map { .init("µS \($0.rawValue.uppercased())", isNumber: true) },
            rows: statements.filter { $0.phase == .pinned }.map(\.statement).map { statement in
                [statement]
                    + Phase.allCases.map { phase in
                        statements.first { $0.phase == phase && $0.statement == statement }
                            .map { NumberText.text($0.microsecondsPerTick, digits: 2) } ?? "-"
                    }
            }
        )
    }
}

extension SnapshotReport.Row {
    /// What was measured in one row's time.
    init(
        _ phase: SnapshotReport.Phase,
        fromSeconds: Double,
        seconds: Double,
        figures: TickFigures,
        tables: [TableFigures]
    ) {
        let ticks = Double(max(figures.ticks ?? 0, 1))
        self.init(
            phase: phase,
            fromSeconds: fromSeconds,
            seconds: seconds,
            ticks: figures.ticks ?? 0,
            ticksPerSecond: figures.seconds > 0 ? Double(figures.ticks ?? 0) / figures.seconds : 0,
            engineMicrosecondsPerTick: figures.ownSeconds * 1_000_000 / ticks,
            postgresMicrosecondsPerTick: figures.serverSeconds * 1_000_000 / ticks,
            walBytesPerTick: figures.walBytes / ticks,
            deadRows: tables.reduce(0) { $0 + $1.deadRows },
            tableBytes: tables.reduce(0) { $0 + $1.bytes }
        )
    }
}

extension SnapshotReport.TableRow {
    init(phase: SnapshotReport.Phase, _ table: TableFigures) {
        self.init(phase: phase, table: table.name, deadRows: table.deadRows, bytes: table.bytes)
    }
}

extension SnapshotReport.StatementRow {
    /// Nil for what stores the adventures that begin, which is no tick.
    init?(phase: SnapshotReport.Phase, _ figures: StatementFigures, ofTicks ticks: Int) {
        guard !figures.statement.hasPrefix("COPY ") else { return nil }
        self.init(
            phase: phase,
            statement: figures.statement,
            calls: figures.calls,
            microsecondsPerTick: figures.milliseconds * 1_000 / Double(max(ticks, 1))
        )
    }
}

extension SnapshotReport {
    private enum CodingKeys: CodingKey {
        case parties, connections, pinnedSeconds, ticksPerSecond, pinnedTicksPerSecond, afterTicksPerSecond
        case lowestTicksPerSecond, pinnedRatio, rows, tables, statements
    }

    /// Encodes the rates of the phases, and beside them what they were made of.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(parties, forKey: .parties)
        try container.encode(connections, forKey: .connections)
        try container.encode(pinnedSeconds, forKey: .pinnedSeconds)
        try container.encode(ticksPerSecond(.before), forKey: .ticksPerSecond)
        try container.encode(ticksPerSecond(.pinned), forKey: .pinnedTicksPerSecond)
        try container.encode(ticksPerSecond(.after), forKey: .afterTicksPerSecond)
        try container.encode(lowestTicksPerSecond, forKey: .lowestTicksPerSecond)
        try container.encode(pinnedRatio, forKey: .pinnedRatio)
        try container.encode(rows, forKey: .rows)
        try container.encode(tables, forKey: .tables)
        try container.encode(statements, forKey: .statements)
    }
}
