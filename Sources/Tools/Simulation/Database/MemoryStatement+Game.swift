import Encodings
import Foundation
import GameCore
import PostgresClient

// MARK: - Adventures

extension MemoryStatement {
    static func adventure(
        _ name: String,
        _ query: PostgresQuery,
        _ tables: MemoryTables,
        _ context: Context
    ) -> Result {
        switch name {
        case "adventure.read":
            let (shard, ids, position) = query.parameters(Int16.self, [UUID].self, Int64.self)
            return .rows(
                Set(ids).sorted().compactMap { id in
                    tables.adventures[id].flatMap { row in
                        row.shard == shard ? draft(row, id, from: position, tables, context) : nil
                    }
                }
            )
        case "adventure.readSeveral":
            let (shard, ids) = query.parameters(Int16.self, [UUID].self)
            return .rows(
                Set(ids).sorted().compactMap { id in
                    tables.adventures[id].flatMap { row in
                        row.shard == shard
                            ? draft(row, id, from: 0, withDecisions: false, tables, context) : nil
                    }
                }
            )
        case "adventure.dueEnds":
            let (shard, manual, limit) = query.parameters(Int16.self, PostgresTimestamp?.self, Int64.self)
            let moment = (manual?.microseconds ?? context.clock) - (tables.shards[shard]?.stoppedFor ?? 0)
            let due = tables.adventures.filter { _, row in
                row.shard == shard && row.endedAt == nil && row.raid == nil && row.endsAt <= moment
            }
            let rows = due.sorted { ($0.value.endsAt, $0.key) < ($1.value.endsAt, $1.key) }.prefix(Int(limit))
            return .rows(rows.map { draft($0.value, $0.key, from: 0, tables, context) })
        case "adventure.insert":
            return insertAdventure(query)
        case "adventure.reschedule":
            let (_, id, endsAt, fault) = query.parameters(
                Int16.self,
                UUID.self,
                PostgresTimestamp.self,
                String?.self
            )
            guard let row = tables.adventures[id], row.endedAt == nil else { return Result(affectedRows: 0) }
            return .change { tables in
                tables.adventures[id]?.endsAt = endsAt.microseconds
                tables.adventures[id]?.fault = fault
            }
        case "adventure.correctEnd":
            let (_, id, wrong, endsAt) = query.parameters(
                Int16.self,
                UUID.self,
                PostgresTimestamp.self,
                PostgresTimestamp.self
            )
            guard let row = tables.adventures[id], row.endedAt == nil, row.endsAt == wrong.microseconds else {
                return Result(affectedRows: 0)
            }
            return .change { tables in
                tables.violations.append("the stored end of adventure \(id) was too late")
                tables.adventures[id]?.endsAt = endsAt.microseconds
            }
        case "adventure.noteFault":
            let (_, id, fault) = query.parameters(Int16.self, UUID.self, String.self)
            guard let row = tables.adventures[id], row.fault == nil, row.endedAt == nil || row.finalDigest != nil else {
                return Result(affectedRows: 0)
            }
            return .change { $0.adventures[id]?.fault = fault }
        case "adventure.clearFault":
            let (_, id) = query.parameters(Int16.self, UUID.self)
            guard let row = tables.adventures[id], row.fault != nil, row.endedAt != nil else {
                return Result(affectedRows: 0)
            }
            return .change { $0.adventures[id]?.fault = nil }
        case "adventure.close":
            return close(query)
        case "adventure.markAlerts":
            let (_, id, moment) = query.parameters(Int16.self, UUID.self, PostgresTimestamp.self)
            guard let row = tables.adventures[id], row.alertsSince == nil, row.endedAt == nil else {
                return Result(affectedRows: 0)
            }
            return .change { $0.adventures[id]?.alertsSince = moment.microseconds }
        case "adventure.marked":
            let (shard, moment) = query.parameters(Int16.self, PostgresTimestamp.self)
            return ids(tables) {
                $0.shard == shard && $0.alertsSince != nil && $0.endedAt ?? .max > moment.microseconds
            }
        case "adventure.newlyMarked":
            let (shards, moment) = query.parameters([Int16].self, PostgresTimestamp.self)
            return ids(tables) {
                shards.contains($0.shard) && $0.alertsSince ?? .min > moment.microseconds && $0.endedAt == nil
            }
        default:
            unknown(name)
        }
    }

    private static func ids(_ tables: MemoryTables, where isIncluded: (MemoryTables.AdventureRow) -> Bool) -> Result {
        .rows(tables.adventures.filter { isIncluded($0.value) }.keys.sorted().map { PostgresRowDraft($0) })
    }

    private static func insertAdventure(_ query: PostgresQuery) -> Result {
        let (shard, id, party, kind, opening, startedAt, interval, endsAt, raid) = query.parameters(
            Int16.self,
            UUID.self,
            UUID.self,
            String.self,
            String.self,
            PostgresTimestamp.self,
            Int64.self,
            PostgresTimestamp.self,
            UUID?.self
        )
        return .change { tables in
            tables.adventures[id] = MemoryTables.AdventureRow(
                shard: shard,
                party: party,
                kind: kind,
                opening: opening,
                startedAt: startedAt.microseconds,
                tickInterval: interval,
                raid: raid,
                endsAt: endsAt.microseconds
            )
        }
    }

    private static func close(_ query: PostgresQuery) -> Result {
        let (_, ids, states, digests, outcomes, ends, damages) = query.parameters(
            Int16.self,
            [UUID].self,
            [String?].self,
            [Int64?].self,
            [String].self,
            [PostgresTimestamp].self,
            [Int64?].self
        )
        return .change(affecting: ids.count) { tables in
            for (index, id) in ids.enumerated() {
                if tables.adventures[id]?.endedAt != nil { tables.violations.append("adventure \(id) ended twice") }
                tables.adventures[id]?.finalState = states[index]
                tables.adventures[id]?.finalDigest = digests[index]
                tables.adventures[id]?.outcome = outcomes[index]
                tables.adventures[id]?.endedAt = ends[index].microseconds
                tables.adventures[id]?.fault = nil
                tables.adventures[id]?.raidDealt = damages[index]
            }
        }
    }

    /// Returns the row of an adventure with its inputs from a position on, and its outages.
    ///
    /// The decisions about the raid of a raid fight are among the inputs, unless they are excluded.
    static func draft(
        _ row: MemoryTables.AdventureRow,
        _ id: UUID,
        from position: Int64,
        withDecisions: Bool = true,
        _ tables: MemoryTables,
        _ context: Context
    ) -> PostgresRowDraft {
        let head = tables.shards[row.shard] ?? MemoryTables.ShardRow()
        var inputs = (tables.inputs[id] ?? []).filter { $0.position >= position }
        var bodies = inputs.map(\.body)
        if let raid = row.raid, withDecisions {
            let raid = RaidID(rawValue: raid).description
            let decisions = tables.decisions(about: raid, in: row.shard, from: row.startedAt)
                .filter { $0.position >= position }
            bodies += decisions.map { "!" + $0.body }
            let all = zip(inputs + decisions, bodies).sorted { $0.0.position < $1.0.position }
            (inputs, bodies) = (all.map(\.0), all.map(\.1))
        }
        let outages = (tables.outages[row.shard] ?? []).filter {
            $0.at >= row.startedAt && $0.at <= row.endedAt ?? .max
        }
        func aggregate<Value>(_ rows: [MemoryTables.LogRow], _ column: (MemoryTables.LogRow) -> Value) -> [Value]? {
            rows.isEmpty ? nil : rows.map(column)
        }
        return PostgresRowDraft(
            id,
            row.party,
            row.opening,
            PostgresTimestamp(row.startedAt),
            row.tickInterval,
            PostgresTimestamp(row.endsAt),
            row.finalState,
            row.finalDigest,
            row.endedAt.map { PostgresTimestamp($0) },
            row.fault,
            row.raid,
            PostgresTimestamp(context.defect == .readersPlayAhead ? head.clock + 10_000_000 : head.clock),
            head.head,
            head.digest,
            head.stoppedFor,
            head.requires,
            aggregate(inputs, \.position),
            aggregate(inputs) { PostgresTimestamp($0.at) },
            bodies.isEmpty ? nil : bodies,
            aggregate(inputs, \.digest),
            aggregate(outages, \.position),
            aggregate(outages) { PostgresTimestamp($0.at) },
            aggregate(outages, \.body)
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
            return updateParties(query)
        case "party.insertMembers":
            return insertMembers(query)
        case "party.endAdventures":
            let (_, parties, adventures) = query.parameters(Int16.self, [UUID].self, [UUID].self)
            return .change(affecting: parties.count) { tables in
                for (id, adventure) in zip(parties, adventures) where tables.parties[id]?.adventure == adventure {
                    tables.parties[id]?.adventure = nil
                    tables.parties[id]?.version += 1
                }
            }
        case "party.setExperience":
            let (_, parties, players, experience) = query.parameters(
                Int16.self,
                [UUID].self,
                [UUID].self,
                [Int32].self
            )
            return .change(affecting: players.count) { tables in
                for index in players.indices {
                    guard var member = tables.parties[parties[index]]?.members[players[index]] else { continue }
                    member.experience = max(member.experience, experience[index])
                    tables.parties[parties[index]]?.members[players[index]] = member
                }
            }
        case "party.setProfile":
            let (_, party, player, name, hero, experience) = query.parameters(
                Int16.self,
                UUID.self,
                UUID.self,
                String.self,
                String.self,
                Int32.self
            )
            return .change { tables in
                guard let member = tables.parties[party]?.members[player] else { return }
                tables.parties[party]?.members[player] = MemoryTables.MemberRow(
                    displayName: name,
                    hero: hero,
                    experience: experience,
                    joinedAt: member.joinedAt
                )
            }
        case "party.removeOthers":
            let (_, ids, parties, players) = query.parameters(Int16.self, [UUID].self, [UUID].self, [UUID].self)
            let remaining = Dictionary(grouping: zip(parties, players), by: \.0).mapValues { Set($0.map(\.1)) }
            return .change(affecting: ids.count) { tables in
                for id in ids {
                    let members = tables.parties[id]?.members ?? [:]
                    tables.parties[id]?.members = members.filter { remaining[id]?.contains($0.key) ?? false }
                }
            }
        case "party.reserveCode":
            let (code, id, _) = query.parameters(String.self, UUID.self, PostgresTimestamp.self)
            guard tables.inviteCodes[code] == nil else { return Result(affectedRows: 0) }
            return .change { $0.inviteCodes[code] = id }
        case "party.findCode":
            return .rows(tables.inviteCodes[query.parameters(String.self)].map { [PostgresRowDraft($0)] } ?? [])
        case "party.findParties":
            let (_, player, moment) = query.parameters(Int16.self, UUID.self, PostgresTimestamp?.self)
            let parties = tables.membershipSlots.filter { key, slot in
                key.player == player && slot.leftAt.map { $0 > moment?.microseconds ?? .max } ?? true
            }
            return .rows(parties.keys.map(\.party).sorted().map { PostgresRowDraft($0) })
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

    private static func updateParties(_ query: PostgresQuery) -> Result {
        let (_, ids, codes, leaders, adventures, versions, disbandings) = query.parameters(
            Int16.self,
            [UUID].self,
            [String].self,
            [UUID].self,
            [UUID?].self,
            [Int64].self,
            [PostgresTimestamp?].self
        )
        return .change(affecting: ids.count) { tables in
            for (index, id) in ids.enumerated() {
                tables.parties[id]?.inviteCode = codes[index]
                tables.parties[id]?.leader = leaders[index]
                tables.parties[id]?.adventure = adventures[index]
                tables.parties[id]?.version = versions[index]
                tables.parties[id]?.disbandedAt = disbandings[index]?.microseconds
            }
        }
    }

    private static func insertMembers(_ query: PostgresQuery) -> Result {
        let (_, parties, players, names, heroes, experience, joined) = query.parameters(
            Int16.self,
            [UUID].self,
            [UUID].self,
            [String].self,
            [String].self,
            [Int32].self,
            [PostgresTimestamp].self
        )
        return .change(affecting: players.count) { tables in
            for index in players.indices {
                guard var party = tables.parties[parties[index]], party.members[players[index]] == nil else { continue }
                party.members[players[index]] = MemoryTables.MemberRow(
                    displayName: names[index],
                    hero: heroes[index],
                    experience: experience[index],
                    joinedAt: joined[index].microseconds
                )
                tables.parties[parties[index]] = party
            }
            for id in Set(parties).sorted() {
                guard let party = tables.parties[id], party.members.count > Int(party.capacity) else { continue }
                tables.violations.append("party \(id) has \(party.members.count) members of \(party.capacity)")
            }
        }
    }

    static func player(_ name: String, _ query: PostgresQuery, _ tables: MemoryTables, _ context: Context) -> Result {
        switch name {
        case "player.insert":
            let (_, id, displayName, hero, _, secret) = query.parameters(
                Int16.self,
                UUID.self,
                String.self,
                String.self,
                PostgresTimestamp.self,
                [UInt8].self
            )
            let row = MemoryTables.PlayerRow(displayName: displayName, hero: hero, shardSecret: secret)
            return .change { $0.players[id] = row }
        case "player.read":
            let (_, id) = query.parameters(Int16.self, UUID.self)
            return .rows(
                tables.players[id].map {
                    [PostgresRowDraft($0.displayName, $0.hero, true, $0.experience, $0.bossesDefeated, $0.version)]
                } ?? []
            )
        case "player.shardSecret":
            let (_, id) = query.parameters(Int16.self, UUID.self)
            return .rows(tables.players[id].map { [PostgresRowDraft($0.shardSecret)] } ?? [])
        case "player.insertToken":
            return .change { _ in }
        case "membershipSlot.lockPlayer":
            let (_, id) = query.parameters(Int16.self, UUID.self)
            let now = PostgresTimestamp(context.clock)
            return .rows(
                tables.players[id].map { [PostgresRowDraft($0.displayName, $0.hero, $0.experience, now)] } ?? []
            )
        case "membershipSlot.list":
            let (_, player, party, oldest) = query.parameters(
                Int16.self,
                UUID.self,
                UUID.self,
                PostgresTimestamp.self
            )
            let slots = tables.membershipSlots.filter { key, slot in
                key.player == player && (slot.leftAt == nil || key.party == party)
            }
            return .rows(
                slots.sorted { $0.key.party < $1.key.party }.map { key, slot in
                    let isClaimed = slot.claimedAt.map { $0 >= oldest.microseconds } ?? false
                    return PostgresRowDraft(key.party, isClaimed, slot.leftAt != nil)
                }
            )
        case "membershipSlot.memberships":
            let (_, parties, player) = query.parameters(Int16.self, [UUID].self, UUID.self)
            let found = Set(parties).filter { tables.parties[$0]?.members[player] != nil }
            return .rows(found.sorted().map { PostgresRowDraft($0) })
        case "membershipSlot.markLeft":
            let (_, player, parties, now) = query.parameters(
                Int16.self,
                UUID.self,
                [UUID].self,
                PostgresTimestamp.self
            )
            return .change(affecting: parties.count) { tables in
                for party in parties {
                    let key = MemoryTables.MembershipKey(player: player, party: party)
                    guard tables.membershipSlots[key] != nil else { continue }
                    tables.membershipSlots[key] = MemoryTables.MembershipSlotRow(leftAt: now.microseconds)
                }
            }
        case "membershipSlot.claim", "membershipSlot.release", "membershipSlot.releaseAsLeft",
            "membershipSlot.withdraw":
            let (_, player, party, claimedAt) = query.parameters(
                Int16.self,
                UUID.self,
                UUID.self,
                PostgresTimestamp.self
            )
            let key = MemoryTables.MembershipKey(player: player, party: party)
            if name == "membershipSlot.claim" {
                return .change { $0.membershipSlots[key] = .init(claimedAt: claimedAt.microseconds) }
            }
            guard tables.membershipSlots[key]?.claimedAt == claimedAt.microseconds else {
                return Result(affectedRows: 0)
            }
            let slot: MemoryTables.MembershipSlotRow? =
                switch name {
                case "membershipSlot.release": .init()
                case "membershipSlot.releaseAsLeft": .init(leftAt: claimedAt.microseconds)
                default: nil
                }
            return .change { $0.membershipSlots[key] = slot }
        default:
            unknown(name)
        }
    }
}
