import ArgumentParser

/// `rangers-bench memory`: how much memory a live activity takes.
struct MemoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memory",
        abstract: "Watches the memory of a dispatcher with many activities, beside one with a hundredth of them.",
        discussion: """
            Two nodes with the role of dispatcher, rangersd as it is beside this program, on a database each; four \
            activities an adventure. Nodes with the role of engine then tick every adventure every \
            \(Int(MemoryBench.interval / .seconds(1))) seconds, and each tick is pushed to a server that takes every push. \
            Each activity has as long a log of decisions from the start as it ever gets.

            As JSON: {bytesPerActivity, few, many, samples: [{seconds, pushes, fewBytes, manyBytes, bytesPerActivity}]}. \
            What is beside the samples is the last one's.
            """
    )

    private static let possibleActivities = 400...1_000_000
    private static let possibleSeconds = 1...86_400

    @Option(help: ArgumentHelp("How many activities the larger follows.", valueName: "count"))
    var activities = 100_000

    @Option(help: ArgumentHelp("How long it pushes.", valueName: "seconds"))
    var seconds = 180

    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard Self.possibleActivities.contains(activities) else {
            throw ValidationError(
                "--activities is \(Self.possibleActivities.lowerBound) to \(Self.possibleActivities.upperBound), "
                    + "not \(activities)"
            )
        }
        guard Self.possibleSeconds.contains(seconds) else {
            throw ValidationError(
                "--seconds is \(Self.possibleSeconds.lowerBound) to \(Self.possibleSeconds.upperBound), not \(seconds)"
            )
        }
    }

    func run() async throws {
        // Whole adventures.
        let parties = (few: activities / 100 / WorldPlan.heroes, many: activities / WorldPlan.heroes)
        let bench = MemoryBench(
            few: parties.few * WorldPlan.heroes,
            many: parties.many * WorldPlan.heroes,
            length: .seconds(seconds)
        )
        try options.show(try await bench.report())
    }
}
