import ArgumentParser
import CommandLineSupport
import Foundation
import PushCadence
import RangersClient
import SimulatedPlayers
import UnixSignals

/// `rangers-demo`: plays the story against running servers.
@main
struct RangersDemo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rangers-demo",
        abstract: "Plays a journey and a boss fight, or a raid, and checks what the phones show.",
        discussion: """
            Plays one party after another until Ctrl-C, or a single one with --once. Prints the story as it happens \
            and, after each party, a report of the pushes to each phone. With --raid, thirty parties fight one boss \
            instead. `deploy/demo` starts all required servers.

            Exit status: 0 all conditions held, or the demo was stopped without --once; 1 a condition failed; 2 wrong usage.
            """,
        version: RangersVersion.current
    )

    @Option(help: ArgumentHelp("The address of rangersd.", valueName: "url"))
    var server: ServerURL

    @Option(help: ArgumentHelp("The address of the APNs simulator's page.", valueName: "url"))
    var simulator: ServerURL

    @Option(help: ArgumentHelp("The rangersctl executable that starts boss fights.", valueName: "file"))
    var rangersctl: String

    @Option(help: ArgumentHelp("A file with the token of an operator, role admin.", valueName: "file"))
    var operatorTokenFile: String

    @Option(
        help: ArgumentHelp(
            "The server's RANGERS_CADENCE_STANDARD_HIGH_REFILL: how long a phone without frequent pushes waits for one more "
                + "push of priority 10.",
            valueName: "seconds"
        )
    )
    var standardRefill = Int(CadencePolicy.Pace.standard.highRefill / .seconds(1))

    @Flag(help: "Play one party, and exit with 0 only if all conditions held.")
    var once = false

    @Flag(help: "Play raids of thirty parties instead of a party's journey and boss fight.")
    var raid = false

    @Flag(help: "Print the report as JSON; the story goes to standard error.")
    var json = false

    static func main() async {
        await runAndExit()
    }

    func run() async throws {
        let console = OperatorConsole(
            rangersctl: URL(filePath: rangersctl),
            server: server.url,
            tokenFile: URL(filePath: operatorTokenFile)
        )
        let print: @Sendable (String) -> Void = json ? StandardError.print : Self.printLine
        let story = PartyStory(
            server: server.url,
            simulator: simulator.url,
            console: console,
            print: print
        )
        let raidStory = RaidStory(server: server.url, simulator: simulator.url, console: console, print: print)
        do {
            try await untilStopped { if raid { try await play(raidStory) } else { try await play(story) } }
        } catch let error as RangersError {
            throw DemoFailure(explanation: error.description)
        } catch let error as StoryError {
            throw DemoFailure(explanation: error.description)
        } catch let error as StoryTimeout {
            throw DemoFailure(explanation: error.description)
        }
    }

    func validate() throws {
        guard standardRefill > 0 else { throw ValidationError("--standard-refill \(standardRefill): must be positive") }
    }

    private func play(_ story: PartyStory) async throws {
        let players = try await story.registerPlayers()
        let tablet = try await story.addTablet(to: players)
        // The apps run until the story is over; the end of this function cancels them.
        async let _: Void = story.runApps(of: players + [tablet])
        var policy = CadencePolicy()
        policy.standard.highRefill = .seconds(standardRefill)
        var budgets = PhoneBudgets(policy: policy)
        var number = 0
        repeat {
            number += 1
            let report = try await story.play(party: number, with: players, spending: &budgets)
            try show(report, lines: report.lines)
            if once, !report.holds { throw DemoFailure(explanation: "a condition failed; see the report above") }
        } while !once
    }

    private func play(_ story: RaidStory) async throws {
        let parties = try await story.gatherParties()
        let tablet = try await story.addTablet()
        var number = 0
        repeat {
            number += 1
            let report = try await story.play(raid: number, with: parties, on: tablet)
            try show(report, lines: report.lines)
            if once, !report.holds { throw DemoFailure(explanation: "a condition failed; see the report above") }
        } while !once
    }

    /// Prints a line immediately, also to a pipe.
    private static func printLine(_ line: String) {
        // Without a reader, the output is discarded.
        try? StandardOutput.write(line + "\n")
    }

    private func show(_ report: some Encodable, lines: [String]) throws {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            Self.printLine(String(decoding: try encoder.encode(report), as: UTF8.self))
        } else {
            for line in [""] + lines { Self.printLine(line) }
        }
    }

    /// Runs `work` until it returns or SIGINT or SIGTERM arrives.
    private func untilStopped(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await withThrowingTaskGroup { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in signals { return try stopped() }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Ends the demo after a signal, which is a failure with `--once`: the conditions have not been checked.
    private func stopped() throws {
        if once { throw DemoFailure(explanation: "stopped before the end of the story") }
    }
}
