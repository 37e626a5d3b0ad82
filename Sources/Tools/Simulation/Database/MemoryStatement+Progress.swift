import Encodings
import Foundation
import PostgresClient

// MARK: - Awards, progress and leaderboards

extension MemoryTables {
    package struct AwardKey: Hashable, Sendable {
        let adventure: UUID
        let player: UUID
    }

    package struct AwardRow: Sendable {
        let party: UUID
        let kind: String?
        let scene: String
        let outcome: String?
        let hero: String
        let experience: Int32
        let reached: Int32
        let bosses: Int32
        let startedAt: Int64
        let endedAt: Int64
    }

    package struct ScoreKey: Hashable, Sendable {
        let player: UUID
        let board: String
        let period: String
        let endsAt: Int64
    }

    package struct BucketKey: Hashable, Sendable {
        let shard: Int16
        let endsAt: Int64
        let period: String
        let board: String
        let bucket: Int32
    }
}

extension MemoryStatement {
    static func progress(_ name: String, _ query: PostgresQuery, _ tables: MemoryTables, _ context: Context) -> Result {
        switch name {
        case "award.insert":
            let awards = awards(in: query)
            return .change(affecting: awards.count) { $0.awards.merge(awards) { known, _ in known } }
        case "award.pending":
            return pendingAwards(query, tables, context)
        case "award.remove":
            let (_, adventures, players) = query.parameters(Int16.self, [UUID].self, [UUID].self)
            return .change(affecting: players.count) { tables in
                for (adventure, player) in zip(adventures, players) {
                    tables.awards[MemoryTables.AwardKey(adventure: adventure, player: player)] = nil
                }
            }
        case "progress.known":
            let (_, players, adventures) = query.parameters(Int16.self, [UUID].self, [UUID].self)
            if context.defect == .awardsRepeated { return .rows([]) }
            let known = tables.playerAdventures.keys.filter {
                players.contains($0.player) && adventures.contains($0.adventure)
            }
            return .rows(known.map { PostgresRowDraft($0.player, $0.adventure) })
        case "progress.insertHistory":
            let awards = awards(in: query)
            return .change(affecting: awards.count) { tables in
                for (key, row) in awards where tables.playerAdventures.updateValue(row, forKey: key) != nil {
                    guard context.defect != .awardsRepeated else { continue }
                    tables.violations.append("player \(key.player) got two awards of adventure \(key.adventure)")
                }
            }
        case "progress.history":
            let (_, player, before, limit) = query.parameters(Int16.self, UUID.self, UUID.self, Int64.self)
            let history = tables.playerAdventures.filter { key, row in
                key.player == player && key.adventure < before && row.kind != nil
            }
            return .rows(
                history.sorted { $1.key.adventure < $0.key.adventure }.prefix(Int(limit)).map { draft($1, $0) }
            )
        case "leaderboard.leader":
            let (board, period, endsAt) = query.parameters(String.self, String.self, PostgresTimestamp.self)
            let scores = tables.scores.filter {
                $0.key.board == board && $0.key.period == period && $0.key.endsAt == endsAt.microseconds
            }
            let leader = scores.max { ($0.value, $0.key.player) < ($1.value, $1.key.player) }
            return .rows(leader.map { [PostgresRowDraft($0.key.player)] } ?? [])
        case "progress.lock", "progress.inParties", "progress.scores":
            return ofPlayers(name, query, tables)
        default:
            return change(name, query)
        }
    }

    private static func ofPlayers(_ name: String, _ query: PostgresQuery, _ tables: MemoryTables) -> Result {
        let (_, ids) = query.parameters(Int16.self, [UUID].self)
        switch name {
        case "progress.lock":
            return .rows(
                ids.sorted().compactMap { id in
                    tables.players[id].map { PostgresRowDraft(id, $0.experience, $0.bossesDefeated) }
                }
            )
        case "progress.inParties":
            let listed = tables.membershipSlots.filter { ids.contains($0.key.player) && $0.value.leftAt == nil }
            let parties = Dictionary(grouping: listed.keys, by: \.player)
            return .rows(parties.filter { $0.value.count > 1 }.keys.map { PostgresRowDraft($0) })
        default:
            let scores = tables.scores.filter { ids.contains($0.key.player) }.sorted { left, right in
                (left.key.player, left.key.board, left.key.period, left.key.endsAt) < (
                    right.key.player, right.key.board, right.key.period, right.key.endsAt
                )
            }
            return .rows(
                scores.map { key, score in
                    PostgresRowDraft(key.player, key.board, key.period, PostgresTimestamp(key.endsAt), score)
                }
            )
        }
    }

    private static func change(_ name: String, _ query: PostgresQuery) -> Result {
        switch name {
        case "progress.update":
            let (_, ids, experience, bosses, _, _) = query.parameters(
                Int16.self,
                [UUID].self,
                [Int32].self,
                [Int32].self,
                [Bool].self,
                PostgresTimestamp.self
            )
            return .change(affecting: ids.count) { tables in
                for (index, id) in ids.enumerated() {
                    tables.players[id]?.experience = experience[index]
                    tables.players[id]?.bossesDefeated = bosses[index]
                    tables.players[id]?.version += 1
                }
            }
        case "leaderboard.setScores":
            let (_, players, boards, periods, ends, scores) = query.parameters(
                Int16.self,
                [UUID].self,
                [String].self,
                [String].self,
                [PostgresTimestamp].self,
                [Int32].self
            )
            return .change(affecting: players.count) { tables in
                for index in players.indices {
                    let key = MemoryTables.ScoreKey(
                        player: players[index],
                        board: boards[index],
                        period: periods[index],
                        endsAt: ends[index].microseconds
                    )
                    tables.scores[key] = scores[index]
                }
            }
        case "leaderboard.countPlayers":
            let (shard, ends, periods, boards, buckets, counts) = query.parameters(
                Int16.self,
                [PostgresTimestamp].self,
                [String].self,
                [String].self,
                [Int32].self,
                [Int32].self
            )
            return .change(affecting: counts.count) { tables in
                for index in counts.indices {
                    let key = MemoryTables.BucketKey(
                        shard: shard,
                        endsAt: ends[index].microseconds,
                        period: periods[index],
                        board: boards[index],
                        bucket: buckets[index]
                    )
                    tables.buckets[key, default: 0] += counts[index]
                }
            }
        default:
            unknown(name)
        }
    }

    /// Returns pending awards after a cursor.
    private static func pendingAwards(_ query: PostgresQuery, _ tables: MemoryTables, _ context: Context) -> Result {
        guard !tables.awards.isEmpty else { return .rows([]) }
        let (shards, shard, adventure, player, limit) = query.parameters(
            [Int16].self,
            Int16.self,
            UUID.self,
            UUID.self,
            Int64.self
        )
        func order(_ key: MemoryTables.AwardKey) -> (Int16, UUID, UUID) {
            (key.adventure.shard, key.adventure, key.player)
        }
        let pending = tables.awards.filter {
            shards.contains($0.key.adventure.shard) && order($0.key) > (shard, adventure, player)
        }
        let page = pending.sorted { order($0.key) < order($1.key) }.prefix(Int(limit))
        var result = Result.rows(page.map { draft($0.value, $0.key) })
        if context.defect == .awardsRemovedEarly {
            result.change = { tables in for (key, _) in page { tables.awards[key] = nil } }
        }
        return result
    }

    private static func draft(_ row: MemoryTables.AwardRow, _ key: MemoryTables.AwardKey) -> PostgresRowDraft {
        PostgresRowDraft(
            key.adventure,
            key.player,
            row.party,
            row.kind,
            row.scene,
            row.outcome,
            row.hero,
            row.experience,
            row.reached,
            row.bosses,
            PostgresTimestamp(row.startedAt),
            PostgresTimestamp(row.endedAt)
        )
    }

    /// Returns the awards that a statement stores.
    private static func awards(in query: PostgresQuery) -> [MemoryTables.AwardKey: MemoryTables.AwardRow] {
        let (
            _, adventures, players, parties, kinds, scenes, outcomes, heroes, experience, reached, bosses, starts, ends
        ) = query.parameters(
            Int16.self,
            [UUID].self,
            [UUID].self,
            [UUID].self,
            [String?].self,
            [String].self,
            [String?].self,
            [String].self,
            [Int32].self,
            [Int32].self,
            [Int32].self,
            [PostgresTimestamp].self,
            [PostgresTimestamp].self
        )
        return Dictionary(
            uniqueKeysWithValues: adventures.indices.map { index in
                let row = MemoryTables.AwardRow(
                    party: parties[index],
                    kind: kinds[index],
                    scene: scenes[index],
                    outcome: outcomes[index],
                    hero: heroes[index],
                    experience: experience[index],
                    reached: reached[index],
                    bosses: bosses[index],
                    startedAt: starts[index].microseconds,
                    endedAt: ends[index].microseconds
                )
                return (MemoryTables.AwardKey(adventure: adventures[index], player: players[index]), row)
            }
        )
    }
}
