import Encodings
import GameCore
import GameEngine
import GameStore
import Logging
import RangersMetrics
import ServiceRuntime

/// The service's own housekeeper with a clock that is nearly a day ahead: what it keeps for a day at least is removed after
/// minutes then.
final class SoakRetention: Sendable {
    private static let kinds = [
        "answer", "adventure", "event", "input", "activity", "decisions", "party", "inviteCode",
    ]

    /// For how long things are kept.
    let age: Duration
    private let housekeeper: Housekeeper
    private let registry = MetricRegistry()

    init(of store: GameStore, keeping age: Duration) {
        self.age = age
        let ahead = RetentionSettings.shortestAge - age
        let system = Runtime.system
        housekeeper = Housekeeper(
            store: store,
            // Cards are not ended early: they are on phones.
            settings: RetentionSettings(
                ended: RetentionSettings.shortestAge,
                cards: RetentionSettings.cardsAreShown + ahead
            ),
            runtime: Runtime(now: { system.now() + ahead }, randomBits: system.randomBits),
            metrics: RetentionMetrics(in: registry),
            logger: Logger(label: "rangers-bench") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Removes what is older; nobody may be about to found a party, since a code that is not used yet counts as unused.
    /// - Returns: since when everything is there.
    func sweep() async throws -> Timestamp {
        var code: InviteCode?
        try await housekeeper.sweep(codesAfter: &code)
        return Runtime.system.now() - age
    }

    /// What was removed so far, by kind.
    func removed() async -> [String: Int] {
        let metrics = MetricsText(await registry.text())
        return Self.kinds.reduce(into: [:]) { removed, kind in
            let count = Int(metrics.sum("rangers_retention_removed_total", with: #"kind="\#(kind)""#))
            if count > 0 { removed[kind] = count }
        }
    }
}
