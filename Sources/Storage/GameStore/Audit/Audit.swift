public import Encodings
public import GameCore
import PostgresClient

extension Shard {
    /// Whose chain of the audit log holds what belongs to no shard: operators, and what they do to nothing stored.
    public static let forOperators = Shard(rawValue: 0)
}

extension ShardTransaction {
    /// Records in the audit log what an operator changes in this transaction; see ``AuditChange``.
    public mutating func audit(_ change: AuditChange) {
        changes.append(change)
    }

    /// The statements that write the entries recorded here behind the end of the shard's chain.
    ///
    /// The end needs no lock of its own: whoever writes to the chain holds the shard's.
    mutating func auditQueries() async throws -> [PostgresQuery] {
        guard !changes.isEmpty else { return [] }
        let rows = try await connection.query(PostgresQuery(AuditStatements.head, shard.column))
        guard let row = rows.first else { throw StoreError.missingShard(shard) }
        var head = try AuditStatements.decodeHead(row)
        entries = changes.map { head.append($0, at: now, in: shard) }
        var queries = entries.map(AuditStatements.insert)
        queries.append(PostgresQuery(AuditStatements.moveHead, shard.column, head.length, head.hash))
        return queries
    }
}

/// A place in the audit log as lists show it: by time, whatever the shard.
public struct AuditPlace: Sendable, Hashable {
    /// When the entry was written.
    public let at: Timestamp
    /// Its chain.
    public let shard: Shard
    /// Its position in the chain.
    public let position: Int64

    /// The place of an entry.
    public init(at: Timestamp, shard: Shard, position: Int64) {
        self.at = at
        self.shard = shard
        self.position = position
    }

    /// Behind everything: the end of the year 9999.
    static let newest = Self(at: Timestamp(epochSeconds: 253_402_300_799), shard: Shard(rawValue: .max), position: .max)
}

/// A place in the walk over all chains.
public struct AuditCheckpoint: Sendable, Hashable {
    /// The chain that is walked.
    public let shard: Shard
    /// The last entry that was found good; zero before the first.
    public let position: Int64

    /// A place in the walk.
    public init(shard: Shard, position: Int64) {
        self.shard = shard
        self.position = position
    }

    /// Where the walk begins.
    public static let beginning = Self(shard: Shard(rawValue: 0), position: 0)
}

/// An entry of the audit log by what nobody can make up: its hash, which covers all entries before it in its chain.
public struct AuditMark: Sendable, Hashable {
    /// Its chain.
    public let shard: Shard
    /// Its position in the chain.
    public let position: Int64
    /// Its hash, 32 bytes.
    public let hash: [UInt8]
}

/// What a part of the walk over the audit log came to.
public struct AuditVerification: Sendable, Hashable {
    /// How many entries were found good.
    public var entries = 0
    /// The last entries of the chains that it came to the end of, by shard; those that are empty left out.
    public var ends: [AuditMark] = []
    /// What is wrong, at the first place where something is; the walk ends there.
    public var fault: AuditFault?
    /// Where to go on, nil when the walk is over.
    public var next: AuditCheckpoint?
}

extension GameStore {
    /// Records a change that has no transaction of its own: one that is in no table.
    public func audit(_ change: AuditChange, at now: @autoclosure () -> Timestamp) async throws {
        try await withShard(.forOperators, at: now()) { $0.audit(change) }
    }

    /// The newest entries of the audit log.
    /// - Parameters:
    ///   - author: only this one's, nil for everybody's.
    ///   - since: only from this moment on.
    ///   - place: only before this place; nil begins at the newest.
    ///   - limit: how many at most.
    /// - Returns: the newest first.
    /// - Throws: `PostgresError`.
    public func auditEntries(
        by author: String? = nil,
        since: Timestamp = Timestamp(epochSeconds: 0),
        before place: AuditPlace? = nil,
        limit: Int
    ) async throws -> [AuditEntry] {
        let place = place ?? .newest
        let rows: PostgresRows
        if let author {
            rows = try await pool.query(
                PostgresQuery(
                    AuditStatements.listOfAuthor,
                    since.postgres,
                    place.at.postgres,
                    place.shard.column,
                    place.position,
                    Int64(limit),
                    author
                )
            )
        } else {
            rows = try await pool.query(
                PostgresQuery(
                    AuditStatements.list,
                    since.postgres,
                    place.at.postgres,
                    place.shard.column,
                    place.position,
                    Int64(limit)
                )
            )
        }
        return try rows.map(AuditStatements.decode)
    }

    /// Walks the chains of the audit log, or a part of them.
    ///
    /// The ends of all chains are read first, in one statement: what is written meanwhile is left out.
    /// - Parameters:
    ///   - checkpoint: where to begin.
    ///   - limit: how many entries to look at, at most; at least 1.
    /// - Returns: how far the walk came, and the first fault that was met.
    /// - Throws: `PostgresError`.
    public func verifyAudit(from checkpoint: AuditCheckpoint, limit: Int) async throws -> AuditVerification {
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
                let room = limit - verification.entries
                guard room > 0 else {
                    verification.next = AuditCheckpoint(shard: end.shard, position: walk.reached.length)
                    return verification
                }
                let rows = try await pool.query(
                    PostgresQuery(
                        AuditStatements.chain,
                        end.shard.column,
                        walk.reached.length,
                        end.head.length,
                        Int64(min(room, AuditStatements.page))
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
                verification.ends.append(AuditMark(shard: shard, position: end.head.length, hash: end.head.hash))
            }
        }
        return verification
    }

    /// The entries at some places, as they are stored; those that are not there are left out.
    ///
    /// Who has kept the ``AuditVerification/ends`` of an earlier walk sees by these whether the log still is the one that
    /// was walked then, grown or not.
    public func auditMarks(at places: [AuditCheckpoint]) async throws -> [AuditMark] {
        let rows = try await pool.query(
            PostgresQuery(AuditStatements.marks, places.map(\.shard.column), places.map(\.position))
        )
        return try rows.map { row in
            let (shard, position, hash) = try row.decode(Int16.self, Int64.self, [UInt8].self)
            return AuditMark(shard: Shard(rawValue: UInt8(truncatingIfNeeded: shard)), position: position, hash: hash)
        }
    }

    /// A walk that goes on behind an entry, nil when there is no such entry.
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
    /// How many entries are read at once: some hundred kilobytes.
    static let page = 1_000

    private static let columns = "shard, position, at, author, action, target, before, after, request_id, hash"

    static let head = Statement("audit.head", "SELECT length, hash FROM audit_heads WHERE shard = $1")

    static let moveHead = Statement(
        "audit.moveHead",
        "UPDATE audit_heads SET length = $2, hash = $3 WHERE shard = $1"
    )

    static let ends = Statement(
        "audit.ends",
        """
        SELECT h.shard, h.length, h.hash, coalesce((SELECT max(a.position) FROM audit AS a WHERE a.shard = h.shard), 0)
        FROM audit_heads AS h
        WHERE h.shard >= $1
        ORDER BY h.shard
        """
    )

    static let chain = Statement(
        "audit.chain",
        """
        SELECT \(columns) FROM audit
        WHERE shard = $1 AND position > $2 AND position <= $3
        ORDER BY position
        LIMIT $4
        """
    )

    static let marks = Statement(
        "audit.marks",
        """
        SELECT shard, position, hash
        FROM unnest($1::smallint[], $2::bigint[]) AS asked (shard, position)
        JOIN audit AS a USING (shard, position)
        WHERE a.shard = ANY ($1)
        ORDER BY shard, position
        """
    )

    static let list = Statement(
        "audit.list",
        """
        SELECT \(columns) FROM audit
        WHERE at >= $1 AND (at, shard, position) < ($2, $3, $4)
        ORDER BY at DESC, shard DESC, position DESC
        LIMIT $5
        """
    )

    static let listOfAuthor = Statement(
        "audit.listOfAuthor",
        """
        SELECT \(columns) FROM audit
        WHERE author = $6 AND at >= $1 AND (at, shard, position) < ($2, $3, $4)
        ORDER BY at DESC, shard DESC, position DESC
        LIMIT $5
        """
    )

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
