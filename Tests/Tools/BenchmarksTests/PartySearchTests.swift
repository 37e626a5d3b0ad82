import Foundation
import GameCore
import Testing

@testable import Benchmarks

@Suite struct PartySearchTests {
    private static let party = PartyID(rawValue: UUID())
    private static let leader = PlayerID(rawValue: UUID())
    private static let member = PlayerID(rawValue: UUID())
    private static let first = AdventureID(rawValue: UUID())
    private static let second = AdventureID(rawValue: UUID())

    private func party(
        _ version: Int64,
        leader: PlayerID = leader,
        code: String = "A",
        members: [PlayerID] = [leader],
        on adventureID: AdventureID? = nil
    ) -> PartySnapshot {
        PartySnapshot(
            partyID: Self.party,
            version: version,
            leaderID: leader,
            inviteCode: code,
            members: members,
            adventureID: adventureID
        )
    }

    private func request(
        _ effect: PartySearch.Effect,
        by actor: PlayerID = leader,
        _ seen: PartySnapshot? = nil,
        from start: Int,
        to end: Int?,
        expecting version: Int64? = nil
    ) -> PartySearch.Operation {
        PartySearch.Operation(
            name: "request \(start)",
            actor: actor,
            effect: effect,
            seen: seen,
            expectedVersion: version,
            invokedAt: .seconds(start),
            respondedAt: end.map { .seconds($0) }
        )
    }

    private var creation: PartySearch.Operation { request(.create, party(1), from: 0, to: 1) }

    private func verdict(_ operations: [PartySearch.Operation], within bound: Int = 1_000) -> PartySearch.Verdict {
        PartySearch([creation] + operations).verdict(within: bound)
    }

    private func isViolation(_ operations: [PartySearch.Operation]) -> Bool {
        if case .violation = verdict(operations) { true } else { false }
    }

    @Test func `a party's life is explained, with the service's own changes`() {
        let both = [Self.leader, Self.member]
        let requests = [
            request(.join, by: Self.member, party(2, members: both), from: 2, to: 5),
            // Concurrent with the join.
            request(.read, party(1), from: 3, to: 4),
            request(.start(Self.first), from: 6, to: 7),
            request(.read, party(3, members: both, on: Self.first), from: 8, to: 9),
            // The adventure ends, an operator starts one, and it ends, too.
            request(.read, by: Self.member, party(6, members: both), from: 10, to: 11),
            request(.handOver(to: Self.member), party(7, leader: Self.member, members: both), from: 12, to: 13),
            request(
                .renewCode,
                by: Self.member,
                party(8, leader: Self.member, code: "B", members: both),
                from: 14,
                to: 15,
                expecting: 7
            ),
            request(.refused(from: 7), by: Self.member, from: 14, to: 16),
            request(.remove(Self.leader), from: 17, to: 18),
            request(.absent, from: 19, to: 20),
            request(
                .read,
                by: Self.member,
                party(9, leader: Self.member, code: "B", members: [Self.member]),
                from: 21,
                to: 22
            ),
        ]
        #expect(verdict(requests) == .linearizable)
    }

    @Test func `a read that misses a start is found without a version in the start's response`() {
        let start = request(.start(Self.first), from: 2, to: 3)
        let stale = request(.read, party(1), from: 4, to: 5)
        let later = request(.read, party(2, on: Self.first), from: 6, to: 7)
        #expect(verdict([start, later]) == .linearizable)
        #expect(isViolation([start, stale, later]))
        // Beside the start, the same read is right.
        #expect(verdict([start, request(.read, party(1), from: 2, to: 5), later]) == .linearizable)
    }

    @Test func `a second adventure begins only after the first`() {
        let starts = [request(.start(Self.first), from: 2, to: 3), request(.start(Self.second), from: 4, to: 5)]
        // The service ended the first one in between.
        #expect(verdict(starts + [request(.read, party(4, on: Self.second), from: 6, to: 7)]) == .linearizable)
        #expect(isViolation(starts + [request(.read, party(3, on: Self.second), from: 6, to: 7)]))
    }

    @Test func `a lost start is found`() {
        let start = request(.start(Self.first), from: 2, to: 3)
        let renewal = request(.renewCode, party(2, code: "B"), from: 4, to: 5)
        #expect(isViolation([start, renewal]))
    }

    @Test func `a write with an unknown outcome may be carried out late, or never`() {
        let unknown = request(.renewCode, from: 2, to: nil)
        let before = request(.read, party(1), from: 3, to: 4)
        #expect(verdict([unknown, before]) == .linearizable)
        #expect(verdict([unknown, before, request(.read, party(2, code: "B"), from: 5, to: 6)]) == .linearizable)
        // Not before it was sent, and not twice.
        #expect(
            isViolation([request(.renewCode, from: 5, to: nil), request(.read, party(2, code: "B"), from: 2, to: 3)])
        )
        #expect(isViolation([unknown, request(.read, party(3, code: "C"), from: 5, to: 6)]))
    }

    @Test func `a member who has joined never gets the response of a stranger`() {
        let join = request(
            .join,
            by: Self.member,
            party(2, members: [Self.leader, Self.member]),
            from: 2,
            to: 3
        )
        #expect(isViolation([join, request(.absent, by: Self.member, from: 4, to: 5)]))
        #expect(verdict([join, request(.absent, by: Self.member, from: 2, to: 5)]) == .linearizable)
    }

    @Test func `only the leader leads, and a refusal for another version needs one`() {
        let other = request(.renewCode, by: Self.member, party(2, code: "B"), from: 2, to: 3)
        #expect(isViolation([other]))
        #expect(
            isViolation([request(.refused(from: 1), from: 2, to: 3), request(.read, party(1), from: 4, to: 5)])
        )
    }

    @Test func `a search beyond its bound is undecided`() {
        let unknown = (0..<12).map { _ in request(.renewCode, from: 2, to: nil) }
        let impossible = request(.read, party(9, members: [Self.member]), from: 4, to: 5)
        #expect(verdict(unknown + [impossible], within: 100) == .undecided)
    }
}
