import Encodings
import GameCore
import Testing

@Suite struct PartyTests {
    private func member(_ number: UInt64) -> Member {
        var generator = CountingBits(next: number)
        return Member(
            playerID: PlayerID(at: Timestamp(epochSeconds: 1), using: &generator),
            displayName: "Player \(number)",
            hero: "spouty",
            experience: 0,
            joinedAt: Timestamp(epochSeconds: Int64(number))
        )
    }

    private func party(capacity: Int = 3, of numbers: [UInt64]) throws -> Party {
        var generator = CountingBits(next: 99)
        var party = Party(
            id: PartyID(at: Timestamp(epochSeconds: 1), using: &generator),
            name: "Party",
            inviteCode: InviteCode(using: &generator),
            capacity: capacity,
            founder: member(numbers[0])
        )
        for number in numbers.dropFirst() { _ = try party.join(member(number)) }
        return party
    }

    @Test func `a full party refuses another member`() throws {
        var party = try party(of: [1, 2, 3])
        let before = party
        #expect(throws: PartyRefusal.full) { try party.join(member(4)) }
        #expect(party == before)
    }

    @Test func `joining twice changes nothing, even when the party is full`() throws {
        var party = try party(of: [1, 2, 3])
        let before = party
        #expect(try party.join(member(2)) == false)
        #expect(party == before)
    }

    @Test func `the first member to have joined succeeds the leader, and the last to leave disbands the party`() throws
    {
        var party = try party(of: [1, 2, 3])
        try party.remove(member(1).playerID, by: member(1).playerID)
        #expect(party.leaderID == member(2).playerID)
        try party.remove(member(3).playerID, by: member(2).playerID)
        try party.remove(member(2).playerID, by: member(2).playerID)
        #expect(party.isDisbanded)
        #expect(throws: PartyRefusal.unknownInviteCode) { try party.join(member(4)) }
    }

    @Test func `only the leader may remove others, transfer the leadership, renew the code and start adventures`()
        throws
    {
        var party = try party(of: [1, 2, 3])
        let (leader, other) = (member(1).playerID, member(2).playerID)
        var generator = CountingBits(next: 5)
        let code = InviteCode(using: &generator)
        let adventure = AdventureID(at: Timestamp(epochSeconds: 1), in: party.id.shard, using: &generator)
        #expect(throws: PartyRefusal.notALeader) { try party.remove(leader, by: other) }
        #expect(throws: PartyRefusal.notALeader) { try party.transferLeadership(to: other, by: other) }
        #expect(throws: PartyRefusal.notALeader) { try party.replaceInviteCode(with: code, by: other) }
        #expect(throws: PartyRefusal.notALeader) { try party.startAdventure(adventure, by: other) }
        try party.replaceInviteCode(with: code, by: leader)
        try party.transferLeadership(to: other, by: leader)
        try party.startAdventure(adventure, by: other)
        #expect(party.inviteCode == code && party.leaderID == other && party.adventureID == adventure)
        #expect(throws: PartyRefusal.adventureRunning) { try party.startAdventure(adventure, by: nil) }
    }

    @Test func `the end of an adventure updates experience and version`() throws {
        var party = try party(of: [1, 2])
        let version = party.version
        party.endAdventure(experience: [member(2).playerID: 340])
        #expect(party.members.map(\.experience) == [0, 340])
        #expect(party.members.map(\.level) == [1, 3])
        #expect(party.version == version + 1)
    }

    @Test func `players outside the party cannot become leader or be removed`() throws {
        var party = try party(of: [1, 2])
        #expect(throws: PartyRefusal.unknownMember) {
            try party.transferLeadership(to: member(9).playerID, by: party.leaderID)
        }
        #expect(throws: PartyRefusal.unknownMember) { try party.remove(member(9).playerID, by: party.leaderID) }
    }
}

/// A generator with predictable, distinct numbers.
struct CountingBits: RandomNumberGenerator {
    var upcoming: UInt64

    init(next: UInt64) { upcoming = next &* 0x9e37_79b9_7f4a_7c15 }

    mutating func next() -> UInt64 {
        defer { upcoming &+= 0x1234_5678_9abc_def1 }
        return upcoming
    }
}
