import Encodings
import Foundation
import GameCore
import GameLog
import PushCadence
import TestSupport
import Testing

@Suite struct PushToStartBudgetTests {
    private static let noon = Timestamp(epochSeconds: 1_790_000_000)

    private func at(minute: Int) -> Timestamp { Self.noon + .seconds(60 * minute) }

    private func adventure(_ number: UInt8) -> AdventureID {
        AdventureID(rawValue: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
    }

    private func party(_ number: UInt8) -> PartyID {
        PartyID(rawValue: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x90, 0, 0, 0, 0, 0, 0, number)))
    }

    private func nothingStarted() -> PushToStartBudget { PushToStartBudget(policy: PushToStartPolicy(), starts: []) }

    /// Claims a start of a new adventure each time, of these parties in turn, with all earlier starts confirmed.
    private func denials(atMinutes minutes: [Int], of parties: [UInt8] = Array(0..<20)) -> [StartDenial?] {
        var starts = nothingStarted()
        return minutes.enumerated().map { index, minute in
            starts.claim(
                .adventure(adventure(UInt8(index)), party(parties[index % parties.count])),
                outstandingIsConfirmed: true,
                at: at(minute: minute)
            )
        }
    }

    @Test func `an hour has four starts, and the next is possible when the first is an hour old`() {
        #expect(
            denials(atMinutes: [0, 1, 2, 3, 4, 59, 60]) == [nil, nil, nil, nil, .hourlyBudget, .hourlyBudget, nil]
        )
    }

    @Test func `a party has three starts in an hour and four in a day, and leaves the rest to others`() {
        let hour: [StartDenial?] = [nil, nil, nil, .partyShare, nil, .hourlyBudget]
        #expect(denials(atMinutes: [0, 1, 2, 3, 4, 5], of: [0, 0, 0, 0, 1, 1]) == hour)
        let day: [StartDenial?] = [nil, nil, nil, nil, .partyShare, .partyShare]
        #expect(denials(atMinutes: [0, 60, 120, 180, 240, 24 * 60 - 1], of: [0]) == day)
        #expect(denials(atMinutes: [0, 60, 120, 180, 24 * 60], of: [0]) == Array(repeating: nil, count: 5))
    }

    @Test func `the last start is left to a party that had none, whatever the others have left`() {
        let denials = denials(atMinutes: [0, 1, 2, 3, 4], of: [0, 0, 1, 1, 2])
        #expect(denials == [nil, nil, nil, .partyShare, nil])
        // Two parties leave one of the eight.
        let day = self.denials(atMinutes: (0..<10).map { 60 * $0 }, of: [0, 1])
        #expect(day == Array(repeating: nil, count: 7) + Array(repeating: .partyShare, count: 3))
    }

    @Test func `a day has eight starts, and the next is possible when the first is a day old`() {
        let hours = (0..<8).map { 60 * $0 }
        let denials = denials(atMinutes: hours + [8 * 60, 24 * 60 - 1, 24 * 60])
        #expect(denials == Array(repeating: nil, count: 8) + [.dailyBudget, .dailyBudget, nil])
    }

    @Test func `a start is outstanding until it is confirmed, at most for ten minutes`() {
        var starts = nothingStarted()
        #expect(starts.outstanding(at: at(minute: 0)) == nil)
        #expect(
            starts.claim(.adventure(adventure(1), party(1)), outstandingIsConfirmed: false, at: at(minute: 0)) == nil
        )
        #expect(starts.outstanding(at: at(minute: 9))?.adventureID == adventure(1))
        #expect(
            starts.claim(.adventure(adventure(2), party(2)), outstandingIsConfirmed: false, at: at(minute: 9))
                == .outstanding
        )
        #expect(starts.outstanding(at: at(minute: 10)) == nil)
        #expect(
            starts.claim(.adventure(adventure(2), party(2)), outstandingIsConfirmed: false, at: at(minute: 10)) == nil
        )
        #expect(
            starts.claim(.adventure(adventure(3), party(3)), outstandingIsConfirmed: true, at: at(minute: 11)) == nil
        )
    }

    @Test func `an activity confirms its start even if the clock of its registration is some seconds behind`() {
        let start = PushToStart(.adventure(adventure(1), party(1)), at: Self.noon)
        #expect(start.isConfirmed(byActivityRegisteredAt: Self.noon))
        #expect(start.isConfirmed(byActivityRegisteredAt: Self.noon + .seconds(-4)))
        #expect(!start.isConfirmed(byActivityRegisteredAt: Self.noon + .seconds(-5)))
    }

    @Test func `an adventure is not started twice within an hour`() {
        var starts = nothingStarted()
        #expect(
            starts.claim(.adventure(adventure(1), party(1)), outstandingIsConfirmed: true, at: at(minute: 0)) == nil
        )
        #expect(
            starts.claim(.adventure(adventure(1), party(1)), outstandingIsConfirmed: true, at: at(minute: 59))
                == .alreadyStarted
        )
        #expect(
            starts.claim(.adventure(adventure(1), party(1)), outstandingIsConfirmed: true, at: at(minute: 60)) == nil
        )
    }

    @Test func `a raid is started once a day, waits for the party's own activity, and never makes another one wait`() {
        var generator = SeededGenerator(seed: 1)
        let raid = PushToStart.Subject.raid(RaidID(at: Self.noon, using: &generator))
        var starts = nothingStarted()
        func claim(_ subject: PushToStart.Subject, _ minute: Int, isConfirmed: Bool = false) -> StartDenial? {
            starts.claim(subject, outstandingIsConfirmed: isConfirmed, at: at(minute: minute))
        }
        #expect(claim(.adventure(adventure(1), party(1)), 0) == nil)
        #expect(claim(raid, 1) == .outstanding)
        #expect(claim(raid, 1, isConfirmed: true) == nil)
        #expect(starts.outstanding(at: at(minute: 2))?.adventureID == adventure(1))
        #expect(claim(raid, 12) == .alreadyStarted)
        #expect(claim(.adventure(adventure(2), party(1)), 12) == nil)
        #expect(claim(raid, 24 * 60, isConfirmed: true) == .alreadyStarted)
        #expect(claim(raid, 24 * 60 + 1, isConfirmed: true) == nil)
    }

    @Test func `raids leave the last start of an hour and of a day to a party that had none`() {
        var generator = SeededGenerator(seed: 1)
        let raids = (0..<10).map { _ in PushToStart.Subject.raid(RaidID(at: Self.noon, using: &generator)) }
        func denials(everyMinutes interval: Int) -> [StartDenial?] {
            var starts = nothingStarted()
            let denials = raids.enumerated().map { index, raid in
                starts.claim(raid, outstandingIsConfirmed: false, at: at(minute: interval * index))
            }
            let last = starts.claim(
                .adventure(adventure(1), party(1)),
                outstandingIsConfirmed: false,
                at: at(minute: interval * raids.count)
            )
            return denials + [last]
        }
        #expect(
            denials(everyMinutes: 1) == Array(repeating: nil, count: 3) + Array(repeating: .partyShare, count: 7) + [
                nil
            ]
        )
        #expect(
            denials(everyMinutes: 60) == Array(repeating: nil, count: 7) + Array(repeating: .partyShare, count: 3) + [
                nil
            ]
        )
    }

    @Test func `a clock that is set back does not increase the budget`() {
        #expect(denials(atMinutes: [100, 101, 102, 103, 0]).last == .hourlyBudget)
    }

    @Test func `a budget of zero starts nothing`() {
        var policy = PushToStartPolicy()
        policy.hourlyBudget = 0
        var starts = PushToStartBudget(policy: policy, starts: [])
        #expect(
            starts.claim(.adventure(adventure(1), party(1)), outstandingIsConfirmed: true, at: Self.noon)
                == .hourlyBudget
        )
        #expect(starts.starts.isEmpty)
    }

    @Test(arguments: UInt64(0)..<50)
    func `every hour has at most four starts and every day at most eight, of a party three and four`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var starts = nothingStarted()
        var claimed: [PushToStart] = []
        var now = Self.noon
        for _ in 0..<400 {
            now = now + .seconds(Int.random(in: 0...1_800, using: &generator))
            let wanted = adventure(UInt8.random(in: 0...20, using: &generator))
            let outstanding = starts.outstanding(at: now)
            let isConfirmed = Bool.random(using: &generator)
            let leader = party(UInt8.random(in: 0...3, using: &generator))
            let subject = PushToStart.Subject.adventure(wanted, leader)
            if starts.claim(subject, outstandingIsConfirmed: isConfirmed, at: now) == nil {
                #expect(outstanding == nil || isConfirmed)
                claimed.append(PushToStart(subject, at: now))
            }
            // Stored and restored starts lead to the same decisions.
            starts = PushToStartBudget(policy: PushToStartPolicy(), starts: starts.starts)
            #expect(starts.starts.count <= 8)
        }
        #expect(claimed.count > 20, "the test needs starts")
        for start in claimed {
            func count(within duration: Duration, of party: PartyID? = nil) -> Int {
                claimed.count {
                    $0.at <= start.at && start.at - $0.at < duration && (party == nil || party == $0.partyID)
                }
            }
            #expect(count(within: .seconds(3_600)) <= 4)
            #expect(count(within: .seconds(86_400)) <= 8)
            #expect(count(within: .seconds(3_600), of: start.partyID) <= 3)
            #expect(count(within: .seconds(86_400), of: start.partyID) <= 4)
        }
    }

    @Test func `a started journey is fresh for longer than a fight`() {
        let policy = CadencePolicy()
        func seconds(_ kind: AdventureKind, frequent: Bool) -> Int64 {
            policy.staleDateOfStart(of: kind, frequentPushesEnabled: frequent, at: Self.noon) - Self.noon.epochSeconds
        }
        #expect(seconds(.bossFight, frequent: true) == 120 && seconds(.journey, frequent: true) == 240)
        #expect(seconds(.bossFight, frequent: false) == 300 && seconds(.journey, frequent: false) == 600)
    }

    @Test func `every denial has a description of its own`() {
        #expect(Set(StartDenial.allCases.map(\.description)).count == StartDenial.allCases.count)
    }
}
