import ArgumentParser
import CommandLineSupport

/// `rangers-bench chaos`: whether what must be true is true of real processes that are killed, stopped and cut off.
struct ChaosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Runs real processes under load while things are done to them, and checks what must be true.",
        discussion: """
            A private PostgreSQL whose commits reach the disk, the APNs simulator with phones, and three nodes of mixed roles \
            (rangersd, apns-simulator and rangersctl are those beside this program), with players who travel and fight over \
            REST and operators' campaigns. Meanwhile nodes get SIGKILL and SIGSTOP, backends are terminated, PostgreSQL \
            restarts, is away, has a full disk, a row that somebody locks and a reader that pins the oldest snapshot, APNs drops, stalls and loses \
            answers, tokens change, players come and go, and a campaign is killed half-way. What is done and when is drawn \
            from the seed and printed first. At the end the service is left alone, and everything is held against what must \
            be true at all times (docs/chaos.md).

            The same seed has the same plan; what it meets is up to the machine.

            As JSON: {seed, command, faults: [{atSeconds, place, isOutage, what, seconds, recoverySeconds, takeover: \
            {dispatcherSeconds, shards, engineDueSeconds, engineSeconds}, note}], load: {requests, \
            acknowledged, repeated}, acceptedPushes, cards: {all, abandoned}, ticksPerSecond: {before, during, after}, \
            takeoverSeconds, takeover: {seconds, counted, blows}, engineTakeover: {seconds, counted, blows}, nodes: [{number, roles, \
            bytesBefore, bytesAtMost, bytesAfter, vainStarts, deaths}], verdict: {rows}, complaints, \
            violations: [text], seconds}.
            """
    )

    private static let possibleSeconds = 10...86_400
    private static let possibleParties = 3...500

    @Option(help: ArgumentHelp("What the plan is drawn from.", valueName: "seed"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("For how long faults begin; 600 unless told, 25 with --short.", valueName: "seconds"))
    var seconds: Int?

    @Option(help: ArgumentHelp("How many parties play; 24 unless told, 6 with --short.", valueName: "count"))
    var parties: Int?

    @Flag(help: "Shorter faults, closer to each other: every kind of them within half a minute.")
    var short = false

    @Flag(help: "Print the plan, and do nothing.")
    var plan = false

    @OptionGroup var options: ReportOptions

    func validate() throws {
        if let seconds, !Self.possibleSeconds.contains(seconds) {
            throw ValidationError(
                "--seconds is \(Self.possibleSeconds.lowerBound) to \(Self.possibleSeconds.upperBound), not \(seconds)"
            )
        }
        if let parties, !Self.possibleParties.contains(parties) {
            throw ValidationError(
                "--parties is \(Self.possibleParties.lowerBound) to \(Self.possibleParties.upperBound), not \(parties)"
            )
        }
    }

    func run() async throws {
        let bench = ChaosBench(seed: seed, size: size, command: command) { StandardError.print($0) }
        guard !plan else {
            for step in bench.plan.steps { print(step.words) }
            return
        }
        let report = try await bench.report()
        try options.show(report)
        try report.check()
    }

    private var size: ChaosBench.Size {
        ChaosBench.Size(
            duration: .seconds(length),
            parties: partyCount,
            pace: short ? .short : .full,
            interval: short ? .milliseconds(250) : .milliseconds(1_000),
            calm: short ? .seconds(3) : .seconds(30)
        )
    }

    private var length: Int { seconds ?? (short ? 25 : 600) }
    private var partyCount: Int { parties ?? (short ? 6 : 24) }

    private var command: String {
        "rangers-bench chaos --seed \(seed) --seconds \(length) --parties \(partyCount)\(short ? " --short" : "")"
    }
}
