import ArgumentParser

/// `rangers-bench pipeline`: how long it takes from a tick to the phones.
struct PipelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipeline",
        abstract: "Plays live parties on a node that pushes to the simulator, and times the pushes.",
        discussion: """
            A node with all roles, the APNs simulator and a private PostgreSQL whose commits reach the disk, each a process \
            of its own on this machine; rangersd and apns-simulator are those beside this program. The ticks of all \
            adventures are spread evenly over --interval, and each is pushed at once to all phones of its party. In the \
            last run they come \(PipelineBench.rush) times as fast, more than can be pushed: its rate is what the whole \
            keeps up.

            Times are from the histogram rangers_push_commit_to_answer_seconds: from the moment that a tick's transaction \
            has locked its shard until the simulator's answer. A phone gets a push a second at most, whatever comes: with an \
            --interval near a second its wait is part of the time.

            As JSON: {parties, p50Milliseconds, p99Milliseconds, pushesPerSecond, rows: [{parties, intervalSeconds, \
            ticksPerSecond, pushesPerSecond, refusedPushes, p50Milliseconds, p99Milliseconds, nodeCores, simulatorCores, \
            postgresCores}], cardsOfParty}. What is beside the rows is the row with the most parties that ticked every \
            --interval; where nothing was pushed, its times are null.
            """
    )

    /// The simulator has so many phones at most.
    private static let possibleParties = 1...10_000
    private static let possibleSeconds = 1...3_600

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("How many parties are live; several numbers one after another.", valueName: "count")
    )
    var parties = [100, 1_000, 10_000]

    @Option(help: ArgumentHelp("How many phones a party has, 1 to \(WorldPlan.heroes).", valueName: "count"))
    var cards = WorldPlan.heroes

    @Option(help: ArgumentHelp("The time between two ticks of an adventure.", valueName: "seconds"))
    var interval = 10

    @Option(help: ArgumentHelp("How long each is measured.", valueName: "seconds"))
    var seconds = 20

    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard !parties.isEmpty else { throw ValidationError("--parties takes numbers") }
        for number in parties where !Self.possibleParties.contains(number) {
            throw ValidationError(
                "--parties is \(Self.possibleParties.lowerBound) to \(Self.possibleParties.upperBound), not \(number)"
            )
        }
        guard (1...WorldPlan.heroes).contains(cards) else {
            throw ValidationError("--cards is 1 to \(WorldPlan.heroes), not \(cards)")
        }
        for (name, number) in [("--interval", interval), ("--seconds", seconds)]
        where !Self.possibleSeconds.contains(number) {
            throw ValidationError(
                "\(name) is \(Self.possibleSeconds.lowerBound) to \(Self.possibleSeconds.upperBound), not \(number)"
            )
        }
    }

    func run() async throws {
        let bench = PipelineBench(
            sizes: parties,
            interval: .seconds(interval),
            length: .seconds(seconds),
            cards: cards
        )
        try options.show(try await bench.report())
    }
}
