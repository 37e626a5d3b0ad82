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
    func takeAnswers() {
        for answer in answers.takeAll() {
            underWay[answer.push.environment, default: 0] -= 1
            take(answer)
        }
    }

    func take(_ answer: PushAnswer) {
        let push = answer.push
        let known = shards[push.shard]?.activity(push.key)
        let isOfItsToken = known?.activity.generation == push.generation
        let verdict = routes.judge(
            answer.outcome,
            for: push.request.deviceToken,
            isOfItsToken ? known?.standing ?? .unknown : .unknown,
            in: push.environment,
            at: runtime.uptime()
        )
        // An answer that comes after the lease was lost, or the activity let go of, has nothing to change.
        guard
            let followed = shards[push.shard], push.epoch >= followed.firstEpoch,
            let activity = followed.activity(push.key), activity.underWay == push.number
        else {
            return
        }
        activity.underWay = nil
        let completion = completion(of: answer, judged: verdict, for: activity)
        tellWhoAsked(of: answer, completion, for: activity, in: followed)
        complete(push.planned, of: activity, completion, because: answer.outcome.cause)
        switch completion {
        case .accepted:
            activity.backoff.reset()
            activity.doubts = 0
            activity.isProven = isOfItsToken
            wishForNewerCard(after: push.planned, to: activity)
            if case .end = push.planned.event, push.generation == activity.activity.generation {
                activity.fate = .ended
            }
        case .rejected:
            if case .end = push.planned.event { activity.fate = .ended }
        case .tokenDead, .retryLater, .unanswered:
            break
        }
        followed.unwritten.insert(push.key)
        followed.undocumented.insert(push.key)
        consider(activity, of: followed)
    }

    /// Keeps request and answer for the operator who asked for the push; the answer to a further try takes its place.
    private func tellWhoAsked(
        of answer: PushAnswer,
        _ completion: PushResult,
        for activity: FollowedActivity,
        in followed: FollowedShard
    ) {
        guard let position = answer.push.askedAt, let report = answer.report else { return }
        followed.askedPushes[activity.key] = RequestedPush(
            adventureID: activity.key.adventureID,
            activityID: activity.key.activityID,
            position: position,
            report: report
        )
        // Somebody waits for it, and for what was decided.
        followed.documentDueAt = runtime.uptime()
        switch completion {
        case .accepted, .rejected, .tokenDead: if activity.askedAt == position { activity.askedAt = nil }
        case .retryLater, .unanswered: break
        }
    }

    /// Tells cadence and log how the push went that was under way.
    func complete(
        _ planned: PlannedPush,
        of activity: FollowedActivity,
        _ completion: PushResult,
        because cause: DecisionRecord.Cause
    ) {
        let now = runtime.now()
        activity.cadence.completed(completion, at: now, refunding: &activity.phone.budget)
        if completion == .tokenDead {
            activity.fate = .dead
            metrics.forgottenTokens.add(to: .activity)
            activity.diedAt = now
        }
        activity.decisions.completed(completion, because: cause, position: planned.position, at: now)
    }

    /// What an answer means for the activity, told to the operator where it is more than a passing fault.
    func completion(
        of answer: PushAnswer,
        judged verdict: CircuitBreaker.Classification,
        for activity: FollowedActivity
    ) -> PushResult {
        switch answer.outcome {
        case .accepted:
            return .accepted
        case .unknown(let why):
            logger.info("a push got no answer", metadata: metadata(of: answer.push.key, ["why": "\(why)"]))
            return .unanswered(retryAfter: activity.backoff.wait(randomBits: runtime.randomBits()))
        case .neverSent(let why):
            logger.info("a push was not sent", metadata: metadata(of: answer.push.key, ["why": "\(why)"]))
            return .retryLater(after: activity.backoff.wait(randomBits: runtime.randomBits()))
        case .rejected(let refusal):
            logger.log(
                level: refusal.reaction == .forgetToken ? .info : .warning,
                "APNs refused a push",
                metadata: metadata(
                    of: answer.push.key,
                    ["status": "\(refusal.status)", "reason": "\(refusal.reason.text)"]
                )
            )
            switch verdict {
            case .credible: return completion(of: refusal, to: answer.push, for: activity)
            case .doubtful:
                activity.doubts += 1
                // Less and less often, as APNs resents who tries bad tokens.
                return .retryLater(after: pauseAfterStop() * (1 << min(activity.doubts - 1, Self.mostDoublings)))
            }
        }
    }

    /// Nothing but an operator can mend this: tried again now and then, so that the mending shows.
    func pauseAfterStop() -> Duration {
        let fraction = Double(runtime.randomBits() >> 11) / Double(1 << 53)
        return settings.pauseAfterStop * (0.5 + fraction)
    }

    func completion(
        of refusal: APNsRejection,
        to push: OutgoingPush,
        for activity: FollowedActivity
    ) -> PushResult {
        let asked = Duration.seconds(min(max(0, refusal.retryAfterSeconds ?? 0), Self.longestRetryAfterSeconds))
        switch refusal.reaction {
        case .retry, .renewToken, .reconnect:
            return .retryLater(after: activity.backoff.wait(randomBits: runtime.randomBits(), after: asked))
        case .stopRoute, .pauseRoute:
            return .retryLater(after: pauseAfterStop())
        case .dropMessage, .forgetChannel, .deleteChannels:
            return .rejected
        case .forgetToken:
            // Of an older token than the one that the app has registered since: the new one is tried at once.
            if push.generation != activity.activity.generation { return .retryLater(after: .zero) }
            let registered = activity.activity.tokenRegisteredAt.epochMilliseconds
            let isOlder = refusal.tokenInvalidSinceMilliseconds.map { $0 < registered } ?? false
            guard isOlder, !activity.hasBeenExcused else { return .tokenDead }
            // APNs found the token dead before the app registered it: it may be good again, so it gets one more try.
            activity.hasBeenExcused = true
            return .retryLater(after: activity.backoff.wait(randomBits: runtime.randomBits()))
        }
    }
}

extension APNsOutcome {
    /// Who says how it went.
    fileprivate var cause: DecisionRecord.Cause {
        switch self {
        case .rejected(let refusal): .apns(reason: refusal.reason.text)
        case .accepted, .unknown, .neverSent: .noResponse
        }
    }
}
