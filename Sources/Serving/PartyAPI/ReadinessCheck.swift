public import GameStore

/// A check of something that the process cannot do its work without.
public struct ReadinessCheck: Sendable {
    /// What is missing; empty when nothing is.
    let check: @Sendable () async -> [Readiness.Lack]

    /// A check of one thing.
    /// - Parameters:
    ///   - name: what it is, one word.
    ///   - check: gives back what is missing in one sentence that anybody may read, nil when nothing is.
    public init(_ name: String, check: @escaping @Sendable () async -> String?) {
        self.check = { await check().map { [Readiness.Lack(name: name, reason: $0)] } ?? [] }
    }

    private init(check: @escaping @Sendable () async -> [Readiness.Lack]) {
        self.check = check
    }

    /// The database: reachable (`database`), and with the schema that this program needs (`migrations`).
    ///
    /// Migrations of a newer version do not make a node unready: nodes are upgraded one after another.
    public static func database(_ store: GameStore) -> Self {
        Self {
            do {
                let report = try await store.checkMigrations()
                if report.pending.isEmpty && report.edited.isEmpty { return [] }
                let reason = "The schema is not the one of this program; see 'rangersd migrate'."
                return [Readiness.Lack(name: "migrations", reason: reason)]
            } catch {
                // Whoever asks needs no token, so the reason stays in the logs of the requests that meet it.
                return [Readiness.Lack(name: "database", reason: "The database cannot be reached.")]
            }
        }
    }
}
