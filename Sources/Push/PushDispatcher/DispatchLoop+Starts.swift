import Encodings
import GameCore
import GameStore
import Logging
import PushCadence
import PushDispatch
import PushRules
import ServiceRuntime

/// The request to start activities of an adventure that has started.
struct AdventureStart {
    /// The log position of the start.
    let position: Int64
    let request: StartRequest
}

extension DispatchLoop {
    /// Keeps the start of an adventure until the grace period of its members' apps is over.
    func observeStart(_ entry: LogEntry, of followed: FollowedShard) {
        let now = runtime.now()
        guard
            case .started = entry.content, let adventureID = entry.adventureID,
            now - entry.at < settings.policy.pushToStart.maxRequestAge
        else {
            return
        }
        // Not in the future, even if the database's clock is ahead.
        let request = StartRequest(
            adventureID: adventureID,
            occasion: .adventureStarted,
            requestedAt: min(entry.at, now),
            trace: entry.trace
        )
        followed.adventureStarts.append(AdventureStart(position: entry.position, request: request))
    }

    /// Requests the activities of adventures whose grace period is over.
    ///
    /// The starts are processed outside the loop, so that they do not delay pushes.
    func requestStarts() {
        let latest = runtime.now() - settings.policy.pushToStart.appGracePeriod
        let waiting = shards.values.filter { !$0.isLeaving && !$0.adventureStarts.isEmpty }
        // Sorted, so that a seeded run is reproducible.
        for followed in waiting.sorted(by: { $0.shard < $1.shard }) {
            let due = followed.adventureStarts.prefix { $0.request.requestedAt <= latest }
            followed.adventureStarts.removeFirst(due.count)
            for start in due { request(start.request) }
        }
    }

    /// Enqueues a start request, unless the queue is full.
    /// - Returns: whether it was enqueued.
    @discardableResult
    private func request(_ request: StartRequest) -> Bool {
        guard case .dropped = startRequests.yield(request) else { return true }
        logger.error(
            "a start request was dropped: the queue is full",
            metadata: ["adventure": "\(request.adventureID)"]
        )
        return false
    }

    /// Requests a newer activity once the phone shows that this one ends soon.
    func requestSuccessor(after push: PlannedPush, to activity: FollowedActivity) {
        guard push.notice == .endsSoon, !activity.hasRequestedSuccessor else { return }
        // If the queue is full, the next push retries.
        activity.hasRequestedSuccessor = request(
            StartRequest(
                adventureID: activity.key.adventureID,
                occasion: .activityEndsSoon(activity.activity),
                requestedAt: runtime.now()
            )
        )
    }

    /// Ends the player's older activities that said that they end soon, since a newer one shows the adventure now.
    func endPredecessors(of newest: FollowedActivity, in adventure: FollowedAdventure, of followed: FollowedShard) {
        let now = runtime.now()
        // An activity that ends soon itself, or has had another token, is not new.
        guard !newest.cadence.isNearMaxAge(at: now), newest.activity.generation == 1 else { return }
        for activity in adventure.activities.values
        where activity.cadence.isNearMaxAge(at: newest.activity.registeredAt)
            && DeviceKey(activity.activity) == DeviceKey(newest.activity)
            && activity.activity.registeredAt < newest.activity.registeredAt
        {
            activity.cadence.replaced(moment: newest.activity.registeredAt, at: now)
            followed.touchedAdventures.insert(adventure.id)
        }
    }

    /// The end of the earliest grace period.
    var nextStartsAt: Timestamp? {
        let followed = shards.values.filter { !$0.isLeaving }
        let earliest = followed.compactMap { $0.adventureStarts.first?.request.requestedAt }.min()
        return earliest.map { $0 + settings.policy.pushToStart.appGracePeriod }
    }
}
