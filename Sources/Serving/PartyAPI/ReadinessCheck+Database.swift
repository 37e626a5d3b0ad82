import GameCore
import GameLog
public import GameStore
public import HTTPServing

extension ReadinessCheck {
    /// Returns a check of the database: whether it is reachable (`database`), has the schema of this program
    /// (`migrations`), and has no shards in which a newer release has written something that this one does not know
    /// (`shards`).
    ///
    /// Migrations of a newer version do not fail it, since nodes are upgraded one after another.
    public static func database(_ store: GameStore) -> Self {
        Self {
            do {
                let report = try await store.checkMigrations()
                guard report.pending.isEmpty && report.edited.isEmpty else {
                    let reason = "The schema does not match this program; see 'rangersd migrate'."
                    return [Readiness.Failure(name: "migrations", reason: reason)]
                }
                if try await store.heads(of: Shard.all).allSatisfy(\.isSupported) { return [] }
                return [Readiness.Failure(name: "shards", reason: "Some shards need a newer release of this program.")]
            } catch {
                // The response is public, so it omits the cause; the log of other requests has it.
                return [Readiness.Failure(name: "database", reason: "The database is unreachable.")]
            }
        }
    }

    /// Returns a check of the shards (`lockedShards`): whether another session holds their rows for longer than
    /// transactions wait, as far as this node has noticed.
    public static func lockedShards(_ queue: ShardQueue) -> Self {
        Self("lockedShards") {
            let held = queue.heldShards
            guard !held.isEmpty else { return nil }
            let shards = held.map { "\($0.rawValue)" }.joined(separator: ", ")
            return
                "Writes to these shards get 503 shard-busy, because another database session holds their rows: \(shards)."
        }
    }

    /// Returns a check of the machines of a Citus cluster (`databaseMachines`): whether all of them respond, as far as the
    /// check of the database has noticed.
    ///
    /// The games of the others go on, and no node could do more, so it leaves the process ready.
    public static func databaseMachines(_ store: GameStore) -> Self {
        Self("databaseMachines") {
            // The response is public, so it names no machine; the diagnosis does.
            store.unreachableWorkers.isEmpty
                ? nil : "The games of some shards stand still, because a machine of the database does not respond."
        }
    }
}
