import Encodings
import Foundation
import GameCore
import LiveActivityContent
import PushRules
import RangersClient
import Testing

@testable import SimulatedPlayers

/// The conditions of a raid, and its story.
@Suite struct RaidReportTests {
    private static let fight = AdventureID(rawValue: UUID())

    /// Returns the server's JSON of a raid, decoded.
    private func raid(
        _ state: String,
        health: Int,
        phase: Int = 1,
        round: Int = 9,
        biggest: Int? = nil,
        finishing: Int? = nil
    ) throws -> RaidResponse {
        func blow(_ damage: Int) -> String {
            #"{"damage":\#(damage),"at":"2026-01-02T03:00:09.000Z","adventureID":"\#(Self.fight)"}"#
        }
        let fields = [
            #""raidID":"\#(Self.fight)","state":"\#(state)","regions":[],"round":\#(round),"damage":100,"parties":2"#,
            #""boss":{"id":"glitch","name":"Glitch","avatar":"👾","health":\#(health),"maximumHealth":100,"#
                + #""healthLevel":1,"phase":\#(phase)}"#,
            #""startsAt":"2026-01-02T03:00:00.000Z","endsAt":"2026-01-02T04:00:00.000Z""#,
            ["scheduled", "running"].contains(state) ? nil : #""endedAt":"2026-01-02T03:00:10.000Z""#,
            biggest.map { #""biggestBlow":\#(blow($0))"# }, finishing.map { #""finishingBlow":\#(blow($0))"# },
        ]
        let json = "{\(fields.compactMap(\.self).joined(separator: ","))}"
        return try JSONDecoder.rangersAPI.decode(RaidResponse.self, from: Data(json.utf8))
    }

    /// Returns the evidence of a fight with blows, each with its seconds after three o'clock and its damage.
    private func evidence(of id: AdventureID = fight, blows: [(second: Int64, damage: Int)]) throws -> AdventureEvidence
    {
        let start = try #require(Timestamp(rfc3339: "2026-01-02T03:00:00Z"))
        return AdventureEvidence(
            activities: [],
            adventure: AdventureResponse(id: id, kind: .raid, heroes: [], sequence: blows.count),
            events: blows.enumerated().map { index, blow in
                StoryEvent(
                    sequence: index + 1,
                    at: start + .seconds(blow.second),
                    event: .actionTaken(hero: Seat(rawValue: 0), action: .attack, damage: blow.damage)
                )
            },
            phones: [],
            pushes: [],
            violations: [],
            serverWasKilled: false
        )
    }

    @Test func `a defeated boss with equal sums holds, and each difference is a fault`() throws {
        let won = try raid("defeated", health: 0, finishing: 12)
        #expect(RaidReport.kill(of: won).holds)
        #expect(!RaidReport.kill(of: try raid("escaped", health: 3)).holds)
        func round(_ damage: Int) throws -> RaidRoundsPage.Round {
            let json = #"{"round":0,"damage":\#(damage),"health":0,"phase":1,"parties":2}"#
            return try JSONDecoder().decode(RaidRoundsPage.Round.self, from: Data(json.utf8))
        }
        func entry(_ damage: Int) throws -> RaidRanking.Entry {
            let json = #"{"place":1,"partyID":"\#(Self.fight)","damage":\#(damage)}"#
            return try JSONDecoder().decode(RaidRanking.Entry.self, from: Data(json.utf8))
        }
        #expect(RaidReport.sums(of: won, [try round(40), try round(60)], [try entry(70), try entry(30)]).holds)
        #expect(
            RaidReport.sums(of: won, [try round(99)], [try entry(101)]).faults == [
                "the rounds: 99", "the parties in the ranking: 101",
            ]
        )
    }

    @Test func `the finishing blow is the first that the parties' events leave no health after`() throws {
        let won = try raid("defeated", health: 0, finishing: 12)
        let other = AdventureID(rawValue: UUID())
        func holds(_ before: Int, atOnce: Int = 0, _ last: Int) throws -> Bool {
            // The blow after the kill counts for nothing.
            let fight = try evidence(blows: [(1, before), (9, last), (10, 500)])
            let evidence = [fight, try evidence(of: other, blows: [(9, atOnce)])]
            return RaidReport.timelines(of: won, evidence).holds
        }
        #expect(try holds(90, 12))
        #expect(try holds(80, atOnce: 10, 12))
        #expect(try !holds(87, 12), "the boss has health left")
        #expect(try !holds(100, 12), "an earlier blow was the finishing one")
    }

    @Test func `the activity on the channel has to show the end`() throws {
        let won = try raid("defeated", health: 0, finishing: 12)
        func holds(_ outcome: RaidDecision.Outcome?, isEnded: Bool = true) throws -> Bool {
            let state = RaidActivityState(
                of: BossCatalogue.all[0].id,
                healthLeft: 0,
                maximumHealth: 100,
                phase: 1,
                parties: 2,
                biggestBlow: 12,
                endsEpochSeconds: 0,
                outcome: outcome,
                round: 9,
                version: 1
            )
            let text = String(decoding: state.encoded, as: UTF8.self)
            let json = #"{"activityID":"\#(Self.fight)","isEndedByPush":\#(isEnded),"contentState":\#(text)}"#
            let activity = try JSONDecoder().decode(PhoneResponse.Activity.self, from: Data(json.utf8))
            return RaidReport.broadcasts(of: won, activity).holds
        }
        let blow = RaidBlow(at: Timestamp(epochSeconds: 0), adventureID: Self.fight, sequence: 9, damage: 12)
        #expect(try holds(.defeated(by: blow)))
        #expect(try !holds(.escaped) && !holds(nil) && !holds(.defeated(by: blow), isEnded: false))
        #expect(!RaidReport.broadcasts(of: won, nil).holds)
    }

    @Test func `the narrator tells what has changed`() throws {
        let first = try raid("running", health: 100)
        let later = try raid("running", health: 58, phase: 2, round: 30, biggest: 21)
        let won = try raid("defeated", health: 0, phase: 3, round: 61, biggest: 21, finishing: 12)
        #expect(RaidNarrator.lines(from: nil, to: first, steps: 10) == ["👾 Glitch appears, with 100 health"])
        #expect(RaidNarrator.lines(from: first, to: first, steps: 10) == [])
        #expect(
            RaidNarrator.lines(from: first, to: later, steps: 10) == [
                "⚔️ The biggest blow so far: 21", "👾 Glitch has 58 health left, after 30 rounds against 2 parties",
                "😡 👾 Glitch is enraged!",
            ]
        )
        #expect(RaidNarrator.lines(from: later, to: won, steps: 10) == ["🏆 👾 Glitch is defeated in round 61!"])
    }
}
