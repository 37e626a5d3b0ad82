import Foundation
import GameCore
import GameStore

/// A boss for every idle party, set by the operators' command line: killed half-way, and gone on with.
struct InterruptedCampaign: Sendable {
    /// What the command line prints at its end.
    private struct Outcome: Decodable {
        struct Fight: Decodable { let partyID: String }

        /// By this run.
        let started: [Fight]
        /// By the runs before.
        let served: [Fight]
        let already: Int
        let busy: Int
    }

    /// So slow that it can be killed half-way.
    private static let fightsPerSecond = 2
    private static let tries = 40
    private static let pause = Duration.milliseconds(500)

    let name: String
    let boss: BossID
    let system: LiveSystem
    let tokenFile: URL
    let nodes: NodeAddresses

    /// Runs it, kills it, and runs it to its end.
    /// - Parameters:
    ///   - after: when it is killed.
    ///   - away: until it is gone on with.
    /// - Returns: what came of it, for people; and whether a party has had two fights of it.
    /// - Throws: ``MeasurementFailure`` when it cannot be brought to its end.
    func run(killedAfter after: Duration, away: Duration) async throws -> (words: String, isDoubled: Bool) {
        let first = try begin()
        try await Task.sleep(for: after)
        let wasCutOff = !first.isOver
        first.kill()
        try await Task.sleep(for: away)
        var last = ""
        for _ in 0..<Self.tries {
            let next = try begin()
            do {
                try await next.finish()
                return try outcome(next.output, wasCutOff: wasCutOff)
            } catch is MeasurementFailure {
                // The node that it was sent to is away; an operator tries again.
                last = next.output
                try await Task.sleep(for: Self.pause)
            }
        }
        throw MeasurementFailure("campaign \(name) does not come to its end: \(last)")
    }

    private func begin() throws -> ServiceProgram {
        try system.runConsole([
            "boss", "start", boss.rawValue, "--all-idle", "--campaign", name, "--rate", "\(Self.fightsPerSecond)",
            "--yes", "--json", "--server", "http://127.0.0.1:\(nodes.next() ?? 0)", "--token-file", tokenFile.path,
        ])
    }

    private func outcome(_ output: String, wasCutOff: Bool) throws -> (words: String, isDoubled: Bool) {
        // What goes on is told on standard error, which is in the same file.
        guard let line = output.split(separator: "\n").last(where: { $0.first == "{" }) else {
            throw MeasurementFailure("rangersctl printed no JSON: \(output)")
        }
        let outcome = try JSONDecoder().decode(Outcome.self, from: Data(line.utf8))
        let cut = wasCutOff ? "killed" : "over before it was killed"
        let parties = (outcome.started + outcome.served).map(\.partyID)
        return (
            "\(cut): \(outcome.already) fights before, \(outcome.started.count) after, \(outcome.busy) busy",
            Set(parties).count != parties.count
        )
    }
}
