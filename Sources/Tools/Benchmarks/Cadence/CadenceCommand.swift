import ArgumentParser
import CommandLineSupport

/// `rangers-bench cadence`: whether phones are kept up to date, and never pushed too much.
struct CadenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cadence",
        abstract: "Simulates hours of adventures, APNs and phones in virtual time, and tells how pushes fare.",
        discussion: """
            Real adventures, rules and cadence with its defaults; players, network and phones are drawn by seed, and \
            the same arguments give the same numbers on every machine and in every build. Parties of 1 to 8 set out \
            about once an hour, with --busy at once after each adventure. About half of the phones have frequent \
            pushes. A phone is taken to let \(DeviceBudget.standardPerHour) pushes of priority 10 through in an hour, \
            with frequent pushes \(DeviceBudget.frequentPerHour); Apple keeps the real numbers secret.

            An alert is delivered once APNs has taken it and the phone has let it through, cancelled when its reason \
            was gone before it was sent, counted under NO BUDGET when that was because the phone's budget was spent, \
            and lost otherwise. Stale is a card from a change until a push that shows it \
            was taken; a phone may hold one of priority 5 back for longer.

            As JSON: {activities, hours, seed, busy, adventures, alertsOwed, alertsDelivered, alertsCancelled, \
            alertsOutwaited, alertsLost, alertDelaySeconds: {p50, p99}, devicesOverBudget, pushesThrottled, staleness: \
            [{flags, p50, p99}], alerts: [{alert, flags, delivered, cancelled, outwaited, lost, delay: {p50, p99}}], losses: [{reason, alerts}], \
            cards: [{flags, adventure, cards, highPerHour, lowPerHour, staleness: {p50, p99}}], phones: [{flags, \
            phones, budgetPerHour, peakPerHour, overBudget, throttled}]}; delays and staleness in seconds.
            """
    )

    private static let possibleActivities = 1...100_000
    private static let possibleHours = 1...100

    @Option(help: ArgumentHelp("How many phones, each with a Live Activity for every adventure.", valueName: "count"))
    var activities = 1_000

    @Option(help: ArgumentHelp("For how long parties set out, in virtual time.", valueName: "hours"))
    var hours = 10

    @Option(help: ArgumentHelp("Decides everything that is left to chance.", valueName: "seed"))
    var seed: UInt64 = 1

    @Flag(help: "Let parties set out again at once, all day long.")
    var busy = false

    @Flag(help: "Exit 1 if an alert is lost, a phone over its budget, or the median alert takes a second or more.")
    var check = false

    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard Self.possibleActivities.contains(activities) else {
            throw ValidationError("--activities is 1 to \(Self.possibleActivities.upperBound), not \(activities)")
        }
        guard Self.possibleHours.contains(hours) else {
            throw ValidationError("--hours is 1 to \(Self.possibleHours.upperBound), not \(hours)")
        }
    }

    func run() async throws {
        let scenario = CadenceScenario(activities: activities, hours: hours, seed: seed, isBusy: busy)
        let report = await CadenceReport(simulating: scenario)
        try options.show(report)
        if check { try report.check() }
    }
}
