public import Encodings
public import GameCore
import GameLog
import PostgresClient

extension Shard {
    /// The shard whose audit chain records changes that belong to no shard, such as changes of operators.
    public static let forOperators = Shard(rawValue: 0)
}

extension ShardTransaction {
    /// Records an operator's change in the audit log; see ``AuditChange``.
    public mutating func audit(_ change: AuditChange) {
        auditChanges.append(change)
    }

    /// Returns the statements that append the recorded entries to the shard's chain.
    ///
    /// The chain's head needs no lock of its own: every writer holds the shard's lock.
    mutating func auditQueries() async throws -> [PostgresQuery] {
        guard !auditChanges.isEmpty else { return [] }
        let rows = try await connection.query(PostgresQuery(AuditStatements.head, shard.column))
        guard let row = rows.first else { throw StoreError.missingShard(shard) }
        var head = try AuditStatements.decodeHead(row)
        auditEntries = auditChanges.map { head.append($0, at: now, in: shard) }
        var queries = auditEntries.map(AuditStatements.insert)
        queries.append(PostgresQuery(AuditStatements.moveHead, shard.column, head.length, head.hash))
        return queries
    }
}

/// A cursor into the audit log ordered by time across all shards.
public struct AuditCursor: Sendable, Hashable {
    /// The time at which the entry was written.
    public let at: Timestamp
    /// The shard whose chain contains the entry.
    public let shard: Shard
    /// The entry's position in the chain.
    public let position: Int64

    /// Creates a cursor at an entry.
    public init(at: Timestamp, shard: Shard, position: Int64) {
        self.at = at
        self.shard = shard
        self.position = position
    }

    /// A cursor after all entries: the end of the year 9999.
    static let newest = Self(at: Timestamp(epochSeconds: 253_402_300_799), shard: Shard(rawValue: .max), position: .max)
}

/// A position in the verification of all chains: a chain, and a position in it.
public struct AuditPosition: Sendable, Hashable {
    /// The shard of the chain.
    public let shard: Shard
    /// The position of the last verified entry; zero before the first.
    public let position: Int64

    /// Creates a position.
    public init(shard: Shard, position: Int64) {
        self.shard = shard
        self.position = position
    }

    /// The beginning of the first chain.
    public static let beginning = Self(shard: Shard(rawValue: 0), position: 0)
}

/// The hash of an entry of the audit log, which covers the entry and all earlier entries of its chain.
public struct AuditEntryHash: Sendable, Hashable {
    /// The chain of the entry.
    public let shard: Shard
    /// The entry's position in the chain.
    public let position: Int64
    /// The hash, 32 bytes.
    public let hash: [UInt8]
}

/// The result of verifying a part of the audit log.
public struct AuditVerification: Sendable, Hashable {
    /// The number of valid entries.
    public var entries = 0
    /// The last entries of the chains verified to their end, by shard, without empty chains.
    public var ends: [AuditEntryHash] = []
    /// The first fault, which ends the verification; nil if there is none.
    public var fault: AuditFault?
    /// Where the next part starts; nil when all chains were verified.
    public var next: AuditPosition?
}

extension GameStore {
    /// Records a change that is stored in no other table, in a separate transaction.
    public func audit(_ change: AuditChange) async throws {
        try await withAuditLog { $0.audit(change) }
    }

    /// Returns the newest entries of the audit log.
    /// - Parameters:
    ///   - author: the author of the entries; nil for all authors.
    ///   - since: the earliest time of the entries; nil for any time.
    ///   - cursor: the cursor before which the entries lie; nil to start at the newest.
    ///   - limit: the maximum number of entries.
    /// - Returns: the entries, newest first.
    /// - Throws: `PostgresError`.
    public func auditEntries(
        by author: String? = nil,
        since: Timestamp = Timestamp(epochSeconds: 0),
        before cursor: AuditCursor? = nil,
        limit: Int
    ) async throws -> [AuditEntry] {
        let cursor = cursor ?? .newest
        let rows: PostgresRows
        if let author {
            rows = try await pool.query(
                PostgresQuery(
                    AuditStatements.listOfAuthor,
                    since.postgres,
                    cursor.at.postgres,
                    cursor.shard.column,
                    cursor.position,
                    Int64(limit),
                    author
                )
            )
        } else {
            rows = try await pool.query(
                PostgresQuery(
                    AuditStatements.list,
                    since.postgres,
                    cursor.at.postgres,
                    cursor.shard.column,
                    cursor.position,
                    Int64(limit)
                )
            )
        }
        return try rows.map(AuditStatements.decode)
    }

    /// Verifies the chains of the audit log, or a part of them.
    ///
    /// One statement reads the heads of all chains first. Entries written later are not verified.
    /// - Parameters:
    ///   - checkpoint: where to start.
    ///   - limit: the maximum number of entries to verify, at least 1.
    /// - Returns: the number of valid entries, the ends of the verified chains, and the first fault or the start of the
    ///   next part, if any.
    /// - Throws: `PostgresError`.
    public func verifyAudit(from checkpoint: AuditPosition, limit: Int) async throws -> AuditVerification {
        var verification = AuditVerification()
        let rows = try await pool.query(PostgresQuery(AuditStatements.ends, checkpoint.shard.column))
        let ends = Dictionary(try rows.map(AuditStatements.decodeEnd).map { ($0.shard, $0) }, uniquingKeysWith: { $1 })
        for shard in Shard.all where shard >= checkpoint.shard {
            guard let end = ends[shard] else {
                verification.fault = AuditFault(shard: shard, position: 1, kind: .cutOff)
                return verification
            }
            let begin = end.shard == checkpoint.shard ? checkpoint.position : 0
            guard var walk = try await walk(of: end.shard, behind: begin) else {
                verification.fault = AuditFault(shard: end.shard, position: begin, kind: .missing)
                return verification
            }
            while walk.reached.length < end.head.length {
                let remaining = limit - verification.entries
                guard remaining > 0 else {
                    verification.next = AuditPosition(shard: end.shard, position: walk.reached.length)
                    return verification
                }
                let rows = try await pool.query(
                    PostgresQuery(
                        AuditStatements.chain,
                        end.shard.column,
                        walk.reached.length,
                        end.head.length,
                        Int64(min(remaining, AuditStatements.page))
                    )
                )
                guard !rows.isEmpty else { break }
                for entry in try rows.map(AuditStatements.decode) {
                    verification.fault = walk.step(to: entry)
                    guard verification.fault == nil else { return verification }
                    verification.entries += 1
                }
            }
            verification.fault = walk.end(at: end.head, newest: end.newest)
            guard verification.fault == nil else { return verification }
            if end.head.length > 0 {
                verification.ends.append(AuditEntryHash(shard: shard, position: end.head.length, hash: end.head.hash))
            }
        }
        return verification
    }

    /// Returns the stored hashes of entries.
    ///
    /// Missing entries are left out.
    ///
    /// A caller that kept the ``AuditVerification/ends`` of an earlier verification can compare them with these hashes:
    /// if they match, the log is the verified one, possibly extended.
    public func auditEntryHashes(at positions: [AuditPosition]) async throws -> [AuditEntryHash] {
        let rows = try await pool.query(
            PostgresQuery(AuditStatements.hashes, positions.map(\.shard.column), positions.map(\.position))
        )
        return try rows.map { row in
            let (shard, position, hash) = try row.decode(Int16.self, Int64.self, [UInt8].self)
            return AuditEntryHash(
                shard: Shard(rawValue: UInt8(truncatingIfNeeded: shard)),
                position: position,
                hash: hash
            )
        }
    }

    /// Returns a walk that continues after an entry, or begins for position zero; nil if there is no such entry.
    private func walk(of shard: Shard, behind position: Int64) async throws -> AuditChainWalk? {
        guard position > 0 else { return AuditChainWalk(of: shard) }
        let rows = try await pool.query(
            PostgresQuery(AuditStatements.chain, shard.column, position - 1, position, 1 as Int64)
        )
        return try rows.first.map(AuditStatements.decode).map { entry in
            AuditChainWalk(of: shard, behind: AuditHead(length: position, hash: entry.hash))
        }
    }
}

enum AuditStatements {
    /// The number of entries per query: several hundred kilobytes.
    static let page = 1_000

    private static let columns = "shard, position, at, author, action, target, before, after, request_id, hash"

    /// Reads the head of a shard's chain by primary key.
    static let head = Statement("audit.head", "SELECT length, hash FROM audit_heads WHERE shard = $1")

    /// Moves the head of a shard's chain.
    static let moveHead = Statement(
        "audit.moveHead",
        "UPDATE audit_heads SET length = $2, hash = $3 WHERE shard = $1"
    )

    /// Reads the heads of the chains from shard `$1` on, each with its newest entry's position by primary key.
    static let ends = Statement(
        "audit.ends",
        """
        SELECT h.shard, h.length, h.hash, coalesce((SELECT max(a.position) FROM audit AS a WHERE a.shard = h.shard), 0)
        FROM audit_heads AS h
        WHERE h.shard >= $1
        ORDER BY h.shard
        """
    )

    /// Reads at most `$4` entries of a chain, along the primary key.
    static let chain = Statement(
        "audit.chain",
        """
        SELECT \(columns) FROM audit
        WHERE shard = $1 AND position > $2 AND position <= $3
        ORDER BY position
        LIMIT $4
        """
    )

    /// Reads the hashes of entries by primary key.
    static let hashes = Statement(
        "audit.hashes",
        """
        SELECT shard, position, hash
        FROM unnest($1::smallint[], $2::bigint[]) AS requested (shard, position)
        JOIN audit AS a USING (shard, position)
        WHERE a.shard = ANY ($1)
        ORDER BY shard, position
        """
    )

    /// Reads at most `$5` entries before a cursor, along the index on time.
    static let list = Statement(
        "audit.list",
        """
        SELECT \(columns) FROM audit
        WHERE at >= $1 AND (at, shard, position) < ($2, $3, $4)
        ORDER BY at DESC, shard DESC, position DESC
        LIMIT $5
        """
    )

    /// Reads at most `$5` entries of one author before a cursor, along the index on author and time.
    static let listOfAuthor = Statement(
        "audit.listOfAuthor",
        """
        SELECT \(columns) FROM audit
        WHERE author = $6 AND at >= $1 AND (at, shard, position) < ($2, $3, $4)
        ORDER BY at DESC, shard DESC, position DESC
        LIMIT $5
        """
    )

    /// Appends an entry to its chain.
    static let insert = Statement(
        "audit.insert",
        "INSERT INTO audit (\(columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
    )

    static func insert(_ entry: AuditEntry) -> PostgresQuery {
        PostgresQuery(
            insert,
            entry.shard.column,
            entry.position,
            entry.at.postgres,
            entry.author.name,
            entry.action.rawValue,
            entry.target,
            entry.before,
            entry.after,
            entry.author.requestID,
            entry.hash
        )
    }

    static func decode(_ row: PostgresRow) throws -> AuditEntry {
        let (shard, position, at, author, action, target, before, after, requestID, hash) = try row.decode(
            Int16.self,
            Int64.self,
            PostgresTimestamp.self,
            String.self,
            String.self,
            String.self,
            String?.self,
            String?.self,
            String?.self,
            [UInt8].self
        )
        return AuditEntry(
            shard: Shard(rawValue: UInt8(truncatingIfNeeded: shard)),
            position: position,
            at: Timestamp(at),
            author: AuditAuthor(operator: author, requestID: requestID),
            action: AuditAction(rawValue: action),
            target: target,
            before: before,
            after: after,
            hash: hash
        )
    }

    static func decodeHead(_ row: PostgresRow) throws -> AuditHead {
        let (length, hash) = try row.decode(Int64.self, [UInt8].self)
        return AuditHead(length: length, hash: hash)
    }

    static func decodeEnd(_ row: PostgresRow) throws -> (shard: Shard, head: AuditHead, newest: Int64) {
        let (shard, length, hash, newest) = try row.decode(Int16.self, Int64.self, [UInt8].self, Int64.self)
        return (Shard(rawValue: UInt8(truncatingIfNeeded: shard)), AuditHead(length: length, hash: hash), newest)
    }
}
