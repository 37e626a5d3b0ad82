import ArgumentParser

/// `rangers-bench api`: how fast requests are answered.
struct APICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "Sends requests of players to the API, beside what HTTP and SQL alone allow.",
        discussion: """
            API and engine are a process of their own, on a private PostgreSQL whose commits reach the disk. Beside it, in \
            turns: a router that gives the same answers without a database, under the same requests; and the statements \
            of the same requests, as PostgreSQL logged them, run by pgbench with their parameters, those of a transaction \
            sent together. All of it shares the machine's cores. Then commands at \(APIBench.commandsPerSecond) a second, \
            timed from when each was due. Each figure is the median of \(APIBench.runs) runs; some two minutes in all.

            As JSON: {rows: [{request, perSecond, p50Milliseconds, p99Milliseconds, httpPerSecond, sqlPerSecond, \
            limitPerSecond, ratioToLimit}], commands: {perSecond, p50Milliseconds, p99Milliseconds}, medianOf}.
            """
    )

    private static let possibleRequests = 10...20_000

    @Option(
        help: ArgumentHelp("How many requests of each kind a run sends; four times as many reads.", valueName: "count")
    )
    var requests = 1_500

    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard Self.possibleRequests.contains(requests) else {
            throw ValidationError(
                "--requests is \(Self.possibleRequests.lowerBound) to \(Self.possibleRequests.upperBound), not \(requests)"
            )
        }
    }

    func run() async throws {
        try options.show(try await APIBench(requests: requests).report())
    }
}
