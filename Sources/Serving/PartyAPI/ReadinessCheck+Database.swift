public import GameStore
public import HTTPServing

extension ReadinessCheck {
    /// Returns a check of the database: whether it is reachable (`database`), and has the schema of this program
    /// (`migrations`).
    ///
    /// Migrations of a newer version do not fail it, since nodes are upgraded one after another.
    public static func database(_ store: GameStore) -> Self {
        Self {
            do {
                let report = try await store.checkMigrations()
                if report.pending.isEmpty && report.edited.isEmpty { return [] }
                let reason = "The schema does not match this program; see 'rangersd migrate'."
                return [Readiness.Failure(name: "migrations", reason: reason)]
            } catch {
                // The response is public, so it omits the cause; the log of other requests has it.
                return [Readiness.Failure(name: "database", reason: "The database is unreachable.")]
            }
        }
    }
}
