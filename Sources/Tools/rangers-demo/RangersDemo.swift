import ArgumentParser
import CommandLineSupport
import Foundation
import RangersClient
import SimulatedPlayers
import UnixSignals

/// `rangers-demo`: plays the story against servers that run already.
@main
struct RangersDemo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rangers-demo",
        abstract: "Plays a party of four through a journey and a boss fight, and checks what its phones show.",
        discussion: """
            Party after party until Ctrl-C, or one with --once. Tells the story as it happens and, after each party, \
            what each phone got. `deploy/demo` starts all that it needs.

            Exit status: 0 everything held, or it was stopped as asked; 1 something did not hold; 2 wrong usage.
            """,
        version: RangersVersion.current
    )

    @Option(help: ArgumentHelp("Where rangersd serves.", valueName: "url"))
    var server: ServerAddress

    @Option(help: ArgumentHelp("Where the APNs simulator's page and phones are.", valueName: "url"))
    var simulator: ServerAddress

    @Option(help: ArgumentHelp("The rangersctl to start boss fights with.", valueName: "file"))
    var rangersctl: String

    @Option(help: ArgumentHelp("A file that holds an operator's token, role admin.", valueName: "file"))
    var operatorTokenFile: String

    @Flag(help: "Play one party, and exit 0 only if everything held.")
    var once = false

    @Flag(help: "Print what each phone got as JSON; the story goes to standard error.")
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
        let story = PartyStory(
            server: server.url,
            simulator: simulator.url,
            console: console,
            tell: json ? StandardError.print : StandardOutput.print
        )
        do {
            try await untilStopped { try await play(story) }
        } catch let error as RangersError {
            throw DemoFailure(explanation: error.description)
        } catch let error as StoryError {
            throw DemoFailure(explanation: error.description)
        } catch let error as StoryTimeout {
            throw DemoFailure(explanation: error.description)
        }
    }

    private func play(_ story: PartyStory) async throws {
        let players = try await story.gatherPlayers()
        var number = 0
        repeat {
            number += 1
            let report = try await story.play(party: number, with: players)
            try show(report)
            if once, !report.holds { throw DemoFailure(explanation: "something did not hold; see above") }
        } while !once
    }

    private func show(_ report: StoryReport) throws {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            StandardOutput.print(String(decoding: try encoder.encode(report), as: UTF8.self))
        } else {
            for line in [""] + report.lines { StandardOutput.print(line) }
        }
    }

    /// Does some work until it is done, or until SIGINT or SIGTERM asks to stop.
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

    /// Without an end of its own it may be stopped at any time; with `--once` it has not shown that everything holds.
    private func stopped() throws {
        if once { throw DemoFailure(explanation: "stopped before the story was over") }
    }
}
