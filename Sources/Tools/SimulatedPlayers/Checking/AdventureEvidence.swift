import GameCore
import PushCadence
public import RangersClient

/// The records of an adventure: on the server, on the phones, and in the simulator's push log.
public struct AdventureEvidence: Sendable {
    /// The interval of polling the phones.
    private static let pollInterval = Duration.milliseconds(100)
    /// The time without a push after which all pushes are considered to have arrived: the minimum spacing of pushes,
    /// plus a margin for a busy machine.
    private static let quietPeriod = CadencePolicy.minimumSpacing + .milliseconds(500)
    /// The maximum wait for the quiet period; the checks report pushes that arrive after `end`.
    private static let maxQuietWait = Duration.seconds(10)

    /// The tolerated delay of a push on an idle machine: polling and transactions.
    private static let idleDelay = Duration.seconds(2)

    /// The activities that show the adventure.
    let activities: [TrackedActivity]
    /// The adventure's state on the server.
    public let adventure: AdventureResponse
    /// The adventure's events, in order.
    public let events: [StoryEvent]
    /// The activities on the phones.
    let shown: [ActivityID: PhoneResponse.Activity]
    /// The pushes that APNs accepted for each activity, in order.
    let pushes: [ActivityID: [LoggedPush]]
    /// The violations by pushes to these activities, or to unknown tokens.
    let violations: [ViolationResponse]
    /// The activities that a visitor of the page has changed: by a swipe, a setting, a new token or a fault, or by
    /// taking the phone offline.
    private let changedActivities: Set<ActivityID>
    /// The longest time that a player needed to read the adventure's state: a measure of how busy the machine was.
    let maxLag: Duration

    /// Gathers the evidence once every activity has received `end`, or after a time limit; the checks then report the
    /// missing ends.
    ///
    /// Waits until no more pushes arrive, to detect surplus ones.
    /// - Parameters:
    ///   - adventure: an adventure that is over.
    ///   - party: the party that played it.
    ///   - simulator: the simulator with the phones.
    ///   - limit: the maximum wait for the ends.
    ///   - serverWasKilled: whether a server was killed during the adventure. Pushes that it sent but did not record
    ///     are then repeated with the same `apns-id` and count once; otherwise every push counts.
    ///   - maxLag: the longest time that a player needed to read the adventure's state.
    /// - Returns: the evidence.
    /// - Throws: ``RangersError``.
    public static func gather(
        of adventure: TrackedAdventure,
        of party: StoryParty,
        from simulator: SimulatorClient,
        waitingFor limit: Duration,
        serverWasKilled: Bool,
        maxLag: Duration = .zero
    ) async throws -> AdventureEvidence {
        try await gather(
            of: [(adventure, party, maxLag)],
            from: simulator,
            waitingFor: limit,
            serverWasKilled: serverWasKilled
        )[0]
    }

    /// Gathers the evidence of several adventures that are over at about the same time, as for one.
    static func gather(
        of adventures: [(adventure: TrackedAdventure, party: StoryParty, maxLag: Duration)],
        from simulator: SimulatorClient,
        waitingFor limit: Duration,
        serverWasKilled: Bool
    ) async throws -> [AdventureEvidence] {
        let activities = adventures.flatMap(\.adventure.activities)
        let ids = Set(activities.map(\.id))
        let deadline = ContinuousClock.now + limit
        while true {
            let shown = try await simulator.phones().flatMap(\.activities).filter { ids.contains($0.activityID) }
            if shown.allSatisfy(\.isEndedByPush) || ContinuousClock.now >= deadline { break }
            try await Task.sleep(for: Self.pollInterval)
        }
        let pushes = try await pushesOnceQuiet(to: activities, from: simulator)
        let (phones, violations) = (try await simulator.phones(), try await simulator.violations())
        var all: [AdventureEvidence] = []
        for (adventure, party, maxLag) in adventures {
            let (state, events) = try await party.record(of: adventure.id)
            all.append(
                AdventureEvidence(
                    activities: adventure.activities,
                    adventure: state,
                    events: events,
                    phones: phones,
                    pushes: pushes,
                    violations: violations,
                    serverWasKilled: serverWasKilled,
                    maxLag: maxLag
                )
            )
        }
        return all
    }

    /// Returns all pushes since the activities started, once no more arrive for them.
    private static func pushesOnceQuiet(
        to activities: [TrackedActivity],
        from simulator: SimulatorClient
    ) async throws -> [LoggedPush] {
        let ids = Set(activities.map(\.id))
        let deadline = ContinuousClock.now + maxQuietWait
        var pushes = try await simulator.pushes(after: activities.map(\.lastPushBefore).min() ?? 0)
        var lastPushTime = ContinuousClock.now
        while ContinuousClock.now < min(lastPushTime + quietPeriod, deadline) {
            try await Task.sleep(for: pollInterval)
            let more = try await simulator.pushes(after: pushes.last?.number ?? 0)
            pushes += more
            if more.contains(where: { $0.activityID.map(ids.contains) ?? false }) { lastPushTime = .now }
        }
        return pushes
    }

    /// Selects the records of the adventure from those of all phones and pushes.
    init(
        activities: [TrackedActivity],
        adventure: AdventureResponse,
        events: [StoryEvent],
        phones: [PhoneResponse],
        pushes: [LoggedPush],
        violations: [ViolationResponse],
        serverWasKilled: Bool,
        maxLag: Duration = .zero
    ) {
        let ids = Set(activities.map(\.id))
        self.activities = activities
        self.adventure = adventure
        self.events = events
        self.maxLag = maxLag
        shown = phones.flatMap(\.activities).filter { ids.contains($0.activityID) }
            .reduce(into: [:]) { $0[$1.activityID] = $1 }
        self.pushes = pushes.reduce(into: [:]) { pushes, push in
            guard push.isAccepted, let id = push.activityID, ids.contains(id) else { return }
            if serverWasKilled, pushes[id]?.contains(where: { $0.apnsID == push.apnsID }) == true { return }
            pushes[id, default: []].append(push)
        }
        let endedByVisitor = phones.flatMap(\.activities).filter { ["person", "settings"].contains($0.endedBy) }
        changedActivities = ids.intersection(
            endedByVisitor.map(\.activityID) + pushes.filter(\.showsVisitorsChange).compactMap(\.activityID)
        )
        self.violations = violations.filter { $0.activityID.map(ids.contains) ?? true }
    }

    /// The tolerated delay of a push.
    ///
    /// A push takes several steps, from the event's transaction to the phone, and a busy machine can delay each. A limit
    /// would turn a stalled machine into missing alerts, so the report names the delay instead.
    var toleratedDelay: Duration { Self.idleDelay + maxLag * 2 }

    /// The activities to judge: those that no visitor of the page has changed.
    var judgedActivities: [TrackedActivity] { activities.filter { !changedActivities.contains($0.id) } }

    /// Returns the accepted pushes for an activity.
    func pushes(to activity: TrackedActivity) -> [LoggedPush] {
        pushes[activity.id] ?? []
    }

    /// Returns the activity's owner and adventure, for fault messages.
    func name(of activity: TrackedActivity) -> String {
        switch adventure.kind.value {
        case nil: "\(activity.role.displayName)'s phone, \(adventure.kind.rawValue)"
        case .journey: "\(activity.role.displayName)'s phone, journey"
        case .bossFight: "\(activity.role.displayName)'s phone, boss fight"
        case .raid: "\(activity.role.displayName)'s phone, raid"
        }
    }
}

extension LoggedPush {
    /// The reactions of a phone that a visitor has taken offline.
    private static let offlineReactions: Set = ["offline", "stored", "replaced", "expired"]

    /// Whether it shows that a visitor of the page has changed the phone, its token or its pushes.
    fileprivate var showsVisitorsChange: Bool {
        fault != nil || reason == "Unregistered" || reaction.map(Self.offlineReactions.contains) ?? false
    }
}
