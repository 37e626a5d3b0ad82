import Encodings
import Foundation
import GameCore
import GameLog
import Testing

@testable import GameStore
@testable import Simulation

@Suite struct RunHistoryRaidTests {
    @Test func `sums, rankings, decisions and ends of raids that are wrong are found`() throws {
        let history = try Self.history()
        #expect(history.checkRaids().findings.isEmpty)
        let changes: [(String, (inout RunHistory) -> Void)] = [
            ("has the rounds", { $0.raids[Adventure.raidID]?.rounds.removeLast() }),
            ("ranks", { $0.raids[Adventure.raidID]?.ranking = [] }),
            ("took the decisions", { $0.raidEntries[0]?.removeLast() }),
            ("has the decisions", { $0.raids[Adventure.raidID]?.decisions.removeFirst() }),
            ("has ended as", { $0.raids[Adventure.raidID]?.decisions.removeLast() }),
            ("has not ended everywhere", { $0.raids[Adventure.raidID]?.isSettled = false }),
            ("cannot be read", { $0.adventures = [:] }),
            ("finishing blow", { $0.adventures[Sample.id]?.events.removeAll { $0.event.kind == "actionTaken" } }),
        ]
        for (phrase, change) in changes {
            var broken = history
            change(&broken)
            let findings = broken.checkRaids().findings
            #expect(findings.contains { $0.contains(phrase) }, "\(phrase): \(findings)")
        }
    }

    /// The history of a raid whose boss one party has defeated.
    private static func history() throws -> RunHistory {
        let health = 40
        let (id, raidID, shard) = (Sample.id, Adventure.raidID, Sample.id.shard)
        let schedule = RaidSchedule(startsAt: Sample.start, endsAt: Sample.start + .seconds(600))
        let opening = Adventure.raid(
            RaidOpening(
                raidID: raidID,
                boss: "cinderwing",
                maximumHealth: health,
                healthLeft: health,
                phase: 1,
                decision: 0,
                dealtBefore: 0,
                countsFrom: Sample.start
            ),
            heroes: [Hero(playerID: Sample.player, id: "spouty", level: 5, potions: 1)],
            seed: 1
        )
        var buffer: [AdventureEvent] = []
        var timeline = Timeline(
            starting: opening,
            of: id,
            at: Sample.start,
            interval: .seconds(2),
            appendingTo: &buffer
        )
        var events: [StoredEvent] = []
        func record(_ timeline: Timeline) {
            for event in buffer {
                let tick = timeline.adventure.tick
                let at = timeline.newestEventAt
                events.append(StoredEvent(sequence: events.count + 1, tick: tick, at: at, event: event))
            }
            buffer = []
        }
        record(timeline)
        var blows: [RaidBlow] { timeline.raidBlows?.blows ?? [] }
        // One blow more than the boss can take.
        while blows.dropLast().reduce(0, { $0 + $1.damage }) < health, let next = timeline.nextTickAt {
            _ = timeline.playTick(dueBy: next, appendingTo: &buffer)
            record(timeline)
        }

        var ledger = RaidLedger(schedule: schedule, boss: "cinderwing", maximumHealth: health, members: [shard: 0])
        var (rounds, decisions) = ([RaidHistoryEntry](), [RaidDecision]())
        while !ledger.isOver {
            let round = ledger.nextRound
            let own = blows.filter { schedule.round(at: $0.at) == round }
            let row = RaidRound(round: round, fights: 1, blows: own, listing: true)
            guard case .added(let total, let decision) = ledger.add([shard: row]) else { break }
            rounds.append(
                RaidHistoryEntry(
                    round: round,
                    damage: total.damage,
                    parties: total.parties,
                    healthLeft: total.healthLeft,
                    phase: total.phase,
                    biggestBlow: total.biggestBlow
                )
            )
            if let decision { decisions.append(decision) }
        }
        let end = timeline.newestEventAt + .milliseconds(1)
        for decision in decisions {
            try timeline.take(.raid(decision), at: end, appendingTo: &buffer)
            record(timeline)
        }

        var history = RunHistory()
        history.adventures[id] = RunHistory.AdventureHistory(events: events, newest: timeline.adventure)
        history.raidEntries[Int16(shard.rawValue)] = decisions.map {
            Sample.entry(Int64($0.number), of: nil, at: end, .raid(raidID, $0))
        }
        let party = PartyID(rawValue: Sample.player.rawValue)
        history.raids[raidID] = RunHistory.RaidHistory(
            raid: Raid(
                id: raidID,
                boss: "cinderwing",
                regions: [],
                schedule: schedule,
                health: health,
                dealt: ledger.dealt,
                phase: ledger.phase,
                round: ledger.nextRound,
                decision: ledger.decision,
                state: .defeated,
                endedAt: end
            ),
            isSettled: true,
            members: [Int16(shard.rawValue)],
            decisions: decisions,
            rounds: rounds,
            ranking: [RaidRankingEntry(place: 1, partyID: party, damage: health)],
            fights: [id: party]
        )
        return history
    }
}
