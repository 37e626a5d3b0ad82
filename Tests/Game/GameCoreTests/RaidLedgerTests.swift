import Encodings
import Testing

@testable import GameCore

/// The arithmetic of a raid's home.
struct RaidLedgerTests {
    private static let start = Timestamp(epochSeconds: 1_790_000_000)
    private static let low = Shard(rawValue: 5)
    private static let high = Shard(rawValue: 9)

    private static func ledger(health: Int, seconds: Int = 100) -> RaidLedger {
        RaidLedger(
            schedule: RaidSchedule(startsAt: start, endsAt: start + .seconds(seconds)),
            boss: "cinderwing",
            maximumHealth: health,
            members: [low: 0, high: 0]
        )
    }

    private static func blow(_ damage: Int, of shard: Shard, at milliseconds: Int, sequence: Int = 1) -> RaidBlow {
        let id = AdventureID(rawValue: GameWorld.player(Int(shard.rawValue)).rawValue)
        let moment = start + .milliseconds(milliseconds)
        return RaidBlow(at: moment, adventureID: id, sequence: sequence, damage: damage)
    }

    private static func row(_ round: Int, _ blows: [RaidBlow], listing: Bool = true) -> RaidRound {
        RaidRound(round: round, fights: 1, blows: blows, listing: listing)
    }

    /// Adds the next round, in which each shard deals a damage.
    private static func add(_ damage: Int, to ledger: inout RaidLedger) -> RaidDecision? {
        var rows: [Shard: RaidRound] = [:]
        for shard in ledger.members.keys {
            rows[shard] = row(
                ledger.nextRound,
                damage > 0 ? [blow(damage, of: shard, at: 1_000 * ledger.nextRound)] : []
            )
        }
        guard case .added(_, let decision) = ledger.add(rows) else { return nil }
        return decision
    }

    @Test func `rounds begin each second, the last one ends with the raid`() {
        let schedule = RaidSchedule(startsAt: Self.start, endsAt: Self.start + .milliseconds(2_500))
        let rounds = [-1, 0, 999, 1_000, 2_499, 2_500, 9_000].map { schedule.round(at: Self.start + .milliseconds($0)) }
        #expect(rounds == [0, 0, 0, 1, 2, 3, 3] && schedule.lastRound == 2)
        #expect(schedule.end(ofRound: 1) == Self.start + .seconds(2) && schedule.end(ofRound: 2) == schedule.endsAt)
    }

    @Test func `at one moment the blow of the lower shard is the finishing one, and counts as far as there is health`()
    {
        var ledger = Self.ledger(health: 100)
        // The boss has 40 left: 30 of the first blow, 10 of the next by order.
        #expect(Self.add(30, to: &ledger)?.number == 1 && ledger.healthLeft == 40)
        let rows = [
            Self.low: Self.row(1, [Self.blow(25, of: Self.low, at: 1_500, sequence: 7)]),
            Self.high: Self.row(
                1,
                [
                    Self.blow(30, of: Self.high, at: 1_200), Self.blow(50, of: Self.high, at: 1_500, sequence: 2),
                    Self.blow(90, of: Self.high, at: 1_900, sequence: 3),
                ]
            ),
        ]
        let finishing = Self.blow(10, of: Self.low, at: 1_500, sequence: 7)
        guard case .added(let total, let decision?) = ledger.add(rows) else {
            Issue.record("no decision")
            return
        }
        #expect(decision.outcome == .defeated(by: finishing) && decision.dealt == 100 && decision.healthLeft == 0)
        #expect(total.damage == 40 && total.biggestBlow?.damage == 30 && total.parties == 2)
        #expect(ledger.isOver && ledger.dealt == 100 && decision.number == 2)
    }

    @Test func `a kill needs the blows of all shards that dealt damage, and rounds wait for all members`() {
        var ledger = Self.ledger(health: 100)
        let third = Shard(rawValue: 200)
        ledger.members[third] = 1
        func rows(listing: Bool) -> [Shard: RaidRound] {
            [
                Self.low: Self.row(0, [Self.blow(60, of: Self.low, at: 1)], listing: listing),
                Self.high: Self.row(0, [Self.blow(60, of: Self.high, at: 1)], listing: true),
            ]
        }
        // The third shard's first round is a later one.
        #expect(ledger.waitsFor([:]) == [Self.low, Self.high] && ledger.waitsFor(rows(listing: false)) == [])
        let before = ledger
        #expect(ledger.add(rows(listing: false)) == .needsBlows(of: [Self.low]) && ledger == before)
        guard case .added(_, let decision?) = ledger.add(rows(listing: true)) else {
            Issue.record("no decision")
            return
        }
        #expect(decision.outcome == .defeated(by: Self.blow(40, of: Self.high, at: 1)))

        var other = before
        _ = other.add([Self.low: Self.row(0, []), Self.high: Self.row(0, [])])
        #expect(other.nextRound == 1 && other.waitsFor([:]) == [Self.low, Self.high, third])
    }

    @Test func `a decision is due at each percent, at a phase, before the kill, and after thirty rounds`() {
        var ledger = Self.ledger(health: 100_000)
        #expect(Self.add(499, to: &ledger) == nil)
        #expect(Self.add(1, to: &ledger)?.number == 1)
        for round in 2..<31 { #expect(Self.add(0, to: &ledger) == nil, "round \(round)") }
        let waited = Self.add(0, to: &ledger)
        #expect(waited?.number == 2 && waited?.round == 31 && waited?.roundEnd == Self.start + .seconds(32))
        // The second phase begins at 66 percent, and ten such rounds end the boss.
        let phase = Self.add(16_500, to: &ledger)
        #expect(phase?.phase == 2 && phase?.healthLeft == 66_000 && phase?.listsBlows == true && phase?.parties == 2)
        // Both thresholds at once.
        let third = Self.add(20_000, to: &ledger)
        #expect(third?.phase == 3 && third?.listsBlows == true && third?.dealt == 74_000)
    }

    @Test func `a raid that runs out ends in its last round, and a stopped one after the round before`() {
        var ledger = Self.ledger(health: 1_000, seconds: 3)
        #expect(Self.add(1, to: &ledger) == nil && Self.add(1, to: &ledger) == nil)
        var stopped = ledger
        let end = Self.add(1, to: &ledger)
        #expect(end?.outcome == .escaped && end?.dealt == 6 && end?.roundEnd == Self.start + .seconds(3))
        let stop = stopped.stop()
        #expect(stop.outcome == .stopped && stop.dealt == 4 && stop.roundEnd == Self.start + .seconds(2))
        var unplayed = Self.ledger(health: 1_000)
        #expect(unplayed.stop().roundEnd == Self.start && unplayed.isOver)
    }
}
