import GameCore
import PushCadence
public import RangersClient

/// What an adventure has left behind: on the server, on the phones, and on the way between them.
public struct AdventureEvidence: Sendable {
    /// Between two looks at the phones.
    private static let pause = Duration.milliseconds(100)
    /// How long nothing must come before all is taken to have come: what is sent too much follows at the spacing of
    /// pushes, and a busy machine takes its time.
    private static let lull = CadencePolicy.minimumSpacing + .milliseconds(500)
    /// How long to wait for that lull: who is still pushed to by then is pushed to after its end, which is a fault.
    private static let longestUnrest = Duration.seconds(10)

    /// The activities that followed it.
    let activities: [FollowedActivity]
    /// How it stands, as PostgreSQL has it.
    public let adventure: AdventureAnswer
    /// Everything that happened in it, in order.
    public let events: [StoryEvent]
    /// What the phones have of it, by activity.
    let shown: [ActivityID: PhoneAnswer.Activity]
    /// What APNs took for each activity, in order.
    let pushes: [ActivityID: [PushAnswer]]
    /// What the simulator found wrong about pushes for it, or about pushes for nobody.
    let violations: [ViolationAnswer]

    /// Gathers it once every phone has had its `end`, or when that takes too long: the check then says who lacks it.
    ///
    /// Then it waits until no more pushes come, so that one too many is found.
    /// - Parameters:
    ///   - followed: an adventure that is over.
    ///   - party: whose it is.
    ///   - simulator: where the phones are.
    ///   - limit: how long to wait for the ends.
    ///   - serverWasKilled: whether a server was killed in the middle. What it had sent and not yet written down is
    ///     then sent again under the same `apns-id`, and counts once; otherwise every push counts.
    /// - Returns: the evidence.
    /// - Throws: ``RangersError``.
    public static func gather(
        of followed: FollowedAdventure,
        of party: SimulatedParty,
        from simulator: SimulatorClient,
        waitingFor limit: Duration,
        serverWasKilled: Bool
    ) async throws -> AdventureEvidence {
        let ids = Set(followed.activities.map(\.id))
        let deadline = ContinuousClock.now + limit
        while true {
            let shown = try await simulator.phones().flatMap(\.activities).filter { ids.contains($0.activityID) }
            if shown.allSatisfy(\.isEndedByPush) || ContinuousClock.now >= deadline { break }
            try await Task.sleep(for: Self.pause)
        }
        let pushes = try await pushesOnceQuiet(to: followed.activities, from: simulator)
        let (adventure, events) = try await party.record(of: followed.id)
        return AdventureEvidence(
            activities: followed.activities,
            adventure: adventure,
            events: events,
            phones: try await simulator.phones(),
            pushes: pushes,
            violations: try await simulator.violations(),
            serverWasKilled: serverWasKilled
        )
    }

    /// Every push since the activities were there, once no more come for them.
    private static func pushesOnceQuiet(
        to activities: [FollowedActivity],
        from simulator: SimulatorClient
    ) async throws -> [PushAnswer] {
        let ids = Set(activities.map(\.id))
        let deadline = ContinuousClock.now + longestUnrest
        var pushes = try await simulator.pushes(after: activities.map(\.lastPushBefore).min() ?? 0)
        var lastNews = ContinuousClock.now
        while ContinuousClock.now < min(lastNews + lull, deadline) {
            try await Task.sleep(for: pause)
            let more = try await simulator.pushes(after: pushes.last?.number ?? 0)
            pushes += more
            if more.contains(where: { $0.activityID.map(ids.contains) ?? false }) { lastNews = .now }
        }
        return pushes
    }

    /// The part of what all phones and all pushes tell that is about the adventure.
    init(
        activities: [FollowedActivity],
        adventure: AdventureAnswer,
        events: [StoryEvent],
        phones: [PhoneAnswer],
        pushes: [PushAnswer],
        violations: [ViolationAnswer],
        serverWasKilled: Bool
    ) {
        let ids = Set(activities.map(\.id))
        self.activities = activities
        self.adventure = adventure
        self.events = events
        shown = phones.flatMap(\.activities).filter { ids.contains($0.activityID) }
            .reduce(into: [:]) { $0[$1.activityID] = $1 }
        self.pushes = pushes.reduce(into: [:]) { pushes, push in
            guard push.isAccepted, let id = push.activityID, ids.contains(id) else { return }
            if serverWasKilled, pushes[id]?.contains(where: { $0.apnsID == push.apnsID }) == true { return }
            pushes[id, default: []].append(push)
        }
        self.violations = violations.filter { $0.activityID.map(ids.contains) ?? true }
    }

    /// What APNs took for an activity.
    func pushes(to activity: FollowedActivity) -> [PushAnswer] {
        pushes[activity.id] ?? []
    }

    /// Whether a hero went down between the state that one push brought and that of another.
    func tellsOfFall(after before: PushAnswer, through push: PushAnswer) -> Bool {
        guard let last = before.sequence, let newest = push.sequence else { return false }
        return events.contains { event in
            guard case .heroDown = event.event else { return false }
            return event.sequence > last && event.sequence <= newest
        }
    }

    /// Whose phone it is and what it shows, for faults.
    func name(of activity: FollowedActivity) -> String {
        switch adventure.kind.value {
        case nil: "\(activity.role.displayName)'s phone, \(adventure.kind.rawValue)"
        case .journey: "\(activity.role.displayName)'s phone, journey"
        case .bossFight: "\(activity.role.displayName)'s phone, boss fight"
        }
    }
}
