import Encodings
import GameCore
import GameLog
import Logging
import PostgresClient
import RangersMetrics

// The stored end of an adventure only tells engines when to look for the end, which is derived. One that is too late would
// keep the heroes from their party.

extension KnownTimeline {
    /// Whether engines look for the end later than at a moment, at which the adventure has ended.
    ///
    /// An adventure that could not be played is left alone for some time. The end of a raid fight is found while its rounds
    /// are played, whatever is stored.
    /// - Parameters:
    ///   - moment: the moment.
    ///   - stoppedFor: how long outages have stopped the games of its shard by then.
    /// - Returns: true if the stored end is wrong.
    func endsTooLate(for moment: Timestamp, stoppedFor: Duration) -> Bool {
        stored.adventure.raid == nil
            && endsAt + stoppedFor > moment + (hasFault ? ShardTransaction.faultRetryInterval : .zero)
    }
}

extension GameStore {
    /// Corrects the stored end of an adventure that has ended by its shard's clock, if it is later than that clock.
    ///
    /// An engine then closes the adventure. If the database does not respond, the next reader corrects it.
    func correctLateEnd(of read: KnownTimeline) async {
        let stored = read.stored
        guard !read.isClosed, let end = stored.endedAt,
            read.endsTooLate(for: stored.playedUntil, stoppedFor: read.stoppedFor)
        else { return }
        let query = PostgresQuery(
            AdventureStatements.correctEnd,
            stored.id.shard.column,
            stored.id,
            read.endsAt.postgres,
            (end - read.stoppedFor).postgres
        )
        guard (try? await pool.query(query).affectedRows) == 1 else { return }
        reportLateEnd(of: stored.id)
    }

    /// Counts and logs that the stored end of an adventure was too late.
    func reportLateEnd(of id: AdventureID) {
        metrics.faults.add()
        logger.error("the stored end of an adventure was too late, and was corrected", metadata: ["adventure": "\(id)"])
    }
}

extension AdventureStatements {
    /// Replaces the stored end `$3` of a live adventure, by primary key.
    static let correctEnd = Statement(
        "adventure.correctEnd",
        """
        UPDATE adventures SET ends_at = $4
        WHERE shard = $1 AND adventure_id = $2 AND ends_at = $3 AND ended_at IS NULL
        """
    )
}
