import ArgumentParser

/// `rangers-bench advance`: how fast the game itself is.
struct AdvanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance",
        abstract: "Plays adventures on one core, and reads and writes their state, without any database.",
        discussion: """
            Boss fights and journeys of four heroes, in ticks a second, and the state of a fight of eight heroes as \
            text, beside the same state in the JSON of Foundation. Each figure is the median of \
            \(Figures<AdvanceFigure>.runs) runs.

            As JSON: {medianOf, \(AdvanceFigure.allCases.map(\.rawValue).joined(separator: ", ")), encodedBytes, \
            jsonBytes, encodeRatio, decodeRatio, codecShare, jsonShare, spread: {FIGURE: {lowest, median, highest}}}; \
            a ratio is how often our form is done in the time of JSON, a share is what part reading and writing have \
            of a tick of eight heroes that is read before and written after.
            """
    )

    private static let possibleSeconds = 1...600

    @Option(help: ArgumentHelp("About how long to measure, all in all.", valueName: "seconds"))
    var seconds = 10

    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard Self.possibleSeconds.contains(seconds) else {
            throw ValidationError("--seconds is 1 to \(Self.possibleSeconds.upperBound), not \(seconds)")
        }
    }

    func run() throws {
        try options.show(try AdvanceReport(measuringFor: .seconds(seconds)))
    }
}
