import ArgumentParser

/// `rangers-bench ticks`: how fast the engine plays.
struct TicksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ticks",
        abstract: "Plays adventures in PostgreSQL, beside the same statements without the game.",
        discussion: """
            On a private PostgreSQL whose commits reach the disk: parties of four, half of them on a journey and half \
            before a boss, are stored by COPY. Then the engine plays them round by round, about \
            \(TicksBench.ticksPerTransaction) ticks in each transaction, with rules, states and events. In turns with it \
            the same statements, as they were recorded byte by byte, run through libpq's pipeline and nothing else, on a \
            copy of the database: that is what PostgreSQL allows here. Connections are engines of one connection each, \
            as nodes are.

            More than one --parties tells what a tick costs with more stored:
              rangers-bench ticks --parties 10000 1000000 --no-floor

            --pinned-snapshot tells instead what a reader costs that keeps a snapshot open, as a forgotten transaction or a \
            dump does: no version of a row is removed that it might still see. For a third of that time the game plays \
            without it, then with it, then without it again. Whatever ends is replaced, so that all of the time as many \
            adventures run; the first of --parties and the most of --connections count:
              rangers-bench ticks --pinned-snapshot 180

            Each figure is the median of \(TicksBench.rounds) rounds. Before them come as many as play every adventure once: \
            one, with a million parties ten. With 100,000 parties it takes some minutes and 2 GB of disk, with a million \
            some 20 GB.

            As JSON: {parties, connections, ticksPerSecond, floorTicksPerSecond, ratio, walBytesPerTick, rows: \
            [{parties, connections, ticksPerRound, ticksPerSecond, floorTicksPerSecond, ratio, walBytesPerTick, \
            engineMicrosecondsPerTick, postgresMicrosecondsPerTick}], growth: [{connections, fewestParties, \
            mostParties, processorRatio, timeRatio}], statements: [{statement, calls, milliseconds, rows, walBytes}], \
            ticksOfStatements, medianOf}. What is beside the rows is the row of the first --parties with the most \
            connections; without the floor, floorTicksPerSecond and ratio are null.

            With --pinned-snapshot: {parties, connections, pinnedSeconds, ticksPerSecond, pinnedTicksPerSecond, \
            afterTicksPerSecond, lowestTicksPerSecond, pinnedRatio, rows: [{phase, fromSeconds, seconds, ticks, \
            ticksPerSecond, engineMicrosecondsPerTick, postgresMicrosecondsPerTick, walBytesPerTick, deadRows, \
            tableBytes}], tables: [{phase, table, deadRows, bytes}], statements: [{phase, statement, calls, \
            microsecondsPerTick}]}; a phase is before, pinned or after.
            """
    )

    private static let possibleParties = 100...1_000_000
    private static let possibleConnections = 1...16
    private static let possibleSeconds = 3...3_600

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("How many parties are stored; several numbers are compared.", valueName: "count")
    )
    var parties = [100_000]

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Over how many connections, and so shards at once, the engine plays.", valueName: "count")
    )
    var connections = [1, 4]

    @Flag(inversion: .prefixedNo, help: "Run the same statements without the game, too.")
    var floor = true

    @Option(
        help: ArgumentHelp("Measure what a snapshot costs that is kept open for so long.", valueName: "seconds")
    )
    var pinnedSnapshot: Int?

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try check(parties, "--parties", in: Self.possibleParties)
        try check(connections, "--connections", in: Self.possibleConnections)
        if let pinnedSnapshot { try check([pinnedSnapshot], "--pinned-snapshot", in: Self.possibleSeconds) }
    }

    private func check(_ numbers: [Int], _ name: String, in range: ClosedRange<Int>) throws {
        guard !numbers.isEmpty, Set(numbers).count == numbers.count else {
            throw ValidationError("\(name) takes numbers that differ")
        }
        for number in numbers where !range.contains(number) {
            throw ValidationError("\(name) is \(range.lowerBound) to \(range.upperBound), not \(number)")
        }
    }

    func run() async throws {
        if let pinnedSnapshot, let most = connections.max() {
            let bench = SnapshotBench(parties: parties[0], connections: most, pinned: .seconds(pinnedSnapshot))
            return try options.show(try await bench.report())
        }
        let bench = TicksBench(sizes: parties, connections: connections, withFloor: floor)
        try options.show(try await bench.report())
    }
}
