import ArgumentParser
import Foundation
import RangersCommandLine

/// Runs a campaign to its end: request after request, with what it has come to on standard error.
struct CampaignRun {
    /// How often a step is tried again when the server is busy, restarts or is not reached; each wait is twice the last.
    private static let tries = 6
    private static let firstWait = Duration.milliseconds(500)
    /// How often a line tells the progress where there is no terminal.
    private static let lineInterval = Duration.seconds(5)
    private static let tooManyRequests = 429

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
        let pace = CampaignPace(rate: options.rate)
        let isTerminal = isatty(STDERR_FILENO) == 1
        let begun = ContinuousClock.now
        let run = UUID().uuidString.lowercased()
        var tally = CampaignTally(campaign: name, boss: boss, dryRun: dryRun)
        var lineDue = begun
        var next: String?
        if !dryRun {
            StandardError.print("Campaign \(name). Broken off, it goes on with: --all-idle --campaign \(name)")
        }
        repeat {
            let request = CampaignRequest(
                name: name,
                boss: boss,
                run: run,
                after: next,
                limit: dryRun ? CampaignPace.mostOfDryRun : pace.limit,
                dryRun: dryRun
            )
            let answer = try await persistently { () throws(OperatorClientError) in
                try client.decode(CampaignAnswer.self, from: try await client.post("campaigns", body: request))
            }
            tally.add(answer)
            next = answer.next
            if isTerminal {
                StandardError.rewrite(tally.progress(withBar: true), isLast: next == nil)
            } else if ContinuousClock.now >= lineDue || next == nil {
                StandardError.print(tally.progress(withBar: false))
                lineDue = .now + Self.lineInterval
            }
            if next != nil, !dryRun { try await Task.sleep(until: begun + pace.due(after: tally.started.count)) }
        } while next != nil
        return tally
    }

    /// Tries a step again that may pass, the first one too: each is done once and answered alike, however often it is sent.
    private func persistently(
        _ step: () async throws(OperatorClientError) -> CampaignAnswer
    ) async throws -> CampaignAnswer {
        var wait = Self.firstWait
        for _ in 1..<Self.tries {
            do throws(OperatorClientError) {
                return try await step()
            } catch {
                guard Self.mayPass(error) else { throw error }
                // Below the line of the progress, which stays.
                StandardError.print("\(isatty(STDERR_FILENO) == 1 ? "\n" : "")Trying again: \(error.explanation)")
            }
            try await Task.sleep(for: wait)
            wait *= 2
        }
        return try await step()
    }

    private static func mayPass(_ error: OperatorClientError) -> Bool {
        switch error {
        case .unreachable: true
        case .refused(let problem): problem.status.map { $0 == tooManyRequests || $0 >= 500 } ?? false
        case .wrongUsage, .notUnderstood: false
        }
    }
}

extension CampaignPace {
    /// A dry run begins nothing, so that each request may look at as many as the server allows.
    fileprivate static let mostOfDryRun = 100
}

extension StandardError {
    /// Writes a line over the one before.
    fileprivate static func rewrite(_ line: String, isLast: Bool) {
        // Nothing is left to do when the reader has gone away.
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(line)\(isLast ? "\n" : "")".utf8))
    }
}
