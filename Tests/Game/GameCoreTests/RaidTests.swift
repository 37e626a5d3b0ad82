import Encodings
import Testing

@testable import GameCore

/// The fight of one party in a raid.
struct RaidTests {
    private static let start = Timestamp(epochSeconds: 1_790_000_000)

    private static func fight(_ heroes: [Hero], boss: BossID = "glitch", before: Int = 0) throws -> Adventure {
        let opening = RaidOpening(
            raidID: GameWorld.raid(against: boss).raidID,
            boss: boss,
            maximumHealth: 5_000,
            healthLeft: 5_000,
            phase: 1,
            decision: 0,
            dealtBefore: before,
            countsFrom: start
        )
        var fight = Adventure.raid(opening, heroes: heroes, seed: 1)
        _ = try fight.advance(.start)
        return fight
    }

    private static func decision(
        _ number: Int = 1,
        healthLeft: Int = 4_000,
        phase: Int = 1,
        parties: Int = 10,
        until seconds: Int64 = 1,
        _ outcome: RaidDecision.Outcome? = nil
    ) -> RaidDecision {
        RaidDecision(
            number: number,
            round: number,
            roundEnd: start + .seconds(seconds),
            healthLeft: healthLeft,
            maximumHealth: 5_000,
            phase: phase,
            parties: parties,
            dealt: 5_000 - healthLeft,
            listsBlows: false,
            outcome: outcome
        )
    }

    private static func blow(at microseconds: Int64, sequence: Int = 1, damage: Int = 1) -> RaidBlow {
        let moment = start + .microseconds(microseconds)
        return RaidBlow(at: moment, adventureID: GameWorld.adventureID, sequence: sequence, damage: damage)
    }

    @Test func `blows add to the party's damage, and only decisions change the boss`() throws {
        var fight = try Self.fight(GameWorld.heroes("zippy", "boulder", "spouty"), boss: "madam-gloom")
        #expect(fight.kind == .raid && fight.rules == .v4)
        var events: [AdventureEvent] = []
        for _ in 0..<3 { _ = try fight.advance(.tick, appendingTo: &events) }
        while fight.status == .running, events.count < 10_000 { try fight.advance(.tick, appendingTo: &events) }
        let dealt = events.reduce(0) { if case .actionTaken(_, _, let damage) = $1 { $0 + damage } else { $0 } }
        #expect(fight.raid?.dealt == dealt && dealt > 0 && fight.outcome == .partyWiped)
        #expect(fight.boss?.health == 5_000 && fight.boss?.phase == 1)
        #expect(!events.contains { $0.kind == "bossHealed" } && events.contains(.bossActed(move: .drain)))
        #expect(!events.contains(.bossActed(move: .mend)))
    }

    @Test func `a newcomer makes the boss stronger, not healthier`() throws {
        var fight = try Self.fight(GameWorld.heroes("zippy"))
        let attack = fight.boss?.attack
        #expect(try fight.advance(.join(GameWorld.hero(5))) == [.memberJoined(hero: .second)])
        #expect(fight.boss?.maximumHealth == 5_000 && fight.boss?.attack != attack)
    }

    @Test func `decisions come in order, and change health and phase`() throws {
        var fight = try Self.fight(GameWorld.heroes("zippy", "boulder"), boss: "cinderwing")
        let turn = fight.turn
        #expect(
            try fight.advance(.raid(Self.decision(healthLeft: 1_000, phase: 3))) == [
                .raidProgressed(health: 1_000, maximum: 5_000), .bossEnraged(boss: "cinderwing", phase: 2),
                .bossEnraged(boss: "cinderwing", phase: 3),
            ]
        )
        #expect(fight.turn == turn && fight.raid?.healthLeft == 1_000 && fight.raid?.decision == 1)
        #expect(fight.refusal(of: .raid(Self.decision(1))) == .notYourTurn)
        #expect(fight.refusal(of: .raid(Self.decision(3))) == .notYourTurn)
        let journey = try GameWorld.journey(GameWorld.party(of: 1))
        #expect(journey.refusal(of: .raid(Self.decision())) == .noBoss)
    }

    @Test func `the reward follows the share of the damage, earlier fights included`() throws {
        func experience(before: Int, healthLeft: Int = 0, _ outcome: RaidDecision.Outcome) throws -> [Int] {
            var fight = try Self.fight(GameWorld.heroes("zippy", "boulder"), before: before)
            _ = try fight.advance(.leave(GameWorld.player(1)))
            let events = try fight.advance(.raid(Self.decision(healthLeft: healthLeft, outcome)))
            #expect(events.last == .adventureEnded(outcome: try #require(fight.outcome)))
            return fight.heroes.map(\.experience)
        }
        let kill = RaidDecision.Outcome.defeated(by: Self.blow(at: 0))
        // The average damage of ten parties is 500.
        #expect(try experience(before: 500, kill) == [240, 240])
        #expect(try experience(before: 250, kill) == [180, 180])
        #expect(try experience(before: 5_000, kill) == [360, 360])
        #expect(try experience(before: 0, kill) == [120, 120])
        #expect(try experience(before: 25, healthLeft: 4_000, .escaped) == [30, 30])
        #expect(try experience(before: 900, healthLeft: 4_000, .escaped) == [60, 60])
        #expect(try experience(before: 900, healthLeft: 4_000, .stopped) == [0, 0])
        #expect(try experience(before: 5, healthLeft: 5_000, .escaped) == [0, 0])
    }

    @Test func `blows after the finishing one, and its excess, do not count`() throws {
        var events: [AdventureEvent] = []
        let opening = Adventure.raid(GameWorld.raid(against: "glitch"), heroes: GameWorld.heroes("zippy"), seed: 3)
        var timeline = Timeline(
            starting: opening,
            of: GameWorld.adventureID,
            at: Self.start,
            interval: .seconds(10),
            appendingTo: &events
        )
        while timeline.raidBlows?.blows.count ?? 0 < 4 {
            _ = timeline.playTick(dueBy: Self.start + .seconds(1_000), appendingTo: &events)
        }
        let blows = try #require(timeline.raidBlows?.blows)
        #expect(timeline.countedDamage == blows.reduce(0) { $0 + $1.damage })
        #expect(timeline.end == Self.start + .seconds(30 * 86_400))

        // The second blow is the finishing one; one of a lower shard at its moment would be before it.
        let moment = try #require(timeline.raidBlows?.blows[3].at) + .seconds(1)
        func counted(by last: RaidBlow) throws -> Int? {
            var copy = timeline
            let decision = Self.decision(healthLeft: 0, .defeated(by: last))
            try copy.take(.raid(decision), at: moment, appendingTo: &events)
            #expect(copy.raidBlows?.blows == [] && copy.adventure.outcome == .bossDefeated && copy.end == moment)
            #expect(copy.adventure.raid?.dealt == copy.countedDamage)
            return copy.countedDamage
        }
        #expect(try counted(by: blows[1].counting(1)) == blows[0].damage + 1)
        func other(_ shard: UInt8) -> RaidBlow {
            let id = AdventureID(rawValue: GameWorld.player(Int(shard)).rawValue)
            return RaidBlow(at: blows[1].at, adventureID: id, sequence: 99, damage: 1)
        }
        #expect(try counted(by: other(199)) == blows[0].damage)
        #expect(try counted(by: other(201)) == blows[0].damage + blows[1].damage)

        // Progress settles the blows before the end of its round.
        let seconds = Int64((blows[2].at - Self.start) / .seconds(1))
        let decision = Self.decision(until: seconds)
        try timeline.take(.raid(decision), at: moment, appendingTo: &events)
        #expect(timeline.raidBlows?.blows == Array(blows[2...]))
        // A raid that is stopped then counts nothing after it.
        var stopped = timeline
        try stopped.take(.raid(Self.decision(2, until: seconds, .stopped)), at: moment, appendingTo: &events)
        #expect(stopped.countedDamage == blows[0].damage + blows[1].damage)
        // Neither does it if the fight ended before the decision.
        try timeline.take(.end, at: moment, appendingTo: &events)
        timeline.settle(Self.decision(2, until: seconds, .stopped))
        #expect(timeline.countedDamage == blows[0].damage + blows[1].damage)
    }

    @Test func `stored decisions, blows and fights decode to themselves, and damaged ones are refused`() throws {
        let blow = Self.blow(at: 1, sequence: 57, damage: 9)
        let outcomes: [RaidDecision.Outcome?] = [nil, .defeated(by: blow), .escaped, .stopped]
        for outcome in outcomes {
            let left = if case .defeated = outcome { 0 } else { 7 }
            let decision = Self.decision(healthLeft: left, outcome)
            #expect(try RaidDecision(encoded: decision.encoded) == decision)
            let input = AdventureInput.raid(decision)
            #expect(try AdventureInput(encoded: try #require(input.encoded)) == input)
        }
        #expect(try RaidBlow(encoded: blow.encoded) == blow)
        let round = RaidRound(round: 3, fights: 2, blows: [blow, Self.blow(at: 0, damage: 9)], listing: true)
        #expect(round.biggestBlow?.sequence == 1 && round.blows?.map(\.sequence) == [1, 57] && round.damage == 18)
        #expect(
            try RaidRound(
                round: 3,
                damage: 18,
                fights: 2,
                encodedBiggestBlow: round.biggestBlow?.encoded,
                encodedBlows: round.encodedBlows
            ) == round
        )
        let text = "4 round 61 until 1790000062000000 health 812/4000 phase 2 parties 30 dealt 3188 blows"
        #expect(try RaidDecision(encoded: text).encoded == text)
        for damaged in ["", "\(text) defeated by", "\(text) won", text.replacing("812", with: "0")] {
            #expect(throws: AdventureDecodingError.self) { try RaidDecision(encoded: damaged) }
        }

        let fight = try Self.fight(GameWorld.heroes("zippy")).encoded
        let changes = [
            ("rules 4", "rules 3"), ("2 raid", "2 bossFight"), ("decision 0", "decision -1"),
            ("5000/5000", "0/5000"), ("from 1790000000000000", "from soon"),
        ]
        for (part, other) in changes {
            #expect(fight.contains(part))
            #expect(throws: AdventureDecodingError.self) { try Adventure(encoded: fight.replacing(part, with: other)) }
        }
    }
}
