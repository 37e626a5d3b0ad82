public import Encodings

/// A party of 1 to 8 players with a leader and an invite code.
///
/// The value implements the membership rules. To change a stored party, a node reads it under its shard's lock, calls
/// one of the mutating methods and writes the party back.
public struct Party: Hashable, Sendable {
    /// The maximum number of members, limited by the space on a Lock Screen and by the 4,096 bytes of a push payload.
    public static let maxCapacity = 8

    /// The identifier; its last byte is the party's shard.
    public let id: PartyID
    /// The name, 1 to 30 characters.
    public let name: String
    /// The code with which any player may join.
    public private(set) var inviteCode: InviteCode
    /// The leader, who may start journeys, remove members and hand over the leadership.
    public private(set) var leaderID: PlayerID
    /// The maximum number of members, 1…8.
    public let capacity: Int
    /// The members in the order of joining; empty only if the party is disbanded.
    public private(set) var members: [Member]
    /// The running adventure, if any.
    public private(set) var adventureID: AdventureID?
    /// The version, which grows with every change.
    public private(set) var version: Int64
    /// Whether the party is disbanded: its last member has left.
    public var isDisbanded: Bool { members.isEmpty }

    /// Creates a party from its stored fields.
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
        precondition((1...Self.maxCapacity).contains(capacity), "the capacity of a party is 1 to 8, not \(capacity)")
        self.id = id
        self.name = name
        self.inviteCode = inviteCode
        self.leaderID = leaderID
        self.capacity = capacity
        self.members = members
        self.adventureID = adventureID
        self.version = version
    }

    /// Creates a new party with its founder as leader and only member.
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

    /// Returns the membership of a player, or nil if the player is not in the party.
    public func member(_ playerID: PlayerID) -> Member? {
        members.first { $0.playerID == playerID }
    }

    /// Adds a member; adding a player again changes nothing.
    /// - Returns: whether the player is a new member.
    /// - Throws: ``PartyRefusal/full`` at the capacity, or ``PartyRefusal/unknownInviteCode`` if the party is
    ///   disbanded.
    public mutating func join(_ newcomer: Member) throws(PartyRefusal) -> Bool {
        guard !isDisbanded else { throw .unknownInviteCode }
        guard member(newcomer.playerID) == nil else { return false }
        guard members.count < capacity else { throw .full }
        members.append(newcomer)
        version += 1
        return true
    }

    /// Removes a member.
    ///
    /// Every member may leave, and the leader may remove others.
    ///
    /// When the leader leaves, the member who joined first becomes leader. When the last member leaves, the party is
    /// disbanded.
    /// - Throws: ``PartyRefusal/notALeader`` if the actor is neither the player nor the leader, or
    ///   ``PartyRefusal/unknownMember`` if the player is not in the party.
    public mutating func remove(_ playerID: PlayerID, by actor: PlayerID) throws(PartyRefusal) {
        guard actor == playerID || actor == leaderID else { throw .notALeader }
        guard let index = members.firstIndex(where: { $0.playerID == playerID }) else { throw .unknownMember }
        members.remove(at: index)
        if playerID == leaderID, let next = members.first {
            leaderID = next.playerID
        }
        version += 1
    }

    /// Changes the name and the hero of a member, and raises its experience.
    ///
    /// A running adventure goes on with the hero that it began with.
    /// - Parameters:
    ///   - playerID: the member.
    ///   - displayName: the name.
    ///   - hero: the hero.
    ///   - experience: the experience of the player's adventures that are known; the member may have gained more just now.
    /// - Returns: whether the party changed; false if the player is not in it, or has this name, this hero and this
    ///   experience already.
    public mutating func changeProfile(
        of playerID: PlayerID,
        displayName: String,
        hero: HeroID,
        experience: Int = 0
    ) -> Bool {
        guard let index = members.firstIndex(where: { $0.playerID == playerID }) else { return false }
        let before = members[index]
        members[index].displayName = displayName
        members[index].hero = hero
        members[index].experience = max(before.experience, experience)
        guard members[index] != before else { return false }
        version += 1
        return true
    }

    /// Makes another member the leader.
    /// - Throws: ``PartyRefusal/notALeader`` if the actor is not the leader, or ``PartyRefusal/unknownMember`` if the
    ///   player is not in the party.
    public mutating func transferLeadership(to playerID: PlayerID, by actor: PlayerID) throws(PartyRefusal) {
        guard actor == leaderID else { throw .notALeader }
        guard member(playerID) != nil else { throw .unknownMember }
        leaderID = playerID
        version += 1
    }

    /// Replaces the invite code; the old one is invalid from then on.
    /// - Throws: ``PartyRefusal/notALeader`` if the actor is not the leader.
    public mutating func replaceInviteCode(with code: InviteCode, by actor: PlayerID) throws(PartyRefusal) {
        guard actor == leaderID else { throw .notALeader }
        inviteCode = code
        version += 1
    }

    /// Records the start of an adventure.
    /// - Parameters:
    ///   - adventureID: the adventure, which must be in the party's shard.
    ///   - actor: the player who starts it; nil for an operator.
    /// - Throws: ``PartyRefusal/notALeader`` if the actor is a player other than the leader,
    ///   ``PartyRefusal/disbanded``, or ``PartyRefusal/adventureRunning`` if an adventure is running.
    public mutating func startAdventure(_ adventureID: AdventureID, by actor: PlayerID?) throws(PartyRefusal) {
        precondition(adventureID.shard == id.shard, "an adventure must be in the shard of its party")
        if let actor, actor != leaderID { throw .notALeader }
        guard !isDisbanded else { throw .disbanded }
        guard self.adventureID == nil else { throw .adventureRunning }
        self.adventureID = adventureID
        version += 1
    }

    /// Disbands the party by removing all members.
    /// - Throws: ``PartyRefusal/disbanded``, or ``PartyRefusal/adventureRunning`` if its adventure has not ended.
    public mutating func disband() throws(PartyRefusal) {
        guard !isDisbanded else { throw .disbanded }
        guard adventureID == nil else { throw .adventureRunning }
        members.removeAll()
        version += 1
    }

    /// Records the end of the running adventure.
    /// - Parameter experience: the experience of the adventure's heroes, by player.
    public mutating func endAdventure(experience: [PlayerID: Int]) {
        adventureID = nil
        for index in members.indices {
            // The player may have gained more in another party meanwhile.
            members[index].experience = max(members[index].experience, experience[members[index].playerID] ?? 0)
        }
        version += 1
    }
}

/// A member of a party: a player with a hero.
public struct Member: Hashable, Sendable {
    /// The player.
    public let playerID: PlayerID
    /// The player's name, 1 to 30 characters.
    public internal(set) var displayName: String
    /// The hero in the catalogue.
    public internal(set) var hero: HeroID
    /// The experience that the player has gained in all parties, as far as this one knows, 0 or more.
    public internal(set) var experience: Int
    /// The time at which the player joined the party.
    public let joinedAt: Timestamp

    /// The hero's level, 1…``Hero/maxLevel``.
    public var level: Int { Hero.level(forExperience: experience) }

    /// Creates a member.
    public init(playerID: PlayerID, displayName: String, hero: HeroID, experience: Int, joinedAt: Timestamp) {
        self.playerID = playerID
        self.displayName = displayName
        self.hero = hero
        self.experience = experience
        self.joinedAt = joinedAt
    }
}

/// The reason why a party refused a change; the party is then unchanged.
public enum PartyRefusal: String, Error, Hashable, Sendable, CaseIterable {
    /// The party already has as many members as its capacity.
    case full
    /// No existing party has the invite code.
    case unknownInviteCode
    /// Only the leader may make this change.
    case notALeader
    /// The player is not in the party.
    case unknownMember
    /// The party has a running adventure.
    case adventureRunning
    /// The party is disbanded.
    case disbanded
}
