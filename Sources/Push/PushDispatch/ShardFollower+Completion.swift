import Encodings
import GameLog
package import PushCadence

extension ShardFollower {
    /// Returns the reputation of the token of a push before the answer to it.
    package func reputation(for order: PushOrder) -> CircuitBreaker.TokenReputation {
        guard let activity = activity(order.key), activity.activity.generation == order.generation else {
            return .unknown
        }
        return activity.reputation
    }

    /// Takes the answer to a push.
    ///
    /// An answer after the loss of the lease, or for an activity that is no longer followed, changes nothing.
    package mutating func completed(_ push: AnsweredPush, _ context: inout FollowerContext) {
        let order = push.order
        guard order.epoch >= firstEpoch, let activity = activity(order.key), activity.inFlight === order else {
            return
        }
        activity.inFlight = nil
        let disposition = disposition(of: push, for: activity, context)
        recordRequestedPush(push, disposition, for: activity)
        complete(order.planned, of: activity, disposition, because: push.cause, &context)
        if disposition == .accepted {
            activity.backoff.reset()
            activity.doubtfulRejections = 0
            activity.isTokenProven = activity.activity.generation == order.generation
            activity.pendingTraces.removeShown(pendingSince: activity.cadence.pendingSince)
            requestSuccessor(after: order.planned, to: activity, &context)
        }
        // The wait for the answer was no lag of the next push.
        activity.wakeAt = context.now
        evaluate(activity, &context)
    }

    /// Takes the pushes below a number that are still in flight as unanswered: the client has forgotten them.
    ///
    /// Answers that come nevertheless change nothing.
    package mutating func answersOverdue(below number: Int, _ context: inout FollowerContext) {
        // Sorted, so that a seeded run is reproducible.
        for activity in sortedAdventures.flatMap(\.activities) {
            guard let order = activity.inFlight, order.number < number else { continue }
            completed(AnsweredPush(order, .unanswered, .credible), &context)
        }
    }

    /// Takes back a push that the driver could not send, since its token or payload is not valid.
    package mutating func invalid(
        _ order: PushOrder,
        _ disposition: PushDisposition,
        _ context: inout FollowerContext
    ) {
        guard let activity = activity(order.key), activity.inFlight === order else { return }
        activity.inFlight = nil
        complete(order.planned, of: activity, disposition, because: .invalidRequest, &context)
    }

    /// Keeps the report of a requested push for its operator; the report of a further try replaces it.
    private mutating func recordRequestedPush(
        _ push: AnsweredPush,
        _ disposition: PushDisposition,
        for activity: FollowedActivity
    ) {
        guard let position = push.order.requestPosition, let report = push.report else { return }
        requestedPushes[activity.key] = RequestedPush(
            adventureID: activity.key.adventureID,
            activityID: activity.key.activityID,
            position: position,
            report: report
        )
        switch disposition {
        case .accepted, .rejected, .tokenDead:
            if activity.requestPosition == position { activity.requestPosition = nil }
        case .retryLater, .unanswered: break
        }
    }

    /// By how many seconds the timestamps of a lease may be ahead of the clock: it begins two seconds ahead.
    private static let leaseLead: Int64 = 3

    /// Passes the disposition of the push in flight to the cadence and the decision log, and closes the activity if it
    /// was the last one.
    mutating func complete(
        _ planned: PlannedPush,
        of activity: FollowedActivity,
        _ disposition: PushDisposition,
        because cause: DecisionRecord.Cause,
        _ context: inout FollowerContext
    ) {
        activity.cadence.completed(disposition, at: context.now, refunding: &activity.device.budget)
        // The first timestamp of the next holder would not exclude one that is further ahead of a clock that was set back.
        let isAhead = planned.timestamp > context.now.epochSeconds + Self.leaseLead
        if planned.isPlainState, disposition != .tokenDead, disposition != .rejected, !isAhead {
            dirty.insertLazy(activity)
        } else {
            dirty.insertUrgent(activity)
        }
        if activity.cadence.isEnded { activity.terminalState = .ended }
        if disposition == .tokenDead {
            activity.terminalState = .dead
            context.effects.append(.tokenForgotten)
            (activity.tokenDiedAt, activity.isDeathFlushed) = (context.now, false)
            // An empty token, which is dead at once, is never used anyway.
            if !activity.activity.pushToken.isEmpty { activity.deadToken = activity.activity.pushToken }
        }
        activity.decisions.completed(disposition, because: cause, changeAt: planned.changeAt, at: context.now)
    }

    /// Returns what becomes of a push because of the answer to it.
    func disposition(
        of push: AnsweredPush,
        for activity: FollowedActivity,
        _ context: borrowing FollowerContext
    ) -> PushDisposition {
        switch push.answer {
        case .accepted: return .accepted
        case .unanswered: return .unanswered(retryAfter: activity.backoff.wait(randomBits: context.randomBits()))
        case .neverSent:
            return .retryLater(after: activity.backoff.waitAfterUnsent(randomBits: context.randomBits()))
        case .rejected(let rejection):
            switch push.classification {
            case .credible: return disposition(of: rejection, to: push.order, for: activity, context)
            case .doubtful:
                activity.doubtfulRejections += 1
                // The delay doubles, since APNs slows down senders of bad tokens.
                let doublings = min(activity.doubtfulRejections - 1, Self.maxDoublings)
                return .retryLater(after: context.openBreakerDelay() * (1 << doublings))
            }
        }
    }

    private func disposition(
        of rejection: PushRejection,
        to order: PushOrder,
        for activity: FollowedActivity,
        _ context: borrowing FollowerContext
    ) -> PushDisposition {
        switch rejection.remedy {
        case .retry:
            let requested = min(max(.zero, rejection.retryAfter), Self.maxRetryAfter)
            return .retryLater(after: activity.backoff.wait(randomBits: context.randomBits(), after: requested))
        case .pause:
            return .retryLater(after: context.openBreakerDelay())
        case .drop:
            return .rejected
        case .forgetToken:
            // The app has registered a newer token since, which is tried at once.
            if order.generation != activity.activity.generation { return .retryLater(after: .zero) }
            let registered = activity.activity.tokenRegisteredAt.epochMilliseconds
            let isOlder = rejection.tokenInvalidSinceMilliseconds.map { $0 < registered } ?? false
            guard isOlder, !activity.hasExcusedRejection else { return .tokenDead }
            // APNs found the token dead before the app registered it, so it may be valid again and gets one more try.
            activity.hasExcusedRejection = true
            return .retryLater(after: activity.backoff.wait(randomBits: context.randomBits()))
        }
    }
}

extension PlannedPush {
    /// Whether it only shows a state, without an alert and without precedence: after a crash, the next holder of the lease
    /// may send the newest state once more.
    fileprivate var isPlainState: Bool {
        guard alert == nil, case .update = event else { return false }
        switch reason {
        case .requested, .alert, .end, .newToken, .activityEndsSoon: return false
        case .turn, .turnWithoutFrequentPushes, .turnDemoted, .low: return true
        }
    }
}

extension AnsweredPush {
    /// The reason why the push was not accepted.
    fileprivate var cause: DecisionRecord.Cause {
        switch answer {
        case .rejected(let rejection): .apns(reason: rejection.reason, status: rejection.status)
        case .accepted, .unanswered: .noResponse
        case .neverSent: .neverSent
        }
    }
}
