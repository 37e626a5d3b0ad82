public import Encodings
public import GameLog

/// What became of a request to APNs about a channel: to create it, to delete it, or to broadcast to it.
public enum ChannelAnswer: Hashable, Sendable {
    /// APNs has created the channel with this identifier.
    case created(String)
    /// APNs has deleted the channel, or accepted the broadcast.
    case accepted
    /// The app has as many channels as APNs allows (`CannotCreateChannelConfig`).
    case limitReached
    /// APNs does not have the channel (`ChannelNotRegistered`, `BadChannelId`).
    case notRegistered
    /// Too many requests, or a fault of APNs; the wait that APNs asks for, or zero.
    case unavailable(retryAfter: Duration)
    /// Key, team or app may not do this (such as `FeatureNotEnabled`): only an operator can remove the cause.
    case refused
    /// The request is malformed: another attempt would fail, too.
    case invalid
    /// It was sent, and it is unknown whether APNs has processed it.
    case unknown
    /// APNs did not get it.
    case neverSent
}

/// A request to APNs about a channel.
public enum ChannelRequest: Hashable, Sendable {
    /// Creates the channel; claimed at this time.
    case create(claimedAt: Timestamp)
    /// Deletes the channel with this identifier.
    case delete(String)
    /// Shows phones a state of the owner.
    case broadcast(ChannelBroadcast, to: String)
}

/// A state of a channel's owner that phones are to show.
public struct ChannelBroadcast: Hashable, Sendable {
    /// The version; of two states, the one with the larger version is newer.
    public let version: Int64
    /// How far the owner is; a state of a further stage than the last one shown is worth an alert.
    public let stage: Int
    /// Whether the owner is over, so that the state ends the activities.
    public let isFinal: Bool

    /// Creates the description of a state.
    public init(version: Int64, stage: Int, isFinal: Bool) {
        self.version = version
        self.stage = stage
        self.isFinal = isFinal
    }
}

/// The life of a channel: decides what comes next after each event, without I/O.
///
/// APNs names a channel only in its answer, so a create with an unknown outcome may leave a channel without a row.
/// Therefore each create is claimed in the row first, for ``claimDuration``; later answers are not stored. After that time
/// no create is under way that could still be stored, and ``ChannelReconciliation`` can tell a leftover from a new channel.
public struct ChannelLife: Hashable, Sendable {
    /// An event in the life of a channel.
    public enum Event: Hashable, Sendable {
        /// A dispatcher wants to create or delete the channel now.
        case due
        /// The owner is over, or the channel has to make room for others.
        case end
        /// APNs does not have the channel with this identifier.
        case lost(String)
        /// The owner's state may have changed.
        case state(ChannelBroadcast)
        /// APNs has answered a request, or it failed.
        case answer(ChannelAnswer, to: ChannelRequest)
    }

    /// What the caller has to do, after it has stored the channel.
    public enum Effect: Hashable, Sendable {
        /// Send a request, and report the answer.
        case send(ChannelRequest)
        /// Delete a channel that no row has.
        case discard(String)
        /// Compare the channels with the list of APNs soon.
        case reconcile
        /// Report to operators that APNs refuses or cannot read a request.
        case report
    }

    /// The time for which a create is claimed: longer than a request can take.
    public static let claimDuration = Duration.seconds(60)
    /// The time between the slots of two broadcasts to a channel: one a second at most, over any longer time.
    public static let broadcastInterval = Duration.seconds(1)
    /// How long before its slot a broadcast may be sent.
    ///
    /// The rounds of a raid are committed once a second, a little sooner or later. If each broadcast had to be a whole second
    /// after the one before, a late one would hold up all that follow.
    public static let maxEarliness = Duration.milliseconds(500)
    /// The time after which a state is shown again: phones that were not connected, or follow the channel since, get it.
    public static let refreshInterval = Duration.seconds(60)
    /// The wait after a failure that only an operator can remove.
    public static let refusalDelay = Duration.seconds(300)
    /// The attempts to send the last state, before the channel is deleted without it.
    public static let maxFinalAttempts = 10

    /// The channel.
    public private(set) var channel: BroadcastChannel

    /// Creates the life of a channel from its row.
    public init(_ channel: BroadcastChannel) {
        self.channel = channel
    }

    /// Changes the channel by an event.
    /// - Parameters:
    ///   - event: the event.
    ///   - now: the time.
    ///   - randomBits: uniform random bits, for the jitter of waits.
    /// - Returns: what the caller has to do.
    public mutating func handle(_ event: Event, at now: Timestamp, randomBits: UInt64) -> [Effect] {
        switch event {
        case .due: return due(at: now)
        case .end: return end(at: now)
        case .lost(let id): return lose(id, at: now)
        case .state(let broadcast): return show(broadcast, at: now)
        case .answer(let answer, to: .create(let claimedAt)):
            return created(answer, claimedAt, at: now, randomBits)
        case .answer(let answer, to: .delete(let id)):
            return deleted(answer, id, at: now, randomBits)
        case .answer(let answer, to: .broadcast(let broadcast, to: let id)):
            return sent(answer, broadcast, id, at: now, randomBits)
        }
    }

    /// Returns the slot of a broadcast that is sent now, whose seconds since 1970 are its timestamp.
    ///
    /// Slots are a second apart or more, so timestamps grow: phones ignore a payload with the one of the payload before.
    /// - Parameters:
    ///   - channel: the channel before the broadcast.
    ///   - now: the time.
    /// - Returns: the time, or a later one by ``maxEarliness`` at most.
    public static func slot(of channel: BroadcastChannel, at now: Timestamp) -> Timestamp {
        max(now, channel.broadcastAfter + maxEarliness)
    }

    /// Returns whether phones that follow the channel are to be shown a state now.
    public func needs(_ broadcast: ChannelBroadcast, at now: Timestamp) -> Bool {
        channel.channelID != nil && channel.broadcastAfter <= now
            && (broadcast.version > channel.version || broadcast.isFinal
                || now - channel.usedAt >= Self.refreshInterval)
    }

    /// Whether a create is claimed whose answer may still be stored.
    private func isClaimed(at now: Timestamp) -> Bool {
        channel.attemptedAt.map { now < $0 + Self.claimDuration } ?? false
    }

    private mutating func due(at now: Timestamp) -> [Effect] {
        guard channel.retryAt <= now else { return [] }
        switch (channel.state, channel.channelID) {
        case (.wanted, _):
            guard !isClaimed(at: now) else { return [] }
            channel.attemptedAt = now
            channel.retryAt = now + Self.claimDuration
            return [.send(.create(claimedAt: now))]
        case (.ending, let id?):
            return [.send(.delete(id))]
        case (.ending, nil):
            // The create that was under way did not answer in time.
            guard !isClaimed(at: now) else { return [] }
            delete(at: now)
            return []
        case (.created, _), (.live, _), (.deleted, _):
            return []
        }
    }

    private mutating func end(at now: Timestamp) -> [Effect] {
        switch channel.state {
        case .wanted where channel.attemptedAt == nil:
            delete(at: now)
        case .wanted:
            // The answer of the create may come yet; `retryAt` is the end of its claim, or a later attempt.
            channel.state = .ending
        case .created, .live:
            channel.state = .ending
            (channel.attempts, channel.retryAt) = (0, now)
        case .ending, .deleted:
            break
        }
        return []
    }

    private mutating func lose(_ id: String, at now: Timestamp) -> [Effect] {
        guard channel.channelID == id else { return [] }
        switch channel.state {
        case .created, .live:
            channel.channelID = nil
            channel.createdAt = nil
            channel.state = .wanted
            (channel.attempts, channel.retryAt) = (0, now)
            // The phones of the new channel have seen nothing.
            (channel.version, channel.broadcastFailures) = (0, 0)
        case .ending: delete(at: now)
        case .wanted, .deleted: break
        }
        return []
    }

    private mutating func created(
        _ answer: ChannelAnswer,
        _ claimedAt: Timestamp,
        at now: Timestamp,
        _ randomBits: UInt64
    ) -> [Effect] {
        let isCurrent = channel.attemptedAt == claimedAt && isClaimed(at: now)
        guard isCurrent, channel.state == .wanted || channel.state == .ending else {
            // Another dispatcher may have begun anew.
            if case .created(let id) = answer { return [.discard(id)] }
            return []
        }
        switch answer {
        case .created(let id):
            channel.channelID = id
            channel.createdAt = now
            channel.attemptedAt = nil
            (channel.attempts, channel.retryAt) = (0, now)
            if channel.state == .wanted {
                channel.state = .created
                channel.broadcastAfter = now
            }
            return []
        case .unknown, .accepted:
            // The claim stays until APNs has certainly processed the request.
            channel.attempts += 1
            channel.retryAt = claimedAt + Self.claimDuration
            return [.reconcile]
        case .limitReached, .notRegistered, .unavailable, .refused, .invalid, .neverSent:
            channel.attemptedAt = nil
            guard channel.state == .wanted else {
                delete(at: now)
                return []
            }
            let wait = wait(after: answer, failures: channel.attempts, randomBits)
            if answer != .neverSent { channel.attempts += 1 }
            channel.retryAt = now + wait
            switch answer {
            case .limitReached: return [.reconcile]
            case .refused, .invalid: return [.report]
            default: return []
            }
        }
    }

    private mutating func deleted(
        _ answer: ChannelAnswer,
        _ id: String,
        at now: Timestamp,
        _ randomBits: UInt64
    ) -> [Effect] {
        guard channel.state == .ending, channel.channelID == id else { return [] }
        switch answer {
        case .accepted, .notRegistered:
            delete(at: now)
            return []
        case .created, .limitReached, .unavailable, .refused, .invalid, .unknown, .neverSent:
            channel.retryAt = now + wait(after: answer, failures: channel.attempts, randomBits)
            if answer != .neverSent { channel.attempts += 1 }
            return answer == .refused || answer == .invalid ? [.report] : []
        }
    }

    private mutating func show(_ broadcast: ChannelBroadcast, at now: Timestamp) -> [Effect] {
        switch channel.state {
        case .created, .live:
            guard needs(broadcast, at: now), let id = channel.channelID else { return [] }
            channel.usedAt = now
            channel.broadcastAfter =
                Self.slot(of: channel, at: now) + Self.broadcastInterval - Self.maxEarliness
            // A push that ends activities has no alert, so a last state that is worth one is shown first, if APNs takes it.
            let hasAlert = broadcast.isFinal && broadcast.stage > channel.stage && channel.broadcastFailures == 0
            let next = ChannelBroadcast(
                version: broadcast.version,
                stage: broadcast.stage,
                isFinal: broadcast.isFinal && !hasAlert
            )
            return [.send(.broadcast(next, to: id))]
        case .wanted:
            // No phone can follow it yet.
            return broadcast.isFinal ? end(at: now) : []
        case .ending, .deleted:
            return []
        }
    }

    private mutating func sent(
        _ answer: ChannelAnswer,
        _ broadcast: ChannelBroadcast,
        _ id: String,
        at now: Timestamp,
        _ randomBits: UInt64
    ) -> [Effect] {
        guard channel.channelID == id, channel.state == .created || channel.state == .live else { return [] }
        switch answer {
        case .accepted, .invalid:
            // A malformed state is not sent again; the next one may be better.
            channel.version = max(channel.version, broadcast.version)
            channel.stage = max(channel.stage, broadcast.stage)
            channel.broadcastFailures = 0
            if answer == .accepted { channel.state = .live }
            if broadcast.isFinal { _ = end(at: now) }
            return answer == .invalid ? [.report] : []
        case .notRegistered:
            if broadcast.isFinal { _ = end(at: now) }
            return lose(id, at: now)
        case .created, .limitReached, .unavailable, .refused, .unknown, .neverSent:
            let wait = wait(after: answer, failures: channel.broadcastFailures, randomBits)
            channel.broadcastAfter = max(channel.broadcastAfter, now + wait)
            channel.broadcastFailures += 1
            if broadcast.isFinal, channel.broadcastFailures >= Self.maxFinalAttempts { return end(at: now) }
            return answer == .refused ? [.report] : []
        }
    }

    private mutating func delete(at now: Timestamp) {
        channel.state = .deleted
        channel.channelID = nil
        channel.attemptedAt = nil
        channel.usedAt = now
    }

    private func wait(after answer: ChannelAnswer, failures: Int, _ randomBits: UInt64) -> Duration {
        var backoff = RetryBackoff(failures: failures)
        switch answer {
        case .refused, .invalid: return Self.refusalDelay
        case .neverSent: return Self.broadcastInterval + backoff.waitAfterUnsent(randomBits: randomBits)
        case .unavailable(let requested):
            return Self.broadcastInterval + backoff.wait(randomBits: randomBits, after: requested)
        default: return Self.broadcastInterval + backoff.wait(randomBits: randomBits)
        }
    }
}
