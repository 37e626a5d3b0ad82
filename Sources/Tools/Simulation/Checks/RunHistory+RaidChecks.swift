import Encodings
import Foundation
import GameCore
import GameLog
import GameStore

extension RunHistory {
    /// A raid at the end of a run.
    struct RaidHistory: Sendable {
        let raid: Raid
        /// Whether its home and its members have nothing left to do.
        let isSettled: Bool
        /// The shards with parties in it.
        let members: [Int16]
        /// What its home decided, in order.
        let decisions: [RaidDecision]
        /// The rounds that are added up.
        let rounds: [RaidHistoryEntry]
        let ranking: [RaidRankingEntry]
        /// The fights, each with its party.
        let fights: [AdventureID: PartyID]
    }

    /// Reads the raids as the service does.
    mutating func collectRaids(from tables: MemoryTables, _ store: GameStore) async {
        for (key, row) in tables.raids.raids {
            let id = RaidID(rawValue: key)
            let members = tables.raids.members.filter { $0.key.raid == key }
            let fights = tables.adventures.filter { $0.value.raid == key }.map {
                (AdventureID(rawValue: $0.key), PartyID(rawValue: $0.value.party))
            }
            do {
                guard let raid = try await store.raid(id) else { continue }
                raids[id] = RaidHistory(
                    raid: raid,
                    isSettled: row.isSettled && members.values.allSatisfy { $0.isOver && $0.rounds.isEmpty },
                    members: members.keys.map(\.shard).sorted(),
                    decisions: try row.decisions.map { try RaidDecision(encoded: $0) },
                    rounds: try await store.raidHistory(of: id, after: -1, limit: .max),
                    ranking: try await store.raidStandings(of: id).ranking,
                    fights: Dictionary(fights, uniquingKeysWith: { $1 })
                )
            } catch {
                unreadable.append("raid \(id) cannot be read: \(error)")
            }
        }
    }

    /// Checks invariant 9: each blow of a raid counts once, up to the finishing one, and all of its fights end with it.
    func checkRaids() -> InvariantCheck {
        var check = InvariantCheck(of: 9)
        for (id, history) in raids.sorted(by: { $0.key < $1.key }) {
            check.checkedCount += 1 + history.rounds.count + history.fights.count
            let errors = blowErrors(in: history) + decisionErrors(in: history) + endErrors(in: history)
            check.findings += (errors + awardErrors(in: history)).map { "raid \(id): \($0)" }
        }
        check.findings += raidProgressErrors()
        return check
    }

    /// Compares the sums of a raid with the blows that the events of its fights tell.
    private func blowErrors(in history: RaidHistory) -> [String] {
        let raid = history.raid
        var errors: [String] = []
        var (left, last) = (raid.health, RaidBlow?.none)
        var (rounds, fights, parties) = ([Int: Int](), [AdventureID: Int](), [PartyID: Int]())
        for blow in blows(in: history) where left > 0 && raid.schedule.round(at: blow.at) < raid.round {
            let damage = min(blow.damage, left)
            left -= damage
            last = blow
            rounds[raid.schedule.round(at: blow.at), default: 0] += damage
            fights[blow.adventureID, default: 0] += damage
            if let party = history.fights[blow.adventureID] { parties[party, default: 0] += damage }
        }
        if raid.healthLeft != left {
            errors.append("has health of \(raid.healthLeft) left, but its blows deal all but \(left)")
        }
        if history.rounds.map(\.round) != Array(0..<raid.round) {
            errors.append("has the rounds \(history.rounds.map(\.round)) of \(raid.round)")
        }
        errors += history.rounds.filter { $0.damage != rounds[$0.round] ?? 0 }.map {
            "has damage of \($0.damage) in round \($0.round), but its blows deal \(rounds[$0.round] ?? 0)"
        }
        let finishing = left == 0 ? last : nil
        if raid.finishingBlow.map({ [$0.at.microseconds, Int64($0.sequence)] })
            != finishing.map({ [$0.at.microseconds, Int64($0.sequence)] })
            || raid.finishingBlow?.adventureID != finishing?.adventureID
        {
            errors.append(
                "has the finishing blow '\(raid.finishingBlow?.encoded ?? "")', not '\(finishing?.encoded ?? "")'"
            )
        }
        guard raid.endedAt != nil, history.isSettled else { return errors }
        let ranking = history.ranking.filter { $0.damage > 0 }.map { ($0.partyID, $0.damage) }
        if Dictionary(ranking, uniquingKeysWith: +) != parties {
            errors.append("ranks \(ranking), but the blows of its parties deal \(parties)")
        }
        for id in history.fights.keys.sorted() {
            guard let fight = adventures[id]?.newest.raid, fight.decision == history.decisions.count,
                fight.dealt != fights[id] ?? 0
            else { continue }
            errors.append("counts damage of \(fight.dealt) in \(id), whose blows deal \(fights[id] ?? 0)")
        }
        return errors
    }

    /// Returns the blows in a raid, in order.
    private func blows(in history: RaidHistory) -> [RaidBlow] {
        history.fights.keys.flatMap { id -> [RaidBlow] in
            guard let adventure = adventures[id], let fight = adventure.newest.raid else { return [] }
            return adventure.events.compactMap { event in
                guard case .actionTaken(_, _, let damage) = event.event, damage > 0 else { return nil }
                let moment = max(event.at, fight.countsFrom)
                return RaidBlow(at: moment, adventureID: id, sequence: event.sequence, damage: damage)
            }
        }.sorted()
    }

    /// Compares the decisions in the logs of the members with those of the home.
    private func decisionErrors(in history: RaidHistory) -> [String] {
        var errors: [String] = []
        if history.decisions.map(\.number) != history.decisions.indices.map({ $0 + 1 }) {
            errors.append("has the decisions \(history.decisions.map(\.number))")
        }
        let outcomes = history.decisions.compactMap(\.outcome).map { Raid.State($0) }
        let isEnded = history.raid.endedAt != nil
        if outcomes != (isEnded ? [history.raid.state] : []) || isEnded && history.decisions.last?.outcome == nil {
            errors.append("has ended as \(outcomes), and is \(history.raid.state)")
        }
        for shard in history.members {
            let taken = (raidEntries[shard] ?? []).compactMap { entry in
                if case .raid(history.raid.id, let decision) = entry.content { decision } else { nil }
            }
            // A shard takes those after it began to take part, the last one at least if it has a fight.
            let isMissing = taken.isEmpty && history.fights.keys.contains { Int16($0.shard.rawValue) == shard }
            if taken != history.decisions.suffix(taken.count) || history.isSettled && isMissing {
                errors.append("shard \(shard) took the decisions \(taken.map(\.number)) of \(history.decisions.count)")
            }
        }
        return errors
    }

    /// Returns what has not ended with the raid, or otherwise.
    private func endErrors(in history: RaidHistory) -> [String] {
        guard history.raid.endedAt != nil, history.isSettled else { return ["has not ended everywhere"] }
        let outcome: AdventureOutcome =
            switch history.raid.state {
            case .defeated: .bossDefeated
            case .escaped: .expired
            default: .endedByOperator
            }
        return history.fights.keys.sorted().compactMap { id in
            guard let adventure = adventures[id]?.newest, let fight = adventure.raid else {
                return "its fight \(id) cannot be read"
            }
            if adventure.outcome == nil { return "\(id) goes on" }
            if fight.decision == history.decisions.count, adventure.outcome != outcome {
                return "\(id) ended as \(adventure.outcome?.rawValue ?? "") instead of \(outcome.rawValue)"
            }
            return nil
        }
    }
}
