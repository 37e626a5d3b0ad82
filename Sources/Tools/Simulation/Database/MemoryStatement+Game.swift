import Encodings
import Foundation
import PostgresClient

// MARK: - Adventures

extension MemoryStatement {
    static func adventure(_ name: String, _ query: PostgresQuery, _ tables: MemoryTables) -> Result {
        switch name {
        case "adventure.read":
            let (shard, ids) = query.parameters(Int16.self, [UUID].self)
            return .rows(
                Set(ids).sorted().compactMap { id in
                    tables.adventures[id].flatMap { $0.shard == shard ? draft($0, id, dueAt: tables.turns[id]) : nil }
                }
            )
        case "adventure.journeys":
            let (shard, phases) = query.parameters(Int16.self, [Int16].self)
            let found = tables.adventures.filter { _, row in
                row.shard == shard && row.live && row.phase.map(phases.contains) ?? false
            }
            return .rows(found.sorted { $0.key < $1.key }.map { draft($0.value, $0.key, dueAt: nil) })
        case "adventure.dueFights":
            let (shard, now, limit) = query.parameters(Int16.self, PostgresTimestamp.self, Int64.self)
            let due = tables.turns.filter { $0.key.shard == shard && $0.value <= now.microseconds }
            let rows = due.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(Int(limit))
            return .rows(
                rows.compactMap { id, dueAt in tables.adventures[id].map { draft($0, id, dueAt: dueAt) } }
            )
        case "adventure.insert":
            return insertAdventure(query)
        case "adventure.advance":
            let (_, ids, states, ticks, sequences) = query.parameters(
                Int16.self,
                [UUID].self,
                [String].self,
                [Int32].self,
                [Int32].self
            )
            let live = ids.indices.filter { tables.adventures[ids[$0]]?.live ?? false }
            return .change(affecting: live.count) { tables in
                for index in live {
                    tables.adventures[ids[index]]?.state = states[index]
                    tables.adventures[ids[index]]?.tick = ticks[index]
                    tables.adventures[ids[index]]?.sequence = sequences[index]
                }
            }
        case "adventure.close":
            let (_, id, outcome, endedAt) = query.parameters(
                Int16.self,
                UUID.self,
                String.self,
                PostgresTimestamp.self
            )
            return .change { tables in
                tables.adventures[id]?.live = false
                tables.adventures[id]?.outcome = outcome
                tables.adventures[id]?.endedAt = endedAt.microseconds
            }
        case "adventure.recordInput":
            let (_, id, sequence, tick, input, _) = query.parameters(
                Int16.self,
                UUID.self,
                Int32.self,
                Int32.self,
                JSONB.self,
                PostgresTimestamp.self
            )
            return .change { tables in
                if tables.inputs[id]?.contains(where: { $0.sequence == sequence }) ?? false {
                    tables.violations.append("adventure \(id) has two inputs at sequence \(sequence)")
                }
                tables.inputs[id, default: []].append(
                    MemoryTables.InputRow(sequence: sequence, tick: tick, input: input)
                )
            }
        default:
            return adventureParts(name, query, tables)
        }
    }

    private static func adventureParts(_ name: String, _ query: PostgresQuery, _ tables: MemoryTables) -> Result {
        switch name {
        case "adventure.opening":
            let (_, id) = query.parameters(Int16.self, UUID.self)
            return .rows(tables.adventures[id].map { [PostgresRowDraft($0.opening)] } ?? [])
        case "adventure.inputs":
            let (_, id, sequence) = query.parameters(Int16.self, UUID.self, Int32.self)
            let inputs = (tables.inputs[id] ?? []).filter { $0.sequence < sequence }
            return .rows(
                inputs.sorted { $0.sequence < $1.sequence }.map { PostgresRowDraft($0.sequence, $0.input) }
            )
        case "adventure.setTurns":
            let (_, ids, moments) = query.parameters(Int16.self, [UUID].self, [PostgresTimestamp].self)
            return .change(affecting: ids.count) { tables in
                for (id, moment) in zip(ids, moments) { tables.turns[id] = moment.microseconds }
            }
        case "adventure.removeTurns":
            let (_, ids) = query.parameters(Int16.self, [UUID].self)
            return .change(affecting: ids.count) { tables in
                for id in ids { tables.turns[id] = nil }
            }
        default:
            unknown(name)
        }
    }

    private static func insertAdventure(_ query: PostgresQuery) -> Result {
        let (shard, id, party, kind, phase, tick, sequence, state, opening, startedAt) = query.parameters(
            Int16.self,
            UUID.self,
            UUID.self,
            String.self,
            Int16?.self,
            Int32.self,
            Int32.self,
            String.self,
            String.self,
            PostgresTimestamp.self
        )
        return .change { tables in
            tables.adventures[id] = MemoryTables.AdventureRow(
                shard: shard,
                party: party,
                kind: kind,
                live: true,
                phase: phase,
                tick: tick,
                sequence: sequence,
                state: state,
                opening: opening,
                startedAt: startedAt.microseconds
            )
        }
    }

    private static func draft(_ row: MemoryTables.AdventureRow, _ id: UUID, dueAt: Int64?) -> PostgresRowDraft {
        PostgresRowDraft(
            id,
            row.party,
            row.state,
            PostgresTimestamp(row.startedAt),
            row.endedAt.map { PostgresTimestamp($0) },
            row.phase,
            dueAt.map { PostgresTimestamp($0) },
            // No adventure is old enough for retention to remove its details.
            PostgresTimestamp?.none
        )
    }
}

// MARK: - Parties and players

extension MemoryStatement {
    static func party(_ name: String, _ query: PostgresQuery, _ tables: MemoryTables) -> Result {
        switch name {
        case "party.read":
            let (_, id) = query.parameters(Int16.self, UUID.self)
            return .rows(members(of: id, in: tables))
        case "party.readSeveral":
            let (_, ids) = query.parameters(Int16.self, [UUID].self)
            return .rows(Set(ids).sorted().flatMap { members(of: $0, in: tables) })
        case "party.insert":
            let (shard, id, name, code, leader, capacity, version, _) = query.parameters(
                Int16.self,
                UUID.self,
                String.self,
                String.self,
                UUID.self,
                Int16.self,
                Int64.self,
                PostgresTimestamp.self
            )
            return .change { tables in
                tables.parties[id] = MemoryTables.PartyRow(
                    shard: shard,
                    name: name,
                    inviteCode: code,
                    leader: leader,
                    capacity: capacity,
                    version: version,
                    members: [:]
                )
            }
        case "party.update":
            let (_, id, code, leader, adventure, version, disbandedAt) = query.parameters(
                Int16.self,
                UUID.self,
                String.self,
                UUID.self,
                UUID?.self,
                Int64.self,
                PostgresTimestamp?.self
            )
            return .change { tables in
                tables.parties[id]?.inviteCode = code
                tables.parties[id]?.leader = leader
                tables.parties[id]?.adventure = adventure
                tables.parties[id]?.version = version
                tables.parties[id]?.disbandedAt = disbandedAt?.microseconds
            }
        case "party.upsertMembers":
            return upsertMembers(query)
        case "party.removeOthers":
            let (_, id, players) = query.parameters(Int16.self, UUID.self, [UUID].self)
            return .change { tables in
                for player in tables.parties[id]?.members.keys.filter({ !players.contains($0) }) ?? [] {
                    tables.parties[id]?.members[player] = nil
                }
            }
        case "party.reserveCode":
            let (code, id, _) = query.parameters(String.self, UUID.self, PostgresTimestamp.self)
            guard tables.inviteCodes[code] == nil else { return Result(affectedRows: 0) }
            return .change { $0.inviteCodes[code] = id }
        case "party.findCode":
            return .rows(tables.inviteCodes[query.parameters(String.self)].map { [PostgresRowDraft($0)] } ?? [])
        case "party.findParties":
            let (_, player) = query.parameters(Int16.self, UUID.self)
            let parties = tables.membershipSlots.keys.filter { $0.player == player }.map(\.party)
            return .rows(parties.sorted().map { PostgresRowDraft($0) })
        default:
            unknown(name)
        }
    }

    /// Returns the row of a party once for each member.
    private static func members(of id: UUID, in tables: MemoryTables) -> [PostgresRowDraft] {
        guard let party = tables.parties[id] else { return [] }
        let members = party.members.sorted { ($0.value.joinedAt, $0.key) < ($1.value.joinedAt, $1.key) }
        return members.map { player, member in
            PostgresRowDraft(
                id,
                party.name,
                party.inviteCode,
                party.leader,
                party.capacity,
                party.adventure,
                party.version,
                player,
                member.displayName,
                member.hero,
                member.experience,
                PostgresTimestamp(member.joinedAt)
            )
        }
    }

    private static func upsertMembers(_ query: PostgresQuery) -> Result {
        let (_, id, players, names, heroes, experience, joined) = query.parameters(
            Int16.self,
            UUID.self,
            [UUID].self,
            [String].self,
            [String].self,
            [Int32].self,
            [PostgresTimestamp].self
        )
        return .change(affecting: players.count) { tables in
            guard var party = tables.parties[id] else { return }
            for index in players.indices {
                let fresh = MemoryTables.MemberRow(
                    displayName: names[index],
                    hero: heroes[index],
                    experience: experience[index],
                    joinedAt: joined[index].microseconds
                )
                party.members[players[index], default: fresh].experience = experience[index]
            }
            if party.members.count > Int(party.capacity) {
                tables.violations.append("party \(id) has \(party.members.count) members of \(party.capacity)")
            }
            tables.parties[id] = party
        }
    }

    static func player(_ name: String, _ query: PostgresQuery, _ tables: MemoryTables) -> Result {
        switch name {
        case "player.insert":
            let (_, id, displayName, hero, _) = query.parameters(
                Int16.self,
                UUID.self,
                String.self,
                String.self,
                PostgresTimestamp.self
            )
            return .change { $0.players[id] = MemoryTables.PlayerRow(displayName: displayName, hero: hero) }
        case "player.insertToken":
            return .change { _ in }
        case "membershipSlot.lockPlayer":
            let (_, id) = query.parameters(Int16.self, UUID.self)
            return .rows(tables.players[id].map { [PostgresRowDraft($0.displayName, $0.hero)] } ?? [])
        case "membershipSlot.others":
            let (_, player, party, oldest) = query.parameters(
                Int16.self,
                UUID.self,
                UUID.self,
                PostgresTimestamp.self
            )
            let others = tables.membershipSlots.filter { $0.key.player == player && $0.key.party != party }
            return .rows(
                others.sorted { $0.key.party < $1.key.party }.map { key, claimedAt in
                    PostgresRowDraft(key.party, claimedAt.map { $0 >= oldest.microseconds } ?? false)
                }
            )
        case "membershipSlot.memberships":
            let (_, parties, player) = query.parameters(Int16.self, [UUID].self, UUID.self)
            let count = Set(parties).count { tables.parties[$0]?.members[player] != nil }
            return .rows([PostgresRowDraft(Int64(count))])
        case "membershipSlot.claim":
            let (_, player, party, now) = query.parameters(
                Int16.self,
                UUID.self,
                UUID.self,
                PostgresTimestamp.self
            )
            let key = MemoryTables.MembershipKey(player: player, party: party)
            return .change { $0.membershipSlots.updateValue(now.microseconds, forKey: key) }
        case "membershipSlot.release":
            let (_, player, party, claimedAt) = query.parameters(
                Int16.self,
                UUID.self,
                UUID.self,
                PostgresTimestamp.self
            )
            let key = MemoryTables.MembershipKey(player: player, party: party)
            guard tables.membershipSlots[key] == claimedAt.microseconds else { return Result(affectedRows: 0) }
            return .change { $0.membershipSlots.updateValue(nil, forKey: key) }
        case "pushToStart.read":
            // Simulated players have no push-to-start tokens.
            return .rows([])
        default:
            unknown(name)
        }
    }
}
