public import GameCore
public import RangersClient

/// Players who go on adventures together; the first of them leads.
public struct SimulatedParty: Sendable {
    /// Between two looks at the server.
    private static let pause = Duration.milliseconds(100)

    /// What a companion types to join.
    public let inviteCode: String
    private let id: PartyID
    private let name: String
    private let members: [SimulatedPlayer]

    /// Makes a party of players: the first creates it, the others join by its code.
    /// - Parameters:
    ///   - members: at least one, at most a party's capacity.
    ///   - name: the party's name.
    /// - Returns: the party.
    /// - Throws: ``RangersError``.
    public static func gather(_ members: [SimulatedPlayer], named name: String) async throws -> SimulatedParty {
        guard let leader = members.first else { preconditionFailure("a party has at least one member") }
        let party = try await leader.server.createParty(named: name)
        for member in members.dropFirst() {
            _ = try await member.server.join(party.inviteCode)
        }
        return SimulatedParty(inviteCode: party.inviteCode, id: party.partyID, name: name, members: members)
    }

    /// The leader starts a journey, and every member's phone follows it.
    public func startJourney(in region: RegionID) async throws -> FollowedAdventure {
        try await follow(try await members[0].server.startJourney(of: id, in: region).adventureID)
    }

    /// Every member's phone follows an adventure that has started.
    public func follow(_ adventureID: AdventureID) async throws -> FollowedAdventure {
        var activities: [FollowedActivity] = []
        for member in members {
            activities.append(try await member.follow(adventureID, of: name))
        }
        return FollowedAdventure(id: adventureID, activities: activities)
    }

    /// Plays an adventure to its end.
    /// - Parameters:
    ///   - adventure: what to play.
    ///   - limit: how long it may take.
    ///   - onNews: hears of every event in order, with the adventure as it was soon after.
    /// - Returns: the adventure as it ended.
    /// - Throws: ``RangersError``, ``StoryError``, ``StoryTimeout``, and what `onNews` throws.
    @discardableResult
    public func play(
        _ adventure: FollowedAdventure,
        within limit: Duration,
        onNews: (StoryEvent, AdventureResponse) async throws -> Void = { _, _ in }
    ) async throws -> AdventureResponse {
        let deadline = ContinuousClock.now + limit
        var seen = 0
        while true {
            // The events first: the adventure is then at least as new as they are.
            let events = try await members[0].events(of: adventure.id, after: seen)
            let now = try await members[0].server.adventure(adventure.id)
            for event in events {
                try await onNews(event, now)
                seen = event.sequence
            }
            if now.isOver, seen == now.sequence { return now }
            guard ContinuousClock.now < deadline else { throw StoryTimeout("the adventure is not over", after: limit) }
            for (member, activity) in zip(members, adventure.activities) {
                try await member.play(in: now, following: activity.id)
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Everything that happened in an adventure, and how it stands.
    public func record(of adventureID: AdventureID) async throws -> (AdventureResponse, [StoryEvent]) {
        let events = try await members[0].events(of: adventureID, after: 0)
        return (try await members[0].server.adventure(adventureID), events)
    }
}
