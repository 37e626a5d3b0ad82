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
    /// How long it is tried again.
    private static let longest = Duration.seconds(120)
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
        try await Wait.passing(after)
        let wasCutOff = !first.isOver
        first.kill()
        try await Wait.passing(away)
        var (last, words) = ("", nil as (words: String, isDoubled: Bool)?)
        _ = try await Wait.until(atMost: Self.longest, lookingEvery: Self.pause) {
            let next = try begin()
            do {
                try await next.finish()
                words = try outcome(next.output, wasCutOff: wasCutOff)
                return true
            } catch is MeasurementFailure {
                // The node that it was sent to is away; an operator tries again.
                last = next.output
                return false
            }
        }
        if let words { return words }
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
