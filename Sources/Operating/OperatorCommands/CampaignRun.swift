import ArgumentParser
import CommandLineSupport
import Encodings
import Foundation

/// Runs a campaign to its end: request after request, with what it has come to on standard error.
struct CampaignRun {
    /// How often a line tells the progress where there is no terminal.
    private static let lineInterval = Duration.seconds(5)

    let boss: String
    let options: CampaignOptions
    let confirmation: ConfirmationOptions
    let json: Bool
    let client: OperatorClient

    func run() async throws {
        let name = options.name(for: boss, at: Date())
        if !confirmation.dryRun, !confirmation.yes { try await confirm(name) }
        let tally = try await advance(name, dryRun: confirmation.dryRun)
        if json {
            print(try tally.json)
        } else {
            for line in tally.lines(fitting: Terminal.columns) { print(line) }
        }
        guard tally.failed.isEmpty else { throw ExitCode.failure }
    }

    /// Asks with what a dry run finds, if there is somebody to be asked.
    private func confirm(_ name: String) async throws {
        guard Terminal.canAsk else { return try confirmation.confirm("A boss for every idle party?") }
        let count = try await advance(name, dryRun: true).wouldStart.count
        try confirmation.confirm("Set \(boss) on \(count) \(count == 1 ? "party" : "parties") (campaign \(name))?")
    }

    private func advance(_ name: String, dryRun: Bool) async throws -> CampaignTally {
        let pace = options.pace
        let progress = CampaignProgress()
        let begun = ContinuousClock.now
        let run = UUID().lowercaseText
        var tally = CampaignTally(campaign: name, boss: boss, dryRun: dryRun)
        var isUnderWay = false
        var next: String?
        repeat {
            let request = CampaignRequest(
                name: name,
                boss: boss,
                run: run,
                after: next,
                limit: dryRun ? CampaignPace.mostOfDryRun : pace.limit,
                dryRun: dryRun
            )
            // Each step is done once, however often it is sent.
            let answer = try await Perseverance(say: progress.say).run { error in
                // One that was never reached is told of at once.
                isUnderWay && error.isTransient || error.leavesOpen
            } step: { () throws(OperatorClientError) in
                try client.decode(CampaignAnswer.self, from: try await client.post("campaigns", body: request))
            }
            if !isUnderWay, !dryRun {
                progress.say("Campaign \(name). Broken off, it goes on with: --all-idle --campaign \(name)")
            }
            isUnderWay = true
            tally.add(answer)
            next = answer.next
            progress.show(tally, isLast: next == nil)
            if next != nil, !dryRun { try await Task.sleep(until: begun + pace.due(after: tally.started.count)) }
        } while next != nil
        return tally
    }
}

extension CampaignPace {
    /// A dry run begins nothing, so that each request may look at as many as the server allows.
    fileprivate static let mostOfDryRun = 100
}
