public import Encodings
public import GameCore
import PostgresClient

/// What a daily quota counts.
public enum QuotaKind: String, Sendable, CaseIterable {
    /// Parties that a player creates or joins.
    case party
    /// Adventures that a player starts.
    case adventure
    /// Push-to-start tokens that a player registers, one for each device.
    case device
    /// Live Activities that a player registers.
    case activity
    /// Changes of the player's name or hero.
    case profile
}

/// How much of a daily quota a player has used.
public struct QuotaUse: Hashable, Sendable {
    private static let day: Int64 = 24 * 60 * 60

    /// What the quota counts.
    public let kind: QuotaKind
    /// The quota of a day.
    public let limit: Int
    /// How much of it is left; never negative.
    public let remaining: Int
    /// The seconds until the next day begins, from 1; the day is UTC's.
    public let resetSeconds: Int
    /// The number of the day since 1970.
    let dayNumber: Int32

    /// Creates a use.
    /// - Parameters:
    ///   - kind: what the quota counts.
    ///   - used: how much was used; nil for all of it.
    ///   - limit: the quota of a day.
    ///   - now: the present.
    init(_ kind: QuotaKind, used: Int?, of limit: Int, at now: Timestamp) {
        self.kind = kind
        self.limit = limit
        remaining = used.map { max(0, limit - $0) } ?? 0
        let seconds = now.microseconds / 1_000_000
        dayNumber = Int32(clamping: seconds / Self.day)
        resetSeconds = Int(Self.day - seconds % Self.day)
    }
}

/// The result of spending one of a quota.
public enum QuotaSpending: Sendable {
    /// It was spent.
    case spent(QuotaUse)
    /// Nothing is left until the next day.
    case exceeded(QuotaUse)
}

extension GameStore {
    /// Spends one of a player's quota of the present day, by the store's clock.
    ///
    /// Uses a statement of its own in the player's shard, since the change itself may belong to another one.
    public func spendQuota(_ kind: QuotaKind, of playerID: PlayerID, limit: Int) async throws -> QuotaSpending {
        let now = try await now()
        let whole = QuotaUse(kind, used: nil, of: limit, at: now)
        let rows = try await pool.query(
            PostgresQuery(
                QuotaStatements.spend,
                playerID.shard.column,
                whole.dayNumber,
                playerID,
                kind.rawValue,
                Int32(clamping: limit)
            )
        )
        guard let used = try rows.first?.decode(Int32.self) else { return .exceeded(whole) }
        return .spent(QuotaUse(kind, used: Int(used), of: limit, at: now))
    }

    /// Returns what a refused request has spent.
    public func refund(_ use: QuotaUse, to playerID: PlayerID) async throws {
        _ = try await pool.query(
            PostgresQuery(
                QuotaStatements.refund,
                playerID.shard.column,
                use.dayNumber,
                playerID,
                use.kind.rawValue
            )
        )
    }

    /// Removes quotas of earlier days.
    /// - Parameters:
    ///   - now: the present. The quotas of the day before are kept, too.
    ///   - shard: the shard.
    ///   - limit: the maximum number of rows.
    /// - Returns: the number of rows removed.
    /// - Throws: `PostgresError`.
    public func removeQuotas(before now: Timestamp, in shard: Shard, limit: Int) async throws -> Int {
        let today = QuotaUse(.party, used: 0, of: 0, at: now).dayNumber
        return try await pool.query(
            PostgresQuery(QuotaStatements.remove, shard.column, today - 1, Int64(limit))
        ).affectedRows
    }
}

enum QuotaStatements {
    /// Counts one use by primary key, unless all of the quota is used.
    static let spend = Statement(
        "quota.spend",
        """
        INSERT INTO quotas (shard, day, player_id, kind, used) VALUES ($1, $2, $3, $4, 1)
        ON CONFLICT (shard, day, player_id, kind) DO UPDATE SET used = quotas.used + 1 WHERE quotas.used < $5
        RETURNING used
        """
    )

    /// Takes one use back by primary key.
    static let refund = Statement(
        "quota.refund",
        """
        UPDATE quotas SET used = used - 1
        WHERE shard = $1 AND day = $2 AND player_id = $3 AND kind = $4 AND used > 0
        """
    )

    /// Deletes at most `$3` rows of days before `$2`, along the primary key, skipping locked rows.
    static let remove = Statement(
        "quota.remove",
        """
        DELETE FROM quotas
        WHERE shard = $1 AND (day, player_id, kind) IN (
            SELECT q.day, q.player_id, q.kind
            FROM quotas AS q
            WHERE q.shard = $1 AND q.day < $2
            ORDER BY q.day
            LIMIT $3
            FOR UPDATE SKIP LOCKED
        )
        """
    )
}
