import Encodings
import GameCore
import GameLog
import PostgresClient
import Synchronization

/// The adventures that were read most recently, so that the next reading transfers and plays only what is new.
///
/// A reading compares the opening, the outages and the newest known input, with the digest of the events so far, with
/// those in the database. If they differ, because the database lost commits, the adventure is played from its opening.
final class TimelineCache: Sendable {
    /// The number of adventures after which the older ones are forgotten; up to twice as many are kept.
    private static let generationSize = 4_096

    /// The recently used adventures, and those of the time before.
    private struct Generations {
        var newer: [AdventureID: KnownTimeline] = [:]
        var older: [AdventureID: KnownTimeline] = [:]
    }

    private let generations = Mutex(Generations())

    /// Returns an adventure as it was read last; nil if it is not known.
    subscript(id: AdventureID) -> KnownTimeline? {
        generations.withLock { $0.newer[id] ?? $0.older[id] }
    }

    private func keep(_ timeline: KnownTimeline) {
        generations.withLock { generations in
            if generations.newer.count >= Self.generationSize {
                generations.older = generations.newer
                generations.newer = [:]
            }
            generations.newer[timeline.stored.id] = timeline
        }
    }

    private func forget(_ id: AdventureID) {
        generations.withLock { generations in
            generations.newer[id] = nil
            generations.older[id] = nil
        }
    }

    /// Returns the adventure in the result of ``AdventureStatements/read(_:after:)``, and keeps it.
    /// - Parameters:
    ///   - id: the adventure.
    ///   - rows: the result.
    ///   - known: what the query was made with.
    ///   - version: the newest version that this node knows.
    ///   - moment: the moment up to which it is played; nil for its shard's clock.
    ///   - query: reads the adventure again, if its history is not the one that is known.
    /// - Returns: nil if there is none with this identifier.
    /// - Throws: errors of `query`; ``StoreError`` if the adventure cannot be played.
    func timeline(
        _ id: AdventureID,
        in rows: PostgresRows,
        after known: KnownTimeline?,
        knowing version: RulesVersion,
        to moment: Timestamp? = nil,
        rereading query: (PostgresQuery) async throws -> PostgresRows
    ) async throws -> KnownTimeline? {
        guard let row = try rows.first.map({ try AdventureRow($0, knowing: version) }) else { return nil }
        if let known {
            // An error shows itself again when it is played from its opening.
            if let continued = try? row.timeline(continuing: known, to: moment ?? row.clock) {
                keep(continued)
                return continued
            }
            forget(id)
            let rows = try await query(AdventureStatements.read(id))
            return try await timeline(id, in: rows, after: nil, knowing: version, to: moment, rereading: query)
        }
        let timeline = try row.timeline(to: moment ?? row.clock)
        if row.isPlayable { keep(timeline) }
        return timeline
    }
}

/// An adventure as of the moment at which it was read.
struct KnownTimeline: Sendable {
    let stored: StoredAdventure
    /// The stored end, without the outages.
    let endsAt: Timestamp
    /// How long outages had stopped the games of its shard.
    let stoppedFor: Duration
    /// Whether its end is recorded.
    let isClosed: Bool
    /// Whether it is recorded that it cannot be played.
    let hasFault: Bool
    let opening: String
    /// The newest input; nil without one.
    let newestInput: AdventureRow.Entry?
    let outages: [AdventureRow.Entry]
}

extension AdventureStatements {
    /// Reads an adventure.
    /// - Parameters:
    ///   - id: the adventure.
    ///   - known: the adventure as it was read before; its inputs before the newest one are left out.
    /// - Returns: the query.
    static func read(_ id: AdventureID, after known: KnownTimeline? = nil) -> PostgresQuery {
        PostgresQuery(read, id.shard.column, [id], known?.newestInput?.position ?? 0)
    }
}
