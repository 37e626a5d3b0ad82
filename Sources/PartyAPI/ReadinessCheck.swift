public import GameStore

/// Whether something that the process cannot serve without is there: one line of `GET /readyz`.
public struct ReadinessCheck: Sendable {
    /// What it is, as `/readyz` names it.
    let name: String
    /// What is missing; nil when nothing is.
    let check: @Sendable () async -> String?

    /// A check of a dependency.
    /// - Parameters:
    ///   - name: what it is, one word.
    ///   - check: gives back what is missing in one sentence that anybody may read, nil when nothing is.
    public init(_ name: String, check: @escaping @Sendable () async -> String?) {
        self.name = name
        self.check = check
    }

    /// The database: reachable, and with the schema that this program needs.
    ///
    /// Migrations of a newer version do not make a node unready: nodes are upgraded one after another.
    public static func database(_ store: GameStore) -> Self {
        Self("database") {
            do {
                let report = try await store.checkMigrations()
                let isUsable = report.pending.isEmpty && report.edited.isEmpty
                return isUsable ? nil : "The schema is not the one of this program; see 'rangersd migrate'."
            } catch {
                // Whoever asks needs no token, so the reason stays in the logs of the requests that meet it.
                return "The database cannot be reached."
            }
        }
    }
}
