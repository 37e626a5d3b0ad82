import ArgumentParser
import CommandLineSupport
import Encodings
import Foundation

/// Runs a campaign step by step, and shows its progress on standard error.
struct CampaignRun {
    let boss: String
    let options: CampaignOptions
    let confirmation: ConfirmationOptions
    let json: Bool
    let client: OperatorClient

    /// Runs the campaign; a new one gets its name from the boss and `now`.
    func run(at now: Date) async throws {
        try await client.requireBoss(boss)
        let name = options.name(for: boss, at: now)
        if !confirmation.dryRun, !confirmation.yes { try await confirm(name) }
        let result = try await run(name, dryRun: confirmation.dryRun)
        if json {
            print(try result.sortedJSON)
        } else {
            for line in result.lines(fitting: Terminal.columns) { print(line) }
        }
        guard result.failed.isEmpty else { throw ExitCode.failure }
    }

    /// Asks for confirmation with the result of a dry run.
    private func confirm(_ name: String) async throws {
        guard Terminal.canAsk else { return try confirmation.confirm("Start a boss fight for every idle party?") }
        let count = try await run(name, dryRun: true).wouldStart.count
        try confirmation.confirm("Set \(boss) on \(count) \(count == 1 ? "party" : "parties") (campaign \(name))?")
    }

    private func run(_ name: String, dryRun: Bool) async throws -> CampaignResult {
        let pace = options.pace
        let progress = CampaignProgress()
        let start = ContinuousClock.now
        let run = UUID().lowercaseText
        var result = CampaignResult(campaign: name, boss: boss, dryRun: dryRun)
        var isFirst = true
        var next: String?
        repeat {
            let request = CampaignRequest(
                name: name,
                boss: boss,
                run: run,
                after: next,
                limit: dryRun ? CampaignPace.dryRunLimit : pace.limit,
                dryRun: dryRun
            )
            // Steps are idempotent. The first one is retried only if the server may have received it.
            let response = try await Retrier(report: progress.print).run { error in
                !isFirst && error.isTransient || error.isOutcomeUnknown
            } step: { () throws(OperatorClientError) in
                try client.decode(CampaignStepResponse.self, from: try await client.post("campaigns", body: request))
            }
            if isFirst, !dryRun {
                progress.print("Campaign \(name). To resume it after an interruption: --all-idle --campaign \(name)")
            }
            isFirst = false
            result.add(response)
            next = response.next
            progress.show(result, isLast: next == nil)
            if next != nil, !dryRun { try await Task.sleep(until: start + pace.due(after: result.started.count)) }
        } while next != nil
        return result
    }
}

extension CampaignPace {
    /// The parties in one step of a dry run, which starts no fights: the server's maximum.
    fileprivate static let dryRunLimit = 100
}
