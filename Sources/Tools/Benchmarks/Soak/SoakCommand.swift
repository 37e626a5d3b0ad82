import ArgumentParser
import CommandLineSupport

/// `rangers-bench soak`: whether anything grows that must not, over a long time.
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Lets the service work for a long time, and looks for what grows.",
        discussion: """
            A private PostgreSQL whose commits reach the disk, the APNs simulator and nodes, each a process of its own, \
            under a steady load: parties that travel one journey after another, fights that an operator starts, new \
            tokens, guests who come and leave again, so that there are as many parties at the end as at the beginning. What is over is removed after some minutes, as it is after a day or a month \
            in life. At intervals it is told what memory and descriptors each process has, how large tables are and how \
            many of their rows are dead, how many sessions there are, and how much is done.

            At the end there is a row for each of these: medians of quarters, and the slope. What must stay flat is flat \
            when the last quarter's median is at most 5 % and 8 (MiB, or pieces; for parties, as many guests more) above the second's. \
            Tables are small: a third, or 1 MiB, is what they may grow by, and they have no more dead rows than live ones, or \
            5,000. The load of each quarter is told, too. Then everything \
            is held against what must be true at all times (docs/simulation.md).

            As JSON: {seconds, parties, pushes, acknowledged, removed, rows: [{figure, unit, trend: {firstQuarter, \
            secondQuarter, thirdQuarter, lastQuarter, slopePerHour}, isFlat}], verdict, complaints}.
            """
    )

    private static let possibleParties = 1...2_000
    private static let possibleIntervals = 1...3_600
    /// A week.
    private static let mostMinutes = 10_080.0

    @Option(help: ArgumentHelp("How long it lasts.", valueName: "minutes"))
    var minutes = 60.0

    @Option(help: ArgumentHelp("How many parties play.", valueName: "count"))
    var parties = 30

    @Option(
        help: ArgumentHelp("Between two looks; \(SoakTrend.fewestSamples) at least must fit.", valueName: "seconds")
    )
    var every = 60

    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard Self.possibleParties.contains(parties) else {
            throw ValidationError(
                "--parties is \(Self.possibleParties.lowerBound) to \(Self.possibleParties.upperBound), not \(parties)"
            )
        }
        guard Self.possibleIntervals.contains(every) else {
            throw ValidationError(
                "--every is \(Self.possibleIntervals.lowerBound) to \(Self.possibleIntervals.upperBound), not \(every)"
            )
        }
        guard minutes <= Self.mostMinutes, minutes * 60 >= Double(every * SoakTrend.fewestSamples) else {
            throw ValidationError("--minutes must be at least \(SoakTrend.fewestSamples) times --every")
        }
    }

    func run() async throws {
        let bench = SoakBench(
            length: .seconds(minutes * 60),
            interval: .seconds(every),
            parties: parties,
            say: { StandardError.print($0) }
        )
        let report = try await bench.report()
        try options.show(report)
        try report.check()
    }
}
