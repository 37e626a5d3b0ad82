import Encodings
import GameCore
package import GameLog
import PushCadence
import PushRules

/// The request to start activities of an adventure that has started.
struct AdventureStart {
    /// The log position of the start.
    let position: Int64
    let request: StartRequest
}

extension ShardFollower {
    /// Requests the activities of adventures whose grace period is over.
    mutating func requestStarts(_ context: inout FollowerContext) {
        guard !isLeaving, !adventureStarts.isEmpty else { return }
        let latest = context.now - context.settings.policy.policy.pushToStart.appGracePeriod
        let due = adventureStarts.prefix { $0.request.requestedAt <= latest }
        adventureStarts.removeFirst(due.count)
        for start in due { context.effects.append(.start(start.request)) }
        mustFlushCheckpoint = mustFlushCheckpoint || !due.isEmpty
    }

    /// The end of the earliest grace period; nil if no start is waiting.
    func nextStartsAt(_ settings: FollowerContext.Settings) -> Timestamp? {
        guard !isLeaving, let first = adventureStarts.first else { return nil }
        return first.request.requestedAt + settings.policy.policy.pushToStart.appGracePeriod
    }

    /// Notes that a newer activity in place of an old one could not be requested, so that the next push retries.
    package mutating func successorRefused(to old: Activity) {
        activity(ActivityKey(adventureID: old.adventureID, activityID: old.id))?.hasRequestedSuccessor = false
    }

    /// Keeps the start of an adventure until the grace period of its members' apps is over.
    mutating func observeStart(_ entry: LogEntry, _ context: borrowing FollowerContext) {
        guard
            case .started = entry.content, let adventureID = entry.adventureID,
            context.now - entry.at < context.settings.policy.policy.pushToStart.maxRequestAge
        else { return }
        // Not in the future: the clock of a shard is ahead of the database's after that was set back.
        let request = StartRequest(
            adventureID: adventureID,
            occasion: .adventureStarted,
            requestedAt: min(entry.at, context.now),
            trace: entry.trace
        )
        adventureStarts.append(AdventureStart(position: entry.position, request: request))
    }

    /// Requests a newer activity once the phone shows that this one ends soon.
    func requestSuccessor(
        after push: PlannedPush,
        to activity: FollowedActivity,
        _ context: inout FollowerContext
    ) {
        guard push.notice == .endsSoon, !activity.hasRequestedSuccessor else { return }
        activity.hasRequestedSuccessor = true
        let request = StartRequest(
            adventureID: activity.key.adventureID,
            occasion: .activityEndsSoon(activity.activity),
            requestedAt: context.now
        )
        context.effects.append(.start(request))
    }

    /// Ends the device's older activities that said that they end soon, since a newer one shows the adventure now.
    ///
    /// A scheduled activity shows it once it has started; meanwhile the older one goes on, to its own end at most.
    mutating func endPredecessors(of newest: FollowedActivity, in adventure: FollowedAdventure, now: Timestamp) {
        // An activity that ends soon itself, or has had another token, is not new.
        guard !newest.cadence.isNearMaxAge(at: now), newest.cadence.pendingStart(at: now) == nil,
            newest.activity.generation == 1
        else { return }
        for activity in adventure.activities
        where activity.cadence.isNearMaxAge(at: newest.activity.startedAt)
            && DeviceKey(activity.activity) == DeviceKey(newest.activity)
            && activity.activity.registeredAt < newest.activity.registeredAt
        {
            activity.cadence.replaced(moment: newest.activity.registeredAt, at: now)
            touchedAdventures.insert(adventure.id)
        }
    }
}
