import CommandLineSupport
import GameCore
import RangersClient

extension OperatorClient {
    /// Rejects a boss that the server does not have, before a request that names it.
    /// - Throws: ``OperatorClientError/wrongUsage(_:)`` with the nearest boss; another ``OperatorClientError``;
    ///   `CancellationError`.
    func requireBoss(_ boss: String) async throws {
        // It is retried like the change that follows it.
        let retrier = Retrier(report: StandardError.print, stopsAfterLongAttempts: true)
        let body = try await retrier.run(after: \.isOutcomeUnknown) { () throws(OperatorClientError) in
            try await get("bosses")
        }
        let bosses = try decode(BossList.self, from: body).bosses.map(\.id.rawValue)
        guard !bosses.contains(boss) else { return }
        let hint =
            CommandSuggestion.nearest(to: boss, among: bosses).map { "did you mean \($0)?" }
            ?? "the bosses are \(bosses.joined(separator: ", "))"
        throw OperatorClientError.wrongUsage(Printable.text("unknown boss \(boss); \(hint)"))
    }
}
