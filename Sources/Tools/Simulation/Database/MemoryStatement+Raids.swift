import Encodings
import Foundation
import PostgresClient

// The statements of raids, in their homes and in their members.

// MARK: - Homes

extension MemoryStatement {
    static func raid(_ name: String, _ query: PostgresQuery, _ tables: MemoryTables, _ context: Context) -> Result {
        switch name {
        case "raid.insert":
            let (shard, id, boss, health, regions, startsAt, endsAt) = query.parameters(
                Int16.self,
                UUID.self,
                String.self,
                Int64.self,
                [String].self,
                PostgresTimestamp.self,
                PostgresTimestamp.self
            )
            let row = RaidTables.RaidRow(
                shard: shard,
                boss: boss,
                health: health,
                regions: regions,
                startsAt: startsAt.microseconds,
                endsAt: endsAt.microseconds
            )
            return .change { $0.raids.raids[id] = row }
        case "raid.read":
            let (_, id, manual) = query.parameters(Int16.self, UUID.self, PostgresTimestamp?.self)
            // A transaction reads what it has changed.
            var own = tables
            for change in context.session.changes { change(&own) }
            return .rows(own.raids.raids[id].map { [draft($0, id, at: manual, context)] } ?? [])
        case "raid.lock", "raid.lockIfFree":
            let (_, id, manual) = query.parameters(Int16.self, UUID.self, PostgresTimestamp?.self)
            let isUnlocked = name == "raid.lockIfFree" && context.defect == .raidsNotLocked
            guard let row = tables.raids.raids[id], isUnlocked || !context.isLockedByOther(.raid(id)) else {
                return .rows([])
            }
            return Result(rows: [draft(row, id, at: manual, context)], lock: isUnlocked ? nil : .raid(id))
        case "raid.open":
            let open = tables.raids.raids.filter { !$0.value.isSettled }
            guard !open.isEmpty else { return .rows([]) }
            let (_, manual) = query.parameters([Int16].self, PostgresTimestamp?.self)
            return .rows(
                open.sorted { ($0.value.shard, $0.key) < ($1.value.shard, $1.key) }
                    .map { draft($0.value, $0.key, at: manual, context) }
            )
        case "raid.update":
            return updateRaid(query)
        case "raid.settle":
            let (_, id) = query.parameters(Int16.self, UUID.self)
            guard tables.raids.raids[id]?.outcome != nil else { return Result(affectedRows: 0) }
            return .change { $0.raids.raids[id]?.isSettled = true }
        case "raid.members":
            let (_, id) = query.parameters(Int16.self, UUID.self)
            let members = tables.raids.raids[id]?.members ?? [:]
            return .rows(members.sorted { $0.key < $1.key }.map { PostgresRowDraft($0.key, $0.value) })
        case "raid.insertMember":
            let (_, id, member, round) = query.parameters(Int16.self, UUID.self, Int16.self, Int32.self)
            return .change { tables in
                if tables.raids.raids[id]?.members[member] == nil { tables.raids.raids[id]?.members[member] = round }
            }
        case "raid.insertDecisions":
            let (_, id, numbers, decisions) = query.parameters(Int16.self, UUID.self, [Int32].self, [String].self)
            return .change(affecting: numbers.count) { tables in
                for (number, decision) in zip(numbers, decisions) {
                    let newest = tables.raids.raids[id]?.decisions.count ?? 0
                    if Int(number) == newest + 1 {
                        tables.raids.raids[id]?.decisions.append(decision)
                    } else if context.defect != .raidsNotLocked {
                        tables.violations.append("decision \(number) of raid \(id) follows \(newest)")
                    }
                }
            }
        case "raid.decisions":
            let (_, id, number) = query.parameters(Int16.self, UUID.self, Int32.self)
            let decisions = tables.raids.raids[id]?.decisions ?? []
            return .rows(decisions.dropFirst(Int(number)).map { PostgresRowDraft($0) })
        case "raid.insertHistory":
            return insertHistory(query, context.defect)
        case "raid.history":
            let (_, id, round, limit) = query.parameters(Int16.self, UUID.self, Int32.self, Int64.self)
            let history = tables.raids.raids[id]?.history ?? []
            return .rows(
                history.filter { $0.round > round }.prefix(Int(limit)).map {
                    PostgresRowDraft($0.round, $0.damage, $0.parties, $0.healthLeft, $0.phase, $0.biggestBlow)
                }
            )
        default:
            unknown(name)
        }
    }

    private static func draft(
        _ row: RaidTables.RaidRow,
        _ id: UUID,
        at manual: PostgresTimestamp?,
        _ context: Context
    ) -> PostgresRowDraft {
        PostgresRowDraft(
            id,
            row.boss,
            row.health,
            row.regions,
            PostgresTimestamp(row.startsAt),
            PostgresTimestamp(row.endsAt),
            row.dealt,
            row.phase,
            row.nextRound,
            row.parties,
            row.biggestBlow,
            row.decision,
            row.waitingFor,
            row.outcome,
            row.endedAt.map { PostgresTimestamp($0) },
            manual ?? PostgresTimestamp(context.clock)
        )
    }

    private static func updateRaid(_ query: PostgresQuery) -> Result {
        let (_, id, dealt, phase, nextRound, parties, biggestBlow, decision, waitingFor, outcome, endedAt) =
            query.parameters(
                Int16.self,
                UUID.self,
                Int64.self,
                Int32.self,
                Int32.self,
                Int32.self,
                String?.self,
                String?.self,
                [Int16].self,
                String?.self,
                PostgresTimestamp?.self
            )
        return .change { tables in
            guard var row = tables.raids.raids[id] else { return }
            (row.dealt, row.phase, row.nextRound, row.parties) = (dealt, phase, nextRound, parties)
            (row.biggestBlow, row.decision, row.waitingFor) = (biggestBlow, decision, waitingFor)
            (row.outcome, row.endedAt) = (outcome, endedAt?.microseconds)
            tables.raids.raids[id] = row
        }
    }

    private static func insertHistory(_ query: PostgresQuery, _ defect: Defect?) -> Result {
        let (_, id, rounds, damages, parties, healths, phases, blows) = query.parameters(
            Int16.self,
            UUID.self,
            [Int32].self,
            [Int64].self,
            [Int32].self,
            [Int64].self,
            [Int32].self,
            [String?].self
        )
        return .change(affecting: rounds.count) { tables in
            guard var row = tables.raids.raids[id] else { return }
            for index in rounds.indices {
                let newest = row.history.last?.round ?? -1
                if rounds[index] <= newest {
                    if defect == .raidsNotLocked {
                        row.dealt = min(row.health, row.dealt + damages[index])
                    } else {
                        tables.violations.append("round \(rounds[index]) of raid \(id) follows \(newest)")
                    }
                    continue
                }
                row.history.append(
                    RaidTables.HistoryRow(
                        round: rounds[index],
                        damage: damages[index],
                        parties: parties[index],
                        healthLeft: healths[index],
                        phase: phases[index],
                        biggestBlow: blows[index]
                    )
                )
            }
            tables.raids.raids[id] = row
        }
    }
}

// MARK: - Members

extension MemoryStatement {
    static func raidMember(
        _ name: String,
        _ query: PostgresQuery,
        _ tables: MemoryTables,
        _ context: Context
    ) -> Result {
        switch name {
        case "raidMember.read":
            let (shard, id) = query.parameters(Int16.self, UUID.self)
            return .rows(tables.raids.member(id, in: shard).map { [draft($0, id)] } ?? [])
        case "raidMember.list":
            let shard = query.parameters(Int16.self)
            let rows = tables.raids.members.filter { $0.key.shard == shard && !$0.value.isOver }
            return .rows(rows.sorted { $0.key.raid < $1.key.raid }.map { draft($0.value, $0.key.raid) })
        case "raidMember.progress":
            let (shards, id) = query.parameters([Int16].self, UUID.self)
            return .rows(
                tables.raids.members(of: id, among: shards).map {
                    PostgresRowDraft($0.shard, $0.row.delivered, $0.row.blowsFrom)
                }
            )
        case "raidMember.insert":
            return insertMember(query)
        case "raidMember.update":
            return updateMember(query, context.defect)
        case "raidMember.writeRounds":
            return writeRounds(query)
        case "raidMember.rounds":
            let (shards, id, first, end) = query.parameters([Int16].self, UUID.self, Int32.self, Int32.self)
            return .rows(
                tables.raids.members(of: id, among: shards).flatMap { shard, member in
                    member.rounds.filter { $0.key >= first && $0.key < end }.sorted { $0.key < $1.key }.map {
                        PostgresRowDraft(shard, $0.key, $0.value.damage, $0.value.fights, $0.value.biggestBlow)
                    }
                }
            )
        case "raidMember.blows":
            let (shards, id, number) = query.parameters([Int16].self, UUID.self, Int32.self)
            return .rows(
                tables.raids.members(of: id, among: shards).compactMap { shard, member in
                    member.rounds[number]?.blows.map { PostgresRowDraft(shard, $0) }
                }
            )
        case "raidMember.removeRounds":
            let (shard, id, end) = query.parameters(Int16.self, UUID.self, Int32.self)
            let key = RaidTables.MemberKey(raid: id, shard: shard)
            return .change { tables in
                guard let rounds = tables.raids.members[key]?.rounds else { return }
                tables.raids.members[key]?.rounds = rounds.filter { $0.key >= end }
            }
        case "raidMember.writeStandings":
            let (shard, id, dealt, parties) = query.parameters(Int16.self, UUID.self, [Int64].self, [UUID].self)
            let key = RaidTables.MemberKey(raid: id, shard: shard)
            return .change { $0.raids.members[key]?.standings = (dealt, parties) }
        default:
            return raidFights(name, query, tables, context)
        }
    }

    private static func draft(_ row: RaidTables.MemberRow, _ id: UUID) -> PostgresRowDraft {
        PostgresRowDraft(
            id,
            row.boss,
            row.health,
            PostgresTimestamp(row.startsAt),
            PostgresTimestamp(row.endsAt),
            row.firstRound,
            row.nextRound,
            row.delivered,
            row.decision,
            row.blowsFrom,
            row.standingsAt.map { PostgresTimestamp($0) },
            row.isOver
        )
    }

    private static func insertMember(_ query: PostgresQuery) -> Result {
        let (shard, id, boss, health, startsAt, endsAt, firstRound, delivered, decision) = query.parameters(
            Int16.self,
            UUID.self,
            String.self,
            Int64.self,
            PostgresTimestamp.self,
            PostgresTimestamp.self,
            Int32.self,
            Int32.self,
            String?.self
        )
        let key = RaidTables.MemberKey(raid: id, shard: shard)
        return .change { tables in
            if tables.raids.members[key] != nil {
                tables.violations.append("shard \(shard) takes part in raid \(id) twice")
            }
            tables.raids.members[key] = RaidTables.MemberRow(
                boss: boss,
                health: health,
                startsAt: startsAt.microseconds,
                endsAt: endsAt.microseconds,
                firstRound: firstRound,
                nextRound: firstRound,
                delivered: delivered,
                decision: decision
            )
        }
    }

    private static func updateMember(_ query: PostgresQuery, _ defect: Defect?) -> Result {
        let (shard, id, nextRound, delivered, decision, blowsFrom, standingsAt, isOver) = query.parameters(
            Int16.self,
            UUID.self,
            Int32.self,
            Int32.self,
            String?.self,
            Int32?.self,
            PostgresTimestamp?.self,
            Bool.self
        )
        let key = RaidTables.MemberKey(raid: id, shard: shard)
        return .change { tables in
            guard var row = tables.raids.members[key] else { return }
            if defect != .raidDeliveriesForgotten || !delivered.isMultiple(of: 4) { row.delivered = delivered }
            (row.nextRound, row.decision, row.blowsFrom) = (nextRound, decision, blowsFrom)
            (row.standingsAt, row.isOver) = (standingsAt?.microseconds, isOver)
            tables.raids.members[key] = row
        }
    }

    private static func writeRounds(_ query: PostgresQuery) -> Result {
        let (shard, id, rounds, damages, fights, biggestBlows, blows) = query.parameters(
            Int16.self,
            UUID.self,
            [Int32].self,
            [Int64].self,
            [Int32].self,
            [String?].self,
            [String?].self
        )
        let key = RaidTables.MemberKey(raid: id, shard: shard)
        return .change(affecting: rounds.count) { tables in
            for index in rounds.indices {
                tables.raids.members[key]?.rounds[rounds[index]] = RaidTables.RoundRow(
                    damage: damages[index],
                    fights: fights[index],
                    biggestBlow: biggestBlows[index],
                    blows: blows[index]
                )
            }
        }
    }

    private static func raidFights(
        _ name: String,
        _ query: PostgresQuery,
        _ tables: MemoryTables,
        _ context: Context
    ) -> Result {
        switch name {
        case "raidMember.fights":
            let (shard, id, since) = query.parameters(Int16.self, UUID.self, PostgresTimestamp.self)
            let fights = tables.fights(of: id, in: shard).filter { $0.row.endedAt ?? .max >= since.microseconds }
            return .rows(fights.map { draft($0.row, $0.id, from: 0, withDecisions: false, tables, context) })
        case "raidMember.fightsAmong":
            let (shard, ids) = query.parameters(Int16.self, [UUID].self)
            return .rows(
                Set(ids).sorted().compactMap { id in
                    tables.adventures[id].flatMap { row in
                        row.shard == shard && row.raid != nil
                            ? draft(row, id, from: 0, withDecisions: false, tables, context) : nil
                    }
                }
            )
        case "raidMember.taken":
            let (shard, since, id) = query.parameters(Int16.self, PostgresTimestamp.self, String.self)
            return .rows(
                tables.decisions(about: id, in: shard, from: since.microseconds).map {
                    PostgresRowDraft($0.position, PostgresTimestamp($0.at), $0.body)
                }
            )
        case "raidMember.dealt":
            let (shard, id, before) = query.parameters(Int16.self, UUID.self, PostgresTimestamp.self)
            let ended = tables.fights(of: id, in: shard).filter { $0.row.endedAt ?? .max < before.microseconds }
            let damages = Dictionary(
                ended.compactMap { fight in fight.row.raidDealt.map { (fight.row.party, $0) } },
                uniquingKeysWith: +
            )
            return .rows(damages.sorted { $0.key < $1.key }.map { PostgresRowDraft($0.key, $0.value) })
        case "raidMember.dealtBefore":
            let (shard, id, party) = query.parameters(Int16.self, UUID.self, UUID.self)
            let ended = tables.fights(of: id, in: shard).filter { $0.row.party == party && $0.row.endedAt != nil }
            return .rows([PostgresRowDraft(ended.reduce(Int64(0)) { $0 + ($1.row.raidDealt ?? 0) })])
        case "raidMember.standings":
            let (shards, id, count) = query.parameters([Int16].self, UUID.self, Int32.self)
            return .rows(
                tables.raids.members(of: id, among: shards).compactMap { $0.row.standings }.map {
                    PostgresRowDraft($0.dealt, Array($0.parties.suffix(Int(count))))
                }
            )
        case "raidMember.damage":
            let (shard, id, party) = query.parameters(Int16.self, UUID.self, UUID.self)
            guard let standings = tables.raids.member(id, in: shard)?.standings else { return .rows([]) }
            let damage = standings.parties.firstIndex(of: party).map { standings.dealt[$0] }
            return .rows([PostgresRowDraft(damage)])
        default:
            unknown(name)
        }
    }
}
