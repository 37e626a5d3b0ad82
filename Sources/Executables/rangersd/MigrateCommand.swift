import ArgumentParser
import GameStore
import RangersSettings

/// `rangersd migrate`: brings the database's schema up to date.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Applies the migrations that the database lacks.",
        discussion: """
            Under a lock, each in a transaction of its own; any number of nodes may do it at once. `serve` does the \
            same when it starts. The database is RANGERS_DATABASE_URL.

            With --distributed the schema is then spread over the machines of a Citus cluster, and stays so: from then \
            on --distributed need not be given again.
            """
    )

    @Flag(help: "Change nothing; exit with 1 if a migration is pending or was edited after it was applied.")
    var check = false

    @Flag(help: "Spread the schema over a Citus cluster.")
    var distributed = false

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await RangersdFailure.explaining {
            let store = GameStore(try DatabaseSettings(from: options.sources()))
            let report: MigrationReport
            if check {
                report = try await store.checkMigrations(distributing: distributed)
                try Self.judge(report)
            } else {
                report = try await store.migrate(distributing: distributed)
                for migration in report.pending {
                    print("applied \(migration.name)")
                }
            }
            let isDistributed = Set(report.applied + report.pending).isSuperset(of: Migration.distributed)
            let manner = isDistributed ? ", distributed" : ""
            print("the schema is up to date (\(Migration.all.count) migrations\(manner))")
        }
    }

    private static func judge(_ report: MigrationReport) throws {
        let faults =
            report.pending.map { "\($0.name) is pending; `rangersd migrate` applies it" }
            + report.edited.map { "\($0.name) was edited after it was applied; restore the file" }
            + report.unknown.map { "the database has migration \($0), which this version does not know" }
        guard report.isCurrent else { throw RangersdFailure(explanation: faults.joined(separator: "\n")) }
    }
}
