import APNsClient
import Encodings
import GameCore
import GameStore
import Logging
import PushCadence
import PushDispatch
import RangersMetrics
import ServiceRuntime

extension DispatchLoop {
    func handleCompletedPushes() {
        for completed in completedPushes.takeAll() {
            inFlight[completed.push.environment, default: 0] -= 1
            handle(completed)
        }
    }

    func handle(_ completed: CompletedPush) {
        let push = completed.push
        let known = shards[push.shard]?.activity(push.key)
        let isForCurrentToken = known?.activity.generation == push.generation
        let classification = breakers.classify(
            completed.outcome,
            for: push.request.deviceToken,
            isForCurrentToken ? known?.reputation ?? .unknown : .unknown,
            in: push.environment,
            at: runtime.uptime()
        )
        // An outcome after the loss of the lease, or for an activity that is no longer followed, changes nothing.
        guard
            let followed = shards[push.shard], push.epoch >= followed.firstEpoch,
            let activity = followed.activity(push.key), activity.inFlight == push.number
        else {
            return
        }
        activity.inFlight = nil
        let disposition = disposition(of: completed, classification, for: activity)
        recordRequestedPush(completed, disposition, for: activity, in: followed)
        complete(push.planned, of: activity, in: followed, disposition, because: completed.outcome.cause)
        if disposition == .accepted {
            activity.backoff.reset()
            activity.doubtfulRejections = 0
            activity.isTokenProven = isForCurrentToken
            activity.pendingTraces.removeShown(pendingSince: activity.cadence.pendingSince)
            requestSuccessor(after: push.planned, to: activity)
        }
        followed.dirtyDecisions.insert(push.key)
        evaluate(activity, of: followed)
    }

    /// Keeps the report of a requested push for its operator; the report of a further try replaces it.
    private func recordRequestedPush(
        _ completed: CompletedPush,
        _ disposition: PushDisposition,
        for activity: FollowedActivity,
        in followed: FollowedShard
    ) {
        guard let position = completed.push.requestPosition, let report = completed.report else { return }
        followed.requestedPushes[activity.key] = RequestedPush(
            adventureID: activity.key.adventureID,
            activityID: activity.key.activityID,
            position: position,
            report: report
        )
        // The operator waits for the report and the decisions.
        followed.decisionFlushDueAt = runtime.uptime()
        switch disposition {
        case .accepted, .rejected, .tokenDead:
            if activity.requestPosition == position { activity.requestPosition = nil }
        case .retryLater, .unanswered: break
        }
    }

    /// Passes the disposition of the push in flight to the cadence and the decision log, and closes the activity if it
    /// was the last one.
    func complete(
        _ planned: PlannedPush,
        of activity: FollowedActivity,
        in followed: FollowedShard,
        _ disposition: PushDisposition,
        because cause: DecisionRecord.Cause
    ) {
        let now = runtime.now()
        activity.cadence.completed(disposition, at: now, refunding: &activity.phone.budget)
        followed.dirtyActivities.insert(activity.key)
        if activity.cadence.isEnded { activity.terminalState = .ended }
        if disposition == .tokenDead {
            activity.terminalState = .dead
            metrics.forgottenTokens.add(to: .activity)
            activity.tokenDiedAt = now
        }
        activity.decisions.completed(disposition, because: cause, changeAt: planned.changeAt, at: now)
    }

    /// Returns the disposition of a push according to its outcome, and logs failures.
    func disposition(
        of completed: CompletedPush,
        _ classification: CircuitBreaker.Classification,
        for activity: FollowedActivity
    ) -> PushDisposition {
        switch completed.outcome {
        case .accepted:
            return .accepted
        case .unknown(let failure):
            logger.info("a push got no response", metadata: metadata(of: completed.push.key, ["reason": "\(failure)"]))
            return .unanswered(retryAfter: activity.backoff.wait(randomBits: runtime.randomBits()))
        case .neverSent(let failure):
            logger.info("a push was not sent", metadata: metadata(of: completed.push.key, ["reason": "\(failure)"]))
            return .retryLater(after: activity.backoff.wait(randomBits: runtime.randomBits()))
        case .rejected(let rejection):
            logger.log(
                level: rejection.reaction == .forgetToken ? .info : .warning,
                "APNs rejected a push",
                metadata: metadata(
                    of: completed.push.key,
                    ["status": "\(rejection.status)", "reason": "\(rejection.reason.text)"]
                )
            )
            switch classification {
            case .credible: return disposition(of: rejection, to: completed.push, for: activity)
            case .doubtful:
                activity.doubtfulRejections += 1
                // The delay doubles, since APNs slows down senders of bad tokens.
                let doublings = min(activity.doubtfulRejections - 1, Self.maxDoublings)
                return .retryLater(after: openBreakerDelay() * (1 << doublings))
            }
        }
    }

    /// Returns the delay before the next try while only an operator can fix the cause.
    func openBreakerDelay() -> Duration {
        let fraction = Double(runtime.randomBits() >> 11) / Double(1 << 53)
        return settings.openBreakerDelay * (0.5 + fraction)
    }

    func disposition(
        of rejection: APNsRejection,
        to push: OutgoingPush,
        for activity: FollowedActivity
    ) -> PushDisposition {
        let requested = Duration.seconds(min(max(0, rejection.retryAfterSeconds ?? 0), Self.maxRetryAfterSeconds))
        switch rejection.reaction {
        case .retry, .renewToken, .reconnect:
            return .retryLater(after: activity.backoff.wait(randomBits: runtime.randomBits(), after: requested))
        case .stopSending, .pauseSending:
            return .retryLater(after: openBreakerDelay())
        case .dropMessage, .forgetChannel, .deleteChannels:
            return .rejected
        case .forgetToken:
            // The app has registered a newer token since, which is tried at once.
            if push.generation != activity.activity.generation { return .retryLater(after: .zero) }
            let registered = activity.activity.tokenRegisteredAt.epochMilliseconds
            let isOlder = rejection.tokenInvalidSinceMilliseconds.map { $0 < registered } ?? false
            guard isOlder, !activity.hasExcusedRejection else { return .tokenDead }
            // APNs found the token dead before the app registered it, so it may be valid again and gets one more try.
            activity.hasExcusedRejection = true
            return .retryLater(after: activity.backoff.wait(randomBits: runtime.randomBits()))
        }
    }
}

extension APNsOutcome {
    /// The reason why the push was not accepted.
    fileprivate var cause: DecisionRecord.Cause {
        switch self {
        case .rejected(let rejection): .apns(reason: rejection.reason.text)
        case .accepted, .unknown: .noResponse
        case .neverSent: .neverSent
        }
    }
}
