import Encodings
import Foundation
import GameCore
import GameTestSupport
import InMemoryLogging
import Logging
import PostgresClient
import Testing

@testable import GameStore

@Suite struct AuditTests {
    private static let shard = Shard(rawValue: 7)
    private static let start = AuditChange(
        .bossStart,
        of: "party/1",
        after: ["heroes": "1", "boss": "glitch"],
        by: AuditAuthor(operator: "Olga", requestID: "r-1")
    )
    private static let revocation = AuditChange(
        .operatorRevoke,
        of: "operator/ü",
        before: ["role": "admin"],
        by: AuditAuthor(program: "rangersd", user: "root")
    )

    /// The encoding is permanent: a release with another hash would report every older entry as changed.
    ///
    /// The hashes come from an independent implementation of ``AuditEntry/hash(after:)`` (Python's struct and hashlib).
    @Test func `entries are hashed over their canonical encoding and the previous hash`() {
        var head = AuditHead.empty
        let first = head.append(Self.start, at: noon, in: Self.shard)
        #expect(first.hash.hexadecimal == "c64271e11858b46bbfe5f0084c1753a7012239d404e70ebe9785fd884073c1db")
        let second = head.append(Self.revocation, at: noon, in: Self.shard)
        #expect(second.hash.hexadecimal == "ecec096029145d4e3484ea11931cf962183d7ddcd50928430c3de6fbbc248a2c")
        #expect(head == AuditHead(length: 2, hash: second.hash))
    }

    @Test func `the changes of a transaction are chained in order, each shard in its own chain`() async throws {
        try await World.with { world in
            let store = world.store
            try await store.withShard(Self.shard) { transaction in
                transaction.audit(Self.start)
                transaction.audit(Self.revocation)
            }
            world.clock.advance(by: .seconds(1))
            try await store.audit(Self.revocation)
            let entries = try await store.auditEntries(limit: 10)
            #expect(entries.map { [Int64($0.shard.rawValue), $0.position] } == [[0, 1], [7, 2], [7, 1]])
            #expect(entries.last?.after == #"{"boss":"glitch","heroes":"1"}"#)
            #expect(entries.last?.author == AuditAuthor(operator: "Olga", requestID: "r-1"))
            #expect(entries.first?.author.name == "rangersd:root")
            let verification = try await store.verifyAudit(from: .beginning, limit: 100)
            #expect(verification.entries == 3 && verification.fault == nil && verification.next == nil)
            // The kept hashes match their entries, also after the chains have grown.
            let ends = verification.ends
            #expect(ends.map { [Int64($0.shard.rawValue), $0.position] } == [[0, 1], [7, 2]])
            try await store.audit(Self.start)
            let positions = ends.map { AuditPosition(shard: $0.shard, position: $0.position) }
            let missing = AuditPosition(shard: Self.shard, position: 3)
            #expect(try await store.auditEntryHashes(at: positions + [missing]) == ends)
        }
    }

    @Test func `an uncommitted change leaves no entry`() async throws {
        struct Refusal: Error {}
        try await withStore { store, _ in
            await #expect(throws: Refusal.self) {
                try await store.withShard(Self.shard) { transaction in
                    transaction.audit(Self.start)
                    throw Refusal()
                }
            }
            let recorded = try await store.dryRun(in: Self.shard) { transaction in
                transaction.audit(Self.start)
                return transaction.recordedAuditChanges
            }
            #expect(recorded == [Self.start])
            #expect(try await store.auditEntries(limit: 10).isEmpty)
        }
    }

    @Test func `concurrent changes form one chain without gaps`() async throws {
        try await withStore { store, _ in
            try await withThrowingTaskGroup { group in
                for _ in 1...20 {
                    group.addTask {
                        try await store.withShard(Self.shard) { $0.audit(Self.start) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.verifyAudit(from: .beginning, limit: 100).entries == 20)
        }
    }

    @Test func `entries are listed newest first, by page, author and time`() async throws {
        try await World.with { world in
            let store = world.store
            for second in 1...6 {
                // Two entries per moment, in shards of their own: the order is total nevertheless.
                if second.isMultiple(of: 2) { world.clock.advance(by: .seconds(1)) }
                let shard = Shard(rawValue: UInt8(second % 3))
                try await store.withShard(shard) { transaction in
                    transaction.audit(second.isMultiple(of: 3) ? Self.revocation : Self.start)
                }
            }
            let all = try await store.auditEntries(limit: 10)
            #expect(all.count == 6 && all.map(\.at) == all.map(\.at).sorted(by: >))
            var paged: [AuditEntry] = []
            while paged.count < 6 {
                let cursor = paged.last.map { AuditCursor(at: $0.at, shard: $0.shard, position: $0.position) }
                let page = try await store.auditEntries(before: cursor, limit: 2)
                try #require(page.count == 2)
                paged += page
            }
            #expect(paged == all)
            #expect(try await store.auditEntries(by: "Olga", limit: 10) == all.filter { $0.author.name == "Olga" })
            let late = try await store.auditEntries(since: noon + .seconds(2), limit: 10)
            #expect(late == all.filter { $0.at >= noon + .seconds(2) } && !late.isEmpty && late.count < 6)
        }
    }

    @Test func `the first entry broken by any change of the tables is reported`() async throws {
        try await withStore { store, pool in
            for shard in [Self.shard, Shard(rawValue: 200)] {
                try await store.withShard(shard) { transaction in
                    for _ in 1...4 { transaction.audit(Self.start) }
                }
            }
            try await pool.withTransaction { connection in
                try await connection.script("CREATE TABLE kept AS TABLE audit; CREATE TABLE ends AS TABLE audit_heads")
            }
            let changes: [(String, AuditFault)] = [
                ("UPDATE audit SET author = 'Rev' WHERE shard = 7 AND position = 2", fault(7, 2, .changed)),
                ("UPDATE audit SET after = NULL WHERE shard = 200 AND position = 4", fault(200, 4, .changed)),
                ("UPDATE audit SET at = at + '1 us' WHERE shard = 7 AND position = 1", fault(7, 1, .changed)),
                (
                    // Swaps two entries.
                    """
                    UPDATE audit SET position = 9 WHERE shard = 7 AND position = 2;
                    UPDATE audit SET position = 2 WHERE shard = 7 AND position = 3;
                    UPDATE audit SET position = 3 WHERE shard = 7 AND position = 9
                    """, fault(7, 2, .changed)
                ),
                ("DELETE FROM audit WHERE shard = 7 AND position = 3", fault(7, 3, .missing)),
                ("DELETE FROM audit WHERE shard = 7 AND position = 1", fault(7, 1, .missing)),
                ("DELETE FROM audit WHERE shard = 7 AND position > 2", fault(7, 3, .cutOff)),
                ("DELETE FROM audit WHERE shard = 200", fault(200, 1, .cutOff)),
                ("UPDATE audit_heads SET length = 3 WHERE shard = 7", fault(7, 4, .added)),
                ("UPDATE audit_heads SET length = 0 WHERE shard = 7", fault(7, 1, .added)),
                ("UPDATE audit_heads SET hash = sha256('') WHERE shard = 7", fault(7, 4, .otherEnd)),
                ("DELETE FROM audit_heads WHERE shard = 9", fault(9, 1, .cutOff)),
                (
                    """
                    INSERT INTO audit SELECT shard, 5, at, author, action, target, before, after, request_id, hash
                    FROM audit WHERE shard = 7 AND position = 4
                    """, fault(7, 5, .added)
                ),
            ]
            for (change, fault) in changes {
                try await pool.withTransaction { try await $0.script(change) }
                #expect(try await store.verifyAudit(from: .beginning, limit: 100).fault == fault, "\(change)")
                #expect(try await verifyInParts(store).fault == fault, "\(change)")
                try await pool.withTransaction { connection in
                    try await connection.script(
                        """
                        DELETE FROM audit; INSERT INTO audit TABLE kept;
                        DELETE FROM audit_heads; INSERT INTO audit_heads TABLE ends
                        """
                    )
                }
                let restored = try await verifyInParts(store)
                #expect(restored.entries == 8 && restored.fault == nil && restored.ends.count == 2)
            }
        }
    }

    @Test func `each committed entry is logged with its hash`() async throws {
        try await withStore { store, pool in
            let log = InMemoryLogHandler()
            let logging = GameStore(pool: pool, logger: Logger(label: "test", factory: { _ in log }))
            struct Failure: Error {}
            await #expect(throws: Failure.self) {
                try await logging.withShard(Self.shard) { transaction in
                    transaction.audit(Self.start)
                    throw Failure()
                }
            }
            #expect(log.entries.isEmpty)
            try await logging.withShard(Self.shard) { $0.audit(Self.start) }
            let entry = try #require(try await store.auditEntries(limit: 1).first)
            let line = try #require(log.entries.first)
            #expect(log.entries.count == 1 && line.level == .notice)
            #expect(
                line.metadata == [
                    "action": "boss.start", "hash": "\(entry.hashText)", "operator": "Olga", "position": "1",
                    "shard": "7", "target": "party/1",
                ]
            )
        }
    }

    /// Verifies the log in parts of three entries.
    private func verifyInParts(_ store: GameStore) async throws -> AuditVerification {
        var whole = AuditVerification(entries: 0, fault: nil, next: .beginning)
        while let next = whole.next {
            let part = try await store.verifyAudit(from: next, limit: 3)
            try #require(part.entries <= 3 && part.next != next)
            whole = AuditVerification(
                entries: whole.entries + part.entries,
                ends: whole.ends + part.ends,
                fault: part.fault,
                next: part.next
            )
        }
        return whole
    }

    private func fault(_ shard: UInt8, _ position: Int64, _ kind: AuditFault.Kind) -> AuditFault {
        AuditFault(shard: Shard(rawValue: shard), position: position, kind: kind)
    }
}
