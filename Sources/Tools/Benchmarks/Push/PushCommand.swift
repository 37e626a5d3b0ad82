import ArgumentParser

/// `rangers-bench push`: how fast pushes go out, beside h2load.
struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Sends pushes over HTTP/2 to a server that takes them all, beside h2load with the same pushes.",
        discussion: """
            Client and server are processes of their own, pinned to a core each. The server is one of ours unless \
            --server names another, which has to answer every POST with 200, such as nghttpd. h2load (Debian's \
            nghttp2-client) sends the same fields and bodies over one connection with as many streams. CPU time is \
            the client's, kernel included. Each figure is the median of \(PushBench.runs) runs.

            Then a server at 127.0.0.1 or localhost behind a relay that adds \(Int(PushBench.roundTrip / .milliseconds(1))) ms to the \
            round trip, over one connection and over several.

            As JSON: {h2load, bulk, async, apns: {perSecond, cpuSecondsPer100k}, distances: [{connections, streams, \
            roundTripMilliseconds, perSecond, allowedPerSecond, share}], medianOf}.
            """
    )

    private static let possiblePushes = 1_000...10_000_000

    @Option(help: ArgumentHelp("A server to measure with, instead of our own.", valueName: "host:port"))
    var server: PushAddress?

    @Option(help: ArgumentHelp("The authority of that server, as PEM.", valueName: "path"))
    var caFile: String?

    @Option(help: ArgumentHelp("How many pushes a run sends.", valueName: "count"))
    var pushes = 300_000

    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard Self.possiblePushes.contains(pushes) else {
            throw ValidationError(
                "--pushes is \(Self.possiblePushes.lowerBound) to \(Self.possiblePushes.upperBound), not \(pushes)"
            )
        }
        if caFile != nil, server == nil { throw ValidationError("--ca-file belongs to a --server") }
    }

    func run() throws {
        try options.show(try PushBench.report(server: server, caFile: caFile, pushes: pushes))
    }
}
