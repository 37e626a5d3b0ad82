import Foundation
import GameStore
import PostgresClient
import Synchronization
import TestSupport
import Testing

@Suite struct MigrationTests {
    @Test func `migrations are applied once`() async throws {
        try await withStore(migrated: false) { store, _ in
            #expect(try await store.checkMigrations().pending == Migration.all)
            #expect(try await store.migrate().pending == Migration.all)
            let again = try await store.migrate()
            #expect(again.pending.isEmpty && again.applied == Migration.all)
            #expect(try await store.checkMigrations().isCurrent)
        }
    }

    @Test func `of several concurrent migrations, one applies and the others find it done`() async throws {
        try await withStore(migrated: false) { store, _ in
            let applied = try await withThrowingTaskGroup { group in
                for _ in 0..<6 { group.addTask { try await store.migrate().pending.count } }
                return try await group.reduce(0, +)
            }
            #expect(applied == Migration.all.count)
        }
    }

    @Test func `an edited migration is reported, and nothing is applied`() async throws {
        try await withStore { store, pool in
            _ = try await pool.query(
                PostgresQuery(
                    Statement("test.edit", "UPDATE schema_migrations SET checksum = 'other' WHERE number = 1")
                )
            )
            #expect(try await store.checkMigrations().edited.map(\.name) == ["0001_initial"])
            let error = await #expect(throws: MigrationError.self) { try await store.migrate() }
            #expect(error.map { "\($0)".contains("0001_initial") } == true)
        }
    }

    @Test func `a schema newer than the binary is rejected`() async throws {
        try await withStore { store, pool in
            _ = try await pool.query(
                PostgresQuery(
                    Statement(
                        "test.newer",
                        "INSERT INTO schema_migrations (number, name, checksum) VALUES (9999, 'future', 'x')"
                    )
                )
            )
            let error = await #expect(throws: MigrationError.self) { try await store.migrate() }
            #expect(error.map { "\($0)".contains("9999") } == true)
        }
    }

    @Test func `a migration that waits for a lock gives up, says for whom it waits, and can be tried again`()
        async throws
    {
        try await withStore { store, pool in
            try await pool.withConnection { connection in
                try await connection.script(
                    """
                    ALTER TABLE devices DROP COLUMN widget_token, DROP COLUMN widget_due_at, DROP COLUMN widget_free_at;
                    DELETE FROM schema_migrations WHERE number = 10;
                    """
                )
            }
            var patience = MigrationPatience()
            patience.lockTimeout = .milliseconds(10)
            patience.attempts = 3
            patience.sleep = { _ in }
            try await pool.withTransaction { connection in
                try await connection.script("LOCK TABLE devices IN ACCESS SHARE MODE")
                let delays = Mutex<[MigrationDelay]>([])
                let error = await #expect(throws: MigrationError.self) {
                    try await store.migrate(patience: patience) { delay in
                        delays.withLock { $0.append(delay) }
                    }
                }
                #expect(delays.withLock { $0.map(\.migration) } == ["0010_widgets", "0010_widgets"])
                #expect(delays.withLock { $0.map(\.attempt) } == [1, 2])
                let text = error?.description ?? ""
                #expect(text.contains("attempt 3; old transactions: process ") && text.contains(" s, with devices)"))
            }
            #expect(try await store.migrate(patience: patience).pending.map(\.name) == ["0010_widgets"])
        }
    }

    @Test func `every file of the folder is embedded, with consecutive numbers`() throws {
        let folder = ProjectFiles.root.appending(path: "Migrations")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
            .filter { $0.hasSuffix(".sql") }
            .map { String($0.dropLast(4)) }
        #expect(files.sorted() == Migration.all.map(\.name))
        #expect(Migration.all.map(\.number) == Array(1...Migration.all.count))
    }
}
