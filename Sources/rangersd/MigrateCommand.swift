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
            """
    )

    @Flag(help: "Change nothing; exit with 1 if a migration is pending or was edited after it was applied.")
    var check = false

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        try await RangersdFailure.explaining {
            let store = GameStore(try DatabaseSettings(from: options.sources()))
            if check {
                try Self.judge(try await store.checkMigrations())
            } else {
                let report = try await store.migrate()
                for migration in report.pending {
                    print("applied \(migration.name)")
                }
            }
            print("the schema is up to date (\(Migration.all.count) migrations)")
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
