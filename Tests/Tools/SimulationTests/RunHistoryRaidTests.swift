import Encodings
import Foundation
import GameCore
import GameLog
import Testing

@testable import GameStore
@testable import Simulation

/// The check of raids passes on a raid whose boss was defeated, and finds what is wrong in broken ones.
@Suite struct RunHistoryRaidTests {
    @Test func `a raid whose sums, rounds, kill, ends or rewards are wrong is found`() throws {
        let sample = try RaidSample()
        #expect(sample.findings == [])
        try #require(sample.rounds.count > 1 && sample.decisions.count > 1)

        func expectFound(
            _ text: String,
            at location: SourceLocation = #_sourceLocation,
            _ change: (inout RaidSample) -> Void
        ) {
            var broken = sample
            change(&broken)
            #expect(broken.findings.contains { $0.contains(text) }, "\(broken.findings)", sourceLocation: location)
        }
        // A round that counts twice, one that is missing, a sum that differs, and a blow that no round has.
        expectFound("but its blows deal") { $0.rounds[0] = $0.rounds[0].with(damage: $0.rounds[0].damage + 1) }
        expectFound("has the rounds") { $0.rounds.remove(at: 1) }
        expectFound("left, but its blows deal") { $0.dealt -= 1 }
        expectFound("but its blows deal") { sample in
            for id in sample.fights { sample.history.adventures[id]?.events.removeAll { $0.isBlow } }
        }
        // Another finishing blow, two of them, and a fight that does not end, or otherwise.
        expectFound("has the finishing blow") { sample in
            sample.decisions.append(sample.decisions.removeLast().finished(in: sample.fights))
        }
        expectFound("has ended as") { $0.decisions.append($0.decisions[$0.decisions.count - 1]) }
        expectFound("took the decisions") { $0.history.raidEntries[1]?.removeLast() }
        expectFound("goes on") { sample in
            let fight = sample.fights[0]
            sample.history.adventures[fight]?.newest = sample.openings[0]
        }
        // A reward that is missing, one that differs, and one that was given twice.
        let player = sample.players[0]
        let (awards, progress) = (sample.awards, PlayerProgress(experience: 30, bossesDefeated: 1))
        expectFound("there are 0 awards") { $0.history.raidPlayers[player] = .init(awards: [], progress: .init()) }
        expectFound("there are 1 awards of [30]") { sample in
            let fight = sample.fights[0]
            sample.history.adventures[fight]?.gainedExperience = [31]
        }
        expectFound("but the awards sum up to 30") { sample in
            let twice = PlayerProgress(experience: 60, bossesDefeated: 2)
            sample.history.raidPlayers[player] = .init(awards: [awards[0]], progress: twice)
        }
        #expect(sample.history.raidPlayers[player]?.progress == progress)
    }
}

/// A raid of two parties in two shards, played without a store until the boss is defeated.
private struct RaidSample {
    private static let start = Timestamp(epochSeconds: 1_790_000_000)
    private static let health = 120

    let id = RaidID(rawValue: Self.uuid(1, shard: 0))
    let fights = [UInt8(1), 2].map { AdventureID(rawValue: Self.uuid(2, shard: $0)) }
    let players = [UInt8(1), 2].map { PlayerID(rawValue: Self.uuid(3, shard: $0)) }
    let schedule = RaidSchedule(startsAt: Self.start, endsAt: Self.start + .seconds(3_600))
    let openings: [Adventure]
    let awards: [Award]
    var history = RunHistory()
    var rounds: [RaidHistoryEntry] = []
    var decisions: [RaidDecision] = []
    var dealt = 0

    init() throws {
        let boss = BossCatalogue.all[0].id
        let opening = RaidOpening(
            raidID: id,
            boss: boss,
            maximumHealth: Self.health,
            healthLeft: Self.health,
            phase: 1,
            decision: 0,
            dealtBefore: 0,
            countsFrom: Self.start
        )
        openings = players.map { player in
            let hero = Hero(playerID: player, id: HeroCatalogue.all[0].id, experience: 0, potions: 1)
            return Adventure.raid(opening, heroes: [hero], seed: 1)
        }
        awards = zip(fights, players).map { fight, player in
            Award(
                adventureID: fight,
                playerID: player,
                partyID: Self.party(of: fight),
                kind: .raid,
                scene: boss.rawValue,
                outcome: .bossDefeated,
                hero: HeroCatalogue.all[0].id,
                experience: 30,
                reachedExperience: 30,
                bosses: 1,
                startedAt: Self.start,
                endedAt: Self.start + .seconds(60)
            )
        }
        var buffer: [AdventureEvent] = []
        var events = fights.map { _ in [StoredEvent]() }
        var timelines = zip(fights, openings).map { id, opening in
            Timeline(starting: opening, of: id, at: Self.start, interval: .milliseconds(700), appendingTo: &buffer)
        }
        // Both fights start with the same events.
        let first = Array(buffer.prefix(buffer.count / fights.count))
        for index in fights.indices { events[index].add(first, at: Self.start) }
        buffer = []
        var ledger = RaidLedger(
            schedule: schedule,
            boss: boss,
            maximumHealth: Self.health,
            members: Dictionary(uniqueKeysWithValues: fights.map { ($0.shard, 0) })
        )
        while !ledger.isOver, rounds.count < 500 {
            let round = ledger.nextRound
            let end = schedule.end(ofRound: round)
            var rows: [Shard: RaidRound] = [:]
            for index in fights.indices {
                while let at = timelines[index].playTick(dueBy: end, appendingTo: &buffer) {
                    events[index].add(buffer, at: at)
                    buffer = []
                }
                let blows = (timelines[index].raidBlows?.blows ?? []).filter { schedule.round(at: $0.at) == round }
                rows[fights[index].shard] = RaidRound(round: round, fights: 1, blows: blows, listing: true)
            }
            guard case .added(let total, let decision) = ledger.add(rows) else { continue }
            rounds.append(
                RaidHistoryEntry(
                    round: total.round,
                    damage: total.damage,
                    parties: total.parties,
                    healthLeft: total.healthLeft,
                    phase: total.phase,
                    biggestBlow: total.biggestBlow
                )
            )
            guard let decision else { continue }
            decisions.append(decision)
            for (index, fight) in fights.enumerated() {
                try timelines[index].take(.raid(decision), at: end, appendingTo: &buffer)
                events[index].add(buffer, at: end)
                buffer = []
                let position = Int64(decision.number)
                let entry = Sample.entry(position, of: nil, at: end, .raid(id, decision))
                history.raidEntries[Int16(fight.shard.rawValue), default: []].append(entry)
            }
        }
        dealt = ledger.dealt
        for (index, fight) in fights.enumerated() {
            var adventure = RunHistory.AdventureHistory(events: events[index], newest: timelines[index].adventure)
            adventure.endedAt = timelines[index].newestEventAt
            adventure.gainedExperience = [30]
            history.adventures[fight] = adventure
            let progress = PlayerProgress(experience: 30, bossesDefeated: 1)
            history.raidPlayers[players[index]] = .init(awards: [awards[index]], progress: progress)
        }
    }

    var findings: [String] {
        let ranking = fights.enumerated().map { index, fight in
            RaidRankingEntry(
                place: 1,
                partyID: Self.party(of: fight),
                damage: history.adventures[fight]?.newest.raid?.dealt ?? 0
            )
        }
        var complete = history
        complete.raids[id] = RunHistory.RaidHistory(
            raid: Raid(
                id: id,
                boss: BossCatalogue.all[0].id,
                regions: [],
                schedule: schedule,
                health: Self.health,
                dealt: dealt,
                round: decisions.last.map { $0.round + 1 } ?? 0,
                decision: decisions.last,
                state: .defeated,
                endedAt: Self.start + .seconds(60)
            ),
            isSettled: true,
            members: fights.map { Int16($0.shard.rawValue) },
            decisions: decisions,
            rounds: rounds,
            ranking: ranking,
            fights: Dictionary(uniqueKeysWithValues: fights.map { ($0, Self.party(of: $0)) })
        )
        return complete.checkRaids().findings
    }

    private static func uuid(_ kind: UInt8, shard: UInt8) -> UUID {
        UUID(uuid: (kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, shard))
    }

    private static func party(of fight: AdventureID) -> PartyID {
        PartyID(rawValue: uuid(4, shard: fight.shard.rawValue))
    }
}

extension [StoredEvent] {
    /// Appends events of one moment.
    fileprivate mutating func add(_ events: [AdventureEvent], at moment: Timestamp) {
        for event in events { append(StoredEvent(sequence: count + 1, tick: 0, at: moment, event: event)) }
    }
}

extension StoredEvent {
    fileprivate var isBlow: Bool { if case .actionTaken(_, _, let damage) = event { damage > 0 } else { false } }
}

extension RaidHistoryEntry {
    /// Returns the same round with another damage.
    fileprivate func with(damage: Int) -> Self {
        Self(
            round: round,
            damage: damage,
            parties: parties,
            healthLeft: healthLeft,
            phase: phase,
            biggestBlow: biggestBlow
        )
    }
}

extension RaidDecision {
    /// Returns the same decision with the finishing blow in the other one of two fights.
    fileprivate func finished(in fights: [AdventureID]) -> Self {
        guard case .defeated(let blow) = outcome else { return self }
        let other = RaidBlow(
            at: blow.at,
            adventureID: fights[blow.adventureID == fights[0] ? 1 : 0],
            sequence: blow.sequence,
            damage: blow.damage
        )
        return Self(
            number: number,
            round: round,
            roundEnd: roundEnd,
            healthLeft: healthLeft,
            maximumHealth: maximumHealth,
            phase: phase,
            parties: parties,
            dealt: dealt,
            listsBlows: listsBlows,
            outcome: .defeated(by: other)
        )
    }
}
