import ArgumentParser
import CommandLineSupport
import GameStore
import RangersSettings

/// `rangersd migrate`: brings the database's schema up to date.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Applies pending migrations to the database.",
        discussion: """
            Each migration runs in a transaction of its own under a lock, so that several nodes can migrate \
            concurrently. `serve` applies pending migrations at its start. The database is RANGERS_DATABASE_URL.

            A migration waits for locks for two seconds at a time, so that requests do not queue behind it, and is tried \
            again every few seconds, for some minutes. Standard error says which transactions it may wait for.

            With --distributed the tables are distributed over the nodes of a Citus cluster. This is permanent: later \
            migrations need no --distributed.
            """
    )

    @Flag(help: "Change nothing; exit with 1 if a migration is pending or was edited after its application.")
    var check = false

    @Flag(help: "Distribute the tables over a Citus cluster.")
    var distributed = false

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await RangersdFailure.explaining {
            let store = GameStore(try DatabaseSettings(from: options.sources()))
            let report: MigrationReport
            if check {
                report = try await store.checkMigrations(distributing: distributed)
                try Self.check(report)
            } else {
                report = try await store.migrate(distributing: distributed) { delay in
                    StandardError.print("\(delay); it is tried again")
                }
                for migration in report.pending {
                    print("applied \(migration.name)")
                }
            }
            let suffix = report.isDistributed ? ", distributed" : ""
            print("the schema is up to date (migrations: \(Migration.all.count)\(suffix))")
        }
    }

    private static func check(_ report: MigrationReport) throws {
        let lost = """
            the tables are not distributed any more, as after the restore of a dump; `rangersd migrate` distributes them \
            again
            """
        let problems =
            (report.hasLostDistribution ? [lost] : [])
            + report.pending.map { "\($0.name) is pending; `rangersd migrate` applies it" }
            + report.edited.map { "\($0.name) was edited after it was applied; restore the file" }
            + report.unknown.map { "the database has migration \($0), which this version does not know" }
        guard report.isCurrent else { throw RangersdFailure(explanation: problems.joined(separator: "\n")) }
    }
}
