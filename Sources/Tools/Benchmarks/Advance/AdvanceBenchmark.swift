import ArgumentParser

/// `rangers-bench advance`: the speed of the game rules.
struct AdvanceBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "advance",
        abstract: "Plays adventures on one core, and encodes and decodes their state, without a database.",
        discussion: """
            Measures boss fights and journeys of four heroes in ticks per second, and the time for encoding and \
            decoding the state of a boss fight of eight heroes. Each figure is the median of \(runs) runs.

            JSON: {medianOf, \(AdvanceFigure.allCases.map(\.rawValue).joined(separator: ", ")), encodedBytes, \
            codecShare, spread: {FIGURE: {lowest, median, highest}}}; codecShare is the part of decoding and encoding in \
            a tick of eight heroes that decodes the state before and encodes it after. A timeline also derives the \
            moments and the digest of the events.
            """
    )
    static let reportsSpeed = true
    /// The number of runs of each figure.
    static let runs = 5

    @Option(help: ArgumentHelp("The approximate duration of the whole measurement.", valueName: "seconds"))
    var seconds = 10

    @OptionGroup var options: ReportOptions

    func validate() throws { try Self.check("--seconds", seconds, in: 1...600) }

    func measure() async throws -> Report {
        let workload = try AdvanceWorkload()
        let run = Duration.seconds(seconds) / (AdvanceFigure.allCases.count * (Self.runs + 1))
        let figures = try Spread.measured(AdvanceFigure.allCases, turns: Self.runs) {
            try workload.measure($0, for: run)
        }
        return Self.report(figures, encodedBytes: workload.encodedBytes)
    }

    /// Returns the report of all figures.
    static func report(_ figures: [AdvanceFigure: Spread], encodedBytes: Int) -> Report {
        func median(_ figure: AdvanceFigure) -> Double { figures[figure]?.median ?? .nan }
        let tick = 1_000_000 / median(.ticksOfEightPerSecond)
        let coding = median(.decodeMicroseconds) + median(.encodeMicroseconds)
        let codecShare = coding / (coding + tick)

        var report = Report()
        report.add(
            AdvanceFigure.allCases.compactMap { name in
                figures[name].map { spread in
                    let numbers = [("MEDIAN", spread.median), ("LOWEST", spread.lowest), ("HIGHEST", spread.highest)]
                    return .init(
                        [.text(nil, "FIGURE", name.title)]
                            + numbers.map { .number(nil, $0, $1, digits: name.isRate ? 0 : 2) } + [
                                .text(nil, "UNIT", name.isRate ? "ticks/s" : "µs")
                            ]
                    )
                }
            }
        )
        report.add([
            "Each figure is the median of \(runs) runs on one core.",
            "A state of eight heroes has \(encodedBytes.grouped) bytes. A tick of eight heroes takes "
                + "\(tick.grouped(digits: 2)) µs; with decoding and encoding \((tick + coding).grouped(digits: 2)) µs "
                + "(\((codecShare * 100).grouped(digits: 1)) % of it for these).",
        ])
        report.set("medianOf", runs)
        for name in AdvanceFigure.allCases { report.set(name.rawValue, figures[name]?.median) }
        report.set([
            "spread": Dictionary(uniqueKeysWithValues: figures.map { ($0.key.rawValue, $0.value) }),
            "encodedBytes": encodedBytes, "codecShare": codecShare,
        ])
        return report
    }
}

/// The figures of `rangers-bench advance`; the raw value is the JSON field.
enum AdvanceFigure: String, CaseIterable {
    case ticksPerSecond
    case journeyTicksPerSecond
    case commandTicksPerSecond
    case timelineTicksPerSecond
    case ticksOfEightPerSecond
    case encodeMicroseconds
    case decodeMicroseconds

    var title: String {
        switch self {
        case .ticksPerSecond: "boss fight of four"
        case .journeyTicksPerSecond: "journey of four"
        case .commandTicksPerSecond: "boss fight of four, by commands"
        case .timelineTicksPerSecond: "boss fight of four, as a timeline"
        case .ticksOfEightPerSecond: "boss fight of eight"
        case .encodeMicroseconds: "state of eight, encoded"
        case .decodeMicroseconds: "state of eight, decoded"
        }
    }

    /// Whether the figure is in ticks per second; otherwise it is in microseconds.
    var isRate: Bool {
        switch self {
        case .ticksPerSecond, .journeyTicksPerSecond, .commandTicksPerSecond, .timelineTicksPerSecond,
            .ticksOfEightPerSecond:
            true
        case .encodeMicroseconds, .decodeMicroseconds: false
        }
    }
}
