import GameCore
import GameStore

extension DoctorCheck {
    private static let machinesName = "database machines"

    /// Checks the machines of a Citus cluster; a plain PostgreSQL passes.
    static func machines(of store: GameStore) async throws -> Self {
        guard try await store.isCluster() else { return Self(machinesName, .ok, "The tables are on one machine.") }
        // Notices what does not respond, and the other checks would only wait for it.
        _ = try await store.heads(of: Shard.all)
        let away = store.unreachableWorkers
        guard away.isEmpty else { return unreachable(away, shards: store.unreachableShards.count) }
        if let left = try await store.leftTransactions().first { return leftBehind(left) }
        let blocking = try await store.clusterLockBlockers(waitingLongerThan: toleratedLockWait, limit: maxSessions)
        guard blocking.isEmpty else {
            let found = sessions(blocking: blocking, keeping: [])
            return Self(machinesName, .failed, found.finding, remedy: found.remedy)
        }
        guard try await store.propagatesLimits() else {
            return Self(
                machinesName,
                .failed,
                "Limits of lock waits hold on the coordinator only: a locked row holds up whatever waits for it.",
                remedy: """
                    As the role of the nodes, ALTER ROLE CURRENT_USER SET citus.propagate_set_commands = 'local' on the \
                    coordinator, then restart the nodes.
                    """
            )
        }
        return Self(machinesName, .ok, "All machines of the cluster respond, and none has left locks.")
    }

    /// Reports machines that do not respond.
    static func unreachable(_ away: [String], shards: Int) -> Self {
        Self(
            machinesName,
            .failed,
            "No response from \(away.joined(separator: ", ")): the games of \(shards) shards stand still.",
            remedy: """
                Start PostgreSQL on \(away[0]), or repair the network to it: the shards go on by themselves. If the machine is \
                lost, promote its standby and tell the coordinator with citus_update_node, or restore the cluster from a backup.
                """
        )
    }

    /// Reports transactions that a crash has left prepared.
    static func leftBehind(_ left: LeftTransactions) -> Self {
        let transactions = left.count == 1 ? "A transaction has" : "\(left.count) transactions have"
        return Self(
            machinesName,
            .failed,
            "\(transactions) been prepared on \(left.machine) for \(text(left.age)), with locks that hold up their shards.",
            remedy: """
                The coordinator ends them every citus.recover_2pc_interval (60 s by default). At once: as a superuser on the \
                coordinator, SELECT recover_prepared_transactions(). Do not end them by hand: pg_dist_transaction on the \
                coordinator lists those that must be committed.
                """
        )
    }
}
