import ArgumentParser
import PushDispatch

/// `rangers-bench verdicts`: checks the verdicts about pushes against devices whose causes are known.
struct VerdictBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "verdicts",
        abstract: "Judges the pushes of simulated devices with planted causes, and prints the confusion matrix.",
        discussion: """
            Each seed is one activity for each of \(PushVerdict.Cause.allCases.count) causes: a device on which that \
            cause keeps pushes from being shown from some time on. Cadence, decision log, receipts and judge are the \
            real ones. Besides, devices lose their network for a minute, save power, get new tokens and have wrong \
            clocks; of their reports one in five is lost, one in ten is late, and one in five comes twice.

            A row of the matrix is what became of the pushes in the decision logs; a column is the verdict. "shown" \
            stands for pushes of which the device showed the state or a newer one. Of the pushes that were not shown, \
            99 % must be named rightly and none wrongly; a verdict that cannot tell is not wrong. The last line is \
            of devices whose app does not know their budget, as apps in the App Store do not, and which may save power \
            besides the planted cause, so that two causes hold.

            JSON: {seeds, seed, pushes, notShown, named, wrong, wrongBefore, namedShare, matrix: [{truth, shown, \
            CAUSE: count, …, unknownYet, cannotTell}], hard: {notShown, named, wrong}}.
            """
    )

    @Option(help: ArgumentHelp("The number of seeds.", valueName: "count")) var seeds = 100

    @Option(help: ArgumentHelp("The first seed.", valueName: "seed")) var seed: UInt64 = 1

    @Option(help: ArgumentHelp("The number of concurrent runs.", valueName: "count")) var parallel = 2

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try Self.check("--seeds", seeds, in: 1...1_000_000)
        try Self.check("--parallel", parallel, in: 1...64)
    }

    func measure() async throws -> Report {
        let matrices = await concurrently(seeds, limit: parallel) { [seed] number in
            [false, true].map { VerdictMatrix(seed: seed &+ UInt64(number), isHard: $0) }
        }
        return Self.report(
            VerdictMatrix(adding: matrices.map { $0[0] }),
            hard: VerdictMatrix(adding: matrices.map { $0[1] }),
            seeds: seeds,
            from: seed
        )
    }

    /// The share of the pushes that were not shown whose cause must be named.
    private static let requiredShare = 0.99

    /// Returns the report of all runs.
    static func report(_ all: VerdictMatrix, hard: VerdictMatrix, seeds: Int, from seed: UInt64) -> Report {
        var report = Report()
        let share = all.notShown == 0 ? 0 : Double(all.named) / Double(all.notShown)
        report.set([
            "seeds": seeds, "seed": seed, "pushes": all.pushes, "notShown": all.notShown, "named": all.named,
            "wrong": all.wrong, "wrongBefore": all.wrongBefore, "namedShare": share,
        ])
        report.add(all.rows, as: "matrix")
        report.add([
            "\(all.notShown) of \(all.pushes) pushes were not shown: \(all.named) causes were named rightly "
                + "(\((share * 100).grouped(digits: 2)) %) and \(all.wrong) wrongly, and \(all.wrongBefore) wrongly at "
                + "other times.",
            "Without the budget, and with devices that save power besides: \(hard.notShown) not shown, "
                + "\(hard.named) named rightly and \(hard.wrong) wrongly.",
        ])
        let hardRow: Report.Row = [
            .value("notShown", hard.notShown), .value("named", hard.named), .value("wrong", hard.wrong),
        ]
        report.set("hard", hardRow)
        if all.wrong + all.wrongBefore > 0 { report.fail("A cause was named wrongly.") }
        if share < requiredShare { report.fail("Fewer than 99 % of the causes were named.") }
        return report
    }
}

/// What became of pushes, and what the judge says of them.
struct VerdictMatrix {
    /// The name of a row for pushes whose state, or a newer one, was shown.
    static let shown = "shown"

    private var counts: [String: [String: Int]] = [:]
    private(set) var wrongBefore = 0

    /// Adds matrices up.
    init(adding matrices: [Self]) {
        for matrix in matrices {
            wrongBefore += matrix.wrongBefore
            for (truth, row) in matrix.counts { counts[truth, default: [:]].merge(row, uniquingKeysWith: +) }
        }
    }

    /// Runs each cause with a seed.
    init(seed: UInt64, isHard: Bool) {
        for cause in PushVerdict.Cause.allCases {
            var simulation = VerdictSimulation(seed: seed, planting: cause, isHard: isHard)
            let (judgements, wrongBefore) = simulation.run()
            self.wrongBefore += wrongBefore.count
            for judgement in judgements {
                add(judgement.truth?.rawValue ?? Self.shown, verdict: judgement.verdict)
            }
        }
    }

    /// Adds a push that a cause kept from being shown, or ``shown``.
    mutating func add(_ truth: String, verdict: PushVerdict) {
        counts[truth, default: [:]][verdict.column, default: 0] += 1
    }

    private var causes: [String] { PushVerdict.Cause.allCases.map(\.rawValue) }

    var pushes: Int { counts.values.reduce(0) { $0 + $1.values.reduce(0, +) } }
    /// The number of pushes that were not shown.
    var notShown: Int { causes.reduce(0) { $0 + (counts[$1]?.values.reduce(0, +) ?? 0) } }
    /// The number of causes that were named rightly.
    var named: Int { causes.reduce(0) { $0 + count($1, $1) } }
    /// The number of pushes for which a wrong cause was named, or that were called shown and were not.
    var wrong: Int {
        let rows = [Self.shown] + causes
        return rows.reduce(0) { sum, truth in
            sum + rows.reduce(0) { $0 + ($1 == truth ? 0 : count(truth, $1)) }
        }
    }

    func count(_ truth: String, _ verdict: String) -> Int { counts[truth]?[verdict] ?? 0 }

    /// A row for each truth.
    var rows: [Report.Row] {
        let columns = [Self.shown] + causes + ["unknownYet", "cannotTell"]
        return ([Self.shown] + causes).map { truth in
            let cells: [Report.Field] = columns.map { .count($0, $0, count(truth, $0)) }
            return Report.Row([.text("truth", "TRUTH", truth)] + cells)
        }
    }
}

extension PushVerdict {
    /// The column of a matrix.
    fileprivate var column: String {
        switch self {
        case .shown, .alreadyShown, .superseded: VerdictMatrix.shown
        case .notShown(let cause): cause.rawValue
        case .unknownYet, .cannotTell: name
        }
    }
}
