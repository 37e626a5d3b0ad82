/// The samples of all figures over time.
struct SoakSeries: Sendable {
    /// The figures, in the order of their first samples.
    private(set) var figures: [SoakFigure] = []
    private var samples: [SoakFigure: [SoakTrend.Sample]] = [:]

    /// Adds the values of one moment.
    mutating func add(_ values: [(figure: SoakFigure, value: Double)], atSeconds seconds: Double) {
        for (figure, value) in values {
            if samples[figure] == nil { figures.append(figure) }
            samples[figure, default: []].append((seconds, value))
        }
    }

    /// The result of each figure.
    var results: [SoakResult] {
        let trends = figures.reduce(into: [String: SoakTrend]()) { trends, figure in
            trends[figure.name] = SoakTrend(of: samples[figure] ?? [])
        }
        return figures.map { figure in
            let trend = trends[figure.name]
            let isFlat = figure.limit.map { limit in trend.map { limit.holds(for: $0, among: trends) } ?? false }
            return SoakResult(figure: figure, trend: trend, isFlat: isFlat)
        }
    }
}

/// The result of a figure.
struct SoakResult {
    let figure: SoakFigure
    /// The trend; nil with too few samples.
    let trend: SoakTrend?
    /// Whether the figure has stopped growing; nil for a figure that may grow.
    let isFlat: Bool?

    var row: Report.Row {
        let flat = isFlat.map { $0 ? "yes" : "NO" } ?? "-"
        return [
            .text("figure", "FIGURE", figure.name), .value("unit", figure.unit), .text(nil, "UNIT", figure.unit.title),
            .value("trend", trend), .number(nil, "FIRST QUARTER", trend?.firstQuarter, digits: 1),
            .number(nil, "SECOND", trend?.secondQuarter, digits: 1),
            .number(nil, "LAST", trend?.lastQuarter, digits: 1),
            .number(nil, "PER HOUR", trend?.slopePerHour, digits: 1), .value("isFlat", isFlat),
            .text(nil, "FLAT", flat),
        ]
    }
}

/// The trend of a figure over a long run.
struct SoakTrend: Encodable, Hashable, Sendable {
    /// The minimum number of samples.
    static let minSamples = 8

    /// A figure at one moment, in seconds since the beginning of the run.
    typealias Sample = (atSeconds: Double, value: Double)

    /// The medians of the quarters, in order of time.
    let firstQuarter: Double
    let secondQuarter: Double
    let thirdQuarter: Double
    let lastQuarter: Double
    /// The slope of the regression line.
    let slopePerHour: Double

    /// Computes a trend; nil with too few samples.
    /// - Parameter samples: the samples, in order of time.
    init?(of samples: [Sample]) {
        guard samples.count >= Self.minSamples else { return nil }
        let quarters = (0..<4).map { quarter in
            samples[samples.count * quarter / 4..<samples.count * (quarter + 1) / 4].map(\.value).median
        }
        (firstQuarter, secondQuarter, thirdQuarter, lastQuarter) = (quarters[0], quarters[1], quarters[2], quarters[3])
        slopePerHour = Self.slope(of: samples) * 3_600
    }

    var quarters: [Double] { [firstQuarter, secondQuarter, thirdQuarter, lastQuarter] }

    /// Returns the slope of the regression line by least squares, per second.
    private static func slope(of samples: [Sample]) -> Double {
        let count = Double(samples.count)
        let meanTime = samples.reduce(0) { $0 + $1.atSeconds } / count
        let meanValue = samples.reduce(0) { $0 + $1.value } / count
        var (covariance, variance) = (0.0, 0.0)
        for sample in samples {
            covariance += (sample.atSeconds - meanTime) * (sample.value - meanValue)
            variance += (sample.atSeconds - meanTime) * (sample.atSeconds - meanTime)
        }
        return variance > 0 ? covariance / variance : 0
    }
}

/// The condition for a figure to be flat.
enum SoakLimit: Hashable, Sendable {
    /// The last quarter's median is at most the second quarter's plus a share of it plus an allowance: for large,
    /// fluctuating figures.
    case sum(share: Double, allowance: Double)
    /// The last quarter's median is at most the second quarter's plus the larger of a share of it and an allowance: for
    /// small figures, for which the allowance of large ones would exceed the figure itself.
    case larger(share: Double, allowance: Double)
    /// The last quarter's median is at most the larger of a minimum and a multiple of another figure's: for data that
    /// is cleaned up periodically.
    case relative(factor: Double, to: String, minimum: Double)

    /// Whether a figure has stopped growing.
    ///
    /// The first quarter does not count, since caches fill in it. `others` has the trends of all figures by name.
    func holds(for trend: SoakTrend, among others: [String: SoakTrend]) -> Bool {
        switch self {
        case .sum(let share, let allowance): trend.lastQuarter <= trend.secondQuarter * (1 + share) + allowance
        case .larger(let share, let allowance):
            trend.lastQuarter <= trend.secondQuarter + max(trend.secondQuarter * share, allowance)
        case .relative(let factor, let other, let minimum):
            trend.lastQuarter <= max((others[other]?.lastQuarter ?? 0) * factor, minimum)
        }
    }
}

/// A figure that is recorded over a long run.
struct SoakFigure: Hashable, Sendable {
    enum Unit: String, Encodable, Sendable {
        case mebibytes
        case count
        case perSecond

        var title: String {
            switch self {
            case .mebibytes: "MiB"
            case .count: ""
            case .perSecond: "/s"
            }
        }
    }

    /// The growth beyond which a figure is not flat, in MiB or as a number.
    private static let allowance = 8.0
    /// The relative growth that caches and a fluctuating load can cause.
    private static let share = 0.05
    /// The relative growth that retention can cause: tables fluctuate with the time between two sweeps and two rounds
    /// of vacuum, and reach their size within a quarter of an hour.
    private static let tableShare = 1.0 / 3
    /// The fluctuation of a table's size: an index allocates and frees up to 128 pages of 8 KiB.
    private static let tableMebibytes = 1.0
    /// The maximum number of dead rows per live row.
    ///
    /// Autovacuum runs each minute, and cleans tables with more than a fifth of dead rows (PostgreSQL's defaults). With
    /// a retention of three minutes, another third dies per minute; with more dead rows than live ones, vacuum is
    /// behind.
    private static let deadRowsPerRow = 1.0
    /// The rows that die within a minute in a small table with frequent updates.
    private static let minDeadRows = 5_000.0

    /// The name, such as `rangersd 1 memory`.
    let name: String
    let unit: Unit
    /// The condition for being flat; nil for a figure that may grow.
    let limit: SoakLimit?

    /// Returns the figure for the resident memory of a process.
    static func memory(of process: String, isLimited: Bool) -> Self {
        Self(name: "\(process) memory", unit: .mebibytes, limit: isLimited ? growth(allowance) : nil)
    }

    /// Returns the figure for the open file descriptors of a process.
    static func descriptors(of process: String) -> Self {
        Self(name: "\(process) descriptors", unit: .count, limit: growth(allowance))
    }

    /// Returns the figure for the size of a table with indexes and dead rows.
    ///
    /// Tables with retention must stop growing; others grow with the number of adventures.
    static func size(of table: String, hasRetention: Bool) -> Self {
        Self(
            name: "\(table) size",
            unit: .mebibytes,
            limit: hasRetention ? .larger(share: tableShare, allowance: tableMebibytes) : nil
        )
    }

    /// Returns the figure for the live rows of a table.
    static func rows(of table: String) -> Self { Self(name: "\(table) rows", unit: .count, limit: nil) }

    /// Returns the figure for the dead rows of a table.
    static func deadRows(of table: String) -> Self {
        Self(
            name: "\(table) dead rows",
            unit: .count,
            limit: .relative(factor: deadRowsPerRow, to: rows(of: table).name, minimum: minDeadRows)
        )
    }

    /// The sessions of PostgreSQL.
    static let connections = Self(name: "connections", unit: .count, limit: growth(allowance))

    /// Returns the figure for the number of parties, which fluctuates by the number of guests.
    static func parties(guests: Int) -> Self {
        Self(name: "parties", unit: .count, limit: growth(Double(guests) + allowance))
    }

    /// The running journeys and fights.
    static let adventures = Self(name: "adventures", unit: .count, limit: nil)
    /// The ticks of all nodes.
    static let ticks = Self(name: "ticks", unit: .perSecond, limit: nil)
    /// The accepted pushes.
    static let pushes = Self(name: "pushes", unit: .perSecond, limit: nil)

    private static func growth(_ allowance: Double) -> SoakLimit { .sum(share: share, allowance: allowance) }
}
