public import Encodings

/// 1 to 8 heroes with a leader and an invite code.
///
/// The rules of membership are here, as a value; whoever changes a party reads it under its shard's lock, calls one
/// of these methods and writes it back.
public struct Party: Hashable, Sendable {
    /// The most members a party can have: what a Lock Screen can show and 4,096 bytes can hold.
    public static let largestCapacity = 8

    /// Its last byte is the party's shard.
    public let id: PartyID
    /// 1 to 30 characters.
    public let name: String
    /// Whoever knows it may join.
    public private(set) var inviteCode: InviteCode
    /// Starts journeys, removes members, hands over.
    public private(set) var leaderID: PlayerID
    /// 1…8.
    public let capacity: Int
    /// In the order of joining; never empty while the party is not disbanded.
    public private(set) var members: [Member]
    /// The running adventure, nil when the party is idle.
    public private(set) var adventureID: AdventureID?
    /// Grows with every change.
    public private(set) var version: Int64
    /// Whether the last member has left.
    public var isDisbanded: Bool { members.isEmpty }

    /// A party as it was stored.
    public init(
        id: PartyID,
        name: String,
        inviteCode: InviteCode,
        leaderID: PlayerID,
        capacity: Int,
        members: [Member],
        adventureID: AdventureID?,
        version: Int64
    ) {
        precondition((1...Self.largestCapacity).contains(capacity), "a party holds 1 to 8 members, not \(capacity)")
        self.id = id
        self.name = name
        self.inviteCode = inviteCode
        self.leaderID = leaderID
        self.capacity = capacity
        self.members = members
        self.adventureID = adventureID
        self.version = version
    }

    /// A new party with its founder as leader and only member.
    public init(id: PartyID, name: String, inviteCode: InviteCode, capacity: Int, founder: Member) {
        self.init(
            id: id,
            name: name,
            inviteCode: inviteCode,
            leaderID: founder.playerID,
            capacity: capacity,
            members: [founder],
            adventureID: nil,
            version: 1
        )
    }

    /// The member that a player is, nil when the player is none.
    public func member(_ playerID: PlayerID) -> Member? {
        members.first { $0.playerID == playerID }
    }

    /// Lets a player in; joining twice changes nothing.
    /// - Returns: whether the player is new.
    /// - Throws: ``PartyRefusal/full`` or ``PartyRefusal/unknownInviteCode`` (the party was disbanded).
    public mutating func join(_ newcomer: Member) throws(PartyRefusal) -> Bool {
        guard !isDisbanded else { throw .unknownInviteCode }
        guard member(newcomer.playerID) == nil else { return false }
        guard members.count < capacity else { throw .full }
        members.append(newcomer)
        version += 1
        return true
    }

    /// Takes a member out: everyone may leave, the leader may remove.
    ///
    /// When the leader leaves, the longest-standing member leads next; when the last one leaves, the party is
    /// disbanded.
    /// - Throws: ``PartyRefusal/notALeader`` or ``PartyRefusal/unknownMember``.
    public mutating func remove(_ playerID: PlayerID, by actor: PlayerID) throws(PartyRefusal) {
        guard actor == playerID || actor == leaderID else { throw .notALeader }
        guard let index = members.firstIndex(where: { $0.playerID == playerID }) else { throw .unknownMember }
        members.remove(at: index)
        if playerID == leaderID, let next = members.first {
            leaderID = next.playerID
        }
        version += 1
    }

    /// Makes another member the leader.
    /// - Throws: ``PartyRefusal/notALeader`` or ``PartyRefusal/unknownMember``.
    public mutating func handOver(to playerID: PlayerID, by actor: PlayerID) throws(PartyRefusal) {
        guard actor == leaderID else { throw .notALeader }
        guard member(playerID) != nil else { throw .unknownMember }
        leaderID = playerID
        version += 1
    }

    /// Puts a new invite code in the place of the old one, which is dead from then on.
    /// - Throws: ``PartyRefusal/notALeader``.
    public mutating func replaceInviteCode(with code: InviteCode, by actor: PlayerID) throws(PartyRefusal) {
        guard actor == leaderID else { throw .notALeader }
        inviteCode = code
        version += 1
    }

    /// Sets out: the party has a running adventure from now on.
    /// - Parameters:
    ///   - adventureID: the adventure, in the party's shard.
    ///   - actor: the player who asks, nil for an operator.
    /// - Throws: ``PartyRefusal/notALeader`` or ``PartyRefusal/adventureRunning``.
    public mutating func setOut(on adventureID: AdventureID, by actor: PlayerID?) throws(PartyRefusal) {
        precondition(adventureID.shard == id.shard, "an adventure lives in the shard of its party")
        if let actor, actor != leaderID { throw .notALeader }
        guard !isDisbanded else { throw .disbanded }
        guard self.adventureID == nil else { throw .adventureRunning }
        self.adventureID = adventureID
        version += 1
    }

    /// Disbands the party: nobody is a member of it any more.
    /// - Throws: ``PartyRefusal/disbanded``, or ``PartyRefusal/adventureRunning``: the adventure is to be ended first.
    public mutating func disband() throws(PartyRefusal) {
        guard !isDisbanded else { throw .disbanded }
        guard adventureID == nil else { throw .adventureRunning }
        members.removeAll()
        version += 1
    }

    /// Comes home: the running adventure is over.
    /// - Parameter experience: what each hero knows who comes home, by player.
    public mutating func comeHome(experience: [PlayerID: Int]) {
        adventureID = nil
        for index in members.indices {
            members[index].experience = experience[members[index].playerID] ?? members[index].experience
        }
        version += 1
    }
}

/// A player in a party, with the hero the player brings.
public struct Member: Hashable, Sendable {
    /// Who it is.
    public let playerID: PlayerID
    /// 1 to 30 characters.
    public let displayName: String
    /// Which hero of the catalogue.
    public let hero: HeroID
    /// All that the hero has learned in this party, 0 and up.
    public internal(set) var experience: Int
    /// When the player joined: the longest-standing member leads next.
    public let joinedAt: Timestamp

    /// The hero's level, 1…``Hero/highestLevel``.
    public var level: Int { Hero.level(forExperience: experience) }

    /// A member of a party.
    public init(playerID: PlayerID, displayName: String, hero: HeroID, experience: Int, joinedAt: Timestamp) {
        self.playerID = playerID
        self.displayName = displayName
        self.hero = hero
        self.experience = experience
        self.joinedAt = joinedAt
    }
}

/// Why a party refused a change; the party is untouched.
public enum PartyRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// As many members as the capacity allows are in it.
    case full
    /// No party that still exists has the invite code.
    case unknownInviteCode
    /// Only the leader may do this.
    case notALeader
    /// The player is not in the party.
    case unknownMember
    /// The party has a running adventure already.
    case adventureRunning
    /// Nobody is left in the party.
    case disbanded
}
