public import GameCore
public import RangersClient

/// Players who play adventures together, driven step by step; the first of them leads.
public struct StoryParty: Sendable {
    /// The invite code.
    public let inviteCode: String
    private let id: PartyID
    private let members: [SimulatedPlayer]
    private let pollInterval: Duration

    /// Creates a party of players; the first creates it, and the others join with its code.
    /// - Parameters:
    ///   - members: at least one, at most a party's capacity.
    ///   - name: the party's name.
    ///   - pollInterval: the interval in which the party reads its adventure.
    /// - Returns: the party.
    /// - Throws: ``RangersError``.
    public static func gather(
        _ members: [SimulatedPlayer],
        named name: String,
        pollInterval: Duration = .milliseconds(100)
    ) async throws -> StoryParty {
        guard let leader = members.first else { preconditionFailure("a party has at least one member") }
        let party = try await leader.server.createParty(named: name)
        for member in members.dropFirst() {
            _ = try await member.server.join(party.inviteCode)
        }
        return StoryParty(inviteCode: party.inviteCode, id: party.partyID, members: members, pollInterval: pollInterval)
    }

    /// Starts a journey, with an activity on every member's phone.
    public func startJourney(in region: RegionID) async throws -> TrackedAdventure {
        try await follow(try await members[0].server.startJourney(of: id, in: region).adventureID)
    }

    /// Joins a raid, with an activity on every member's phone.
    func joinRaid(_ raid: RaidID) async throws -> TrackedAdventure {
        try await follow(try await members[0].server.joinRaid(raid, with: id).adventureID)
    }

    /// Returns the party's adventure; nil between adventures.
    func runningAdventure() async throws -> AdventureID? {
        try await members[0].server.party(id).adventureID
    }

    /// Starts an activity for a running adventure on every member's phone.
    public func follow(_ adventureID: AdventureID) async throws -> TrackedAdventure {
        let adventure = try await members[0].server.adventure(adventureID)
        let party = try await members[0].server.party(id)
        var activities: [TrackedActivity] = []
        for member in members {
            activities.append(try await member.follow(adventure, of: party))
        }
        return TrackedAdventure(id: adventureID, activities: activities)
    }

    /// Plays an adventure to its end.
    /// - Parameters:
    ///   - adventure: the adventure.
    ///   - limit: the time limit.
    ///   - onEvent: called for every event in order, with the adventure's state shortly after.
    /// - Returns: the longest time that a player needed to read the adventure's events and state.
    /// - Throws: ``RangersError``, ``StoryError``, ``StoryTimeout``, and the errors of `onEvent`.
    @discardableResult
    public func play(
        _ adventure: TrackedAdventure,
        within limit: Duration,
        onEvent: (StoryEvent, AdventureResponse) async throws -> Void = { _, _ in }
    ) async throws -> Duration {
        let deadline = ContinuousClock.now + limit
        var lastSequence = 0
        var maxLag = Duration.zero
        while true {
            let start = ContinuousClock.now
            // Reads the events first, so that the state is at least as new.
            let events = try await members[0].events(of: adventure.id, after: lastSequence)
            let now = try await members[0].server.adventure(adventure.id)
            maxLag = max(maxLag, .now - start)
            for event in events {
                try await onEvent(event, now)
                lastSequence = event.sequence
            }
            if now.isOver, lastSequence == now.sequence { return maxLag }
            guard ContinuousClock.now < deadline else { throw StoryTimeout("the adventure is not over", after: limit) }
            for (member, activity) in zip(members, adventure.activities) {
                try await member.play(in: now, following: activity.id)
            }
            try await Task.sleep(for: pollInterval)
        }
    }

    /// Removes all members, which disbands the party.
    func leave() async throws {
        for member in members { try await member.server.remove(member.id, from: id) }
    }

    /// Returns an adventure's state and events.
    public func record(of adventureID: AdventureID) async throws -> (AdventureResponse, [StoryEvent]) {
        let events = try await members[0].events(of: adventureID, after: 0)
        return (try await members[0].server.adventure(adventureID), events)
    }
}
