import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import LiveActivityContent
import PushDispatch
import ServiceRuntime
import Synchronization

/// Broadcasts the newest states of one kind of owner to their channels, in one APNs environment.
///
/// It reads the states several times a second while there are channels. A state that is newer than the one that phones have
/// is claimed in the channel's row before it is sent, so a channel gets one broadcast a second at most, also from two
/// dispatchers. There is no queue: a state that could not be sent is replaced by the next one.
final class ChannelBroadcaster: Sendable {
    /// The time after which a state that was not replaced is out of date.
    static let staleDelay: Int64 = 300
    /// The time for which the Lock Screen keeps the last state.
    private static let dismissalDelay: Int64 = 3_600
    /// The time for which APNs may store a state, if the channel stores any.
    private static let expiry: Int64 = 28_800

    /// The time between two reads of the states without any channel, and with many.
    private static let maxInterval = Duration.seconds(1)
    /// The time between two reads of the states: this, and a part for each channel, up to the maximum.
    private static let minInterval = Duration.milliseconds(100)
    private static let intervalOfChannel = Duration.milliseconds(1)

    /// The relevance of every state, below that of all states of adventures.
    static let relevanceScore = 1.0

    private let channels: EnvironmentChannels
    private let source: ChannelSource
    /// The channels whose broadcasts are in flight.
    private let inFlight = Mutex<Set<BroadcastChannel.Key>>([])
    /// Whether the newest read of the states failed.
    private let isFailing = Mutex(false)

    init(channels: EnvironmentChannels, source: ChannelSource) {
        self.channels = channels
        self.source = source
    }

    /// Claims the states that are to be sent now.
    /// - Parameter spawn: runs the sending of one state, which may take long.
    /// - Returns: the time to the next read of the states.
    func broadcast(_ spawn: (@escaping @Sendable () async -> Void) -> Void) async -> Duration {
        guard channels.isHeld else { return Self.maxInterval }
        do {
            let rows = try await channels.store.channels(in: channels.environment)
                .filter { $0.key.owner.kind == source.kind }
            try await broadcast(to: rows, spawn)
            isFailing.withLock { $0 = false }
            guard !rows.isEmpty else { return Self.maxInterval }
            return min(Self.maxInterval, Self.minInterval + Self.intervalOfChannel * rows.count)
        } catch {
            let isRepeated = isFailing.withLock { isFailing in
                defer { isFailing = true }
                return isFailing
            }
            channels.log(error, isRepeated: isRepeated)
            return Self.maxInterval
        }
    }

    private func broadcast(
        to rows: [BroadcastChannel],
        _ spawn: (@escaping @Sendable () async -> Void) -> Void
    ) async throws {
        let read = try await source.contents(Set(rows.lazy.filter { $0.state != .ending }.map(\.key.owner.id)))
        let byOwner = Dictionary(read.contents.map { ($0.ownerID, $0) }, uniquingKeysWith: { $1 })
        let known = Set(rows.map(\.key.owner.id))
        let wanted = read.contents.filter { !$0.broadcast.isFinal && !known.contains($0.ownerID) }.map { content in
            BroadcastChannel.Key(BroadcastChannel.Owner(source.kind, content.ownerID), in: channels.environment)
        }
        try await channels.store.wantChannels(wanted, storing: source.storagePolicy)
        let now = channels.runtime.now()
        for row in rows where row.state != .ending {
            guard let content = byOwner[row.key.owner.id] else {
                if !read.unreadable.contains(row.key.owner.id) { try await channels.handle(.end, of: row.key) }
                continue
            }
            let isOver = row.state == .wanted && content.broadcast.isFinal
            // Nodes' clocks may differ from the database's, which decides.
            guard isOver || ChannelLife(row).needs(content.broadcast, at: now + .seconds(1)) else { continue }
            guard inFlight.withLock({ $0.insert(row.key).inserted }) else { continue }
            do {
                try await claim(content, for: row.key, spawn)
            } catch {
                inFlight.withLock { _ = $0.remove(row.key) }
                throw error
            }
        }
    }

    private func claim(
        _ content: ChannelContent,
        for key: BroadcastChannel.Key,
        _ spawn: (@escaping @Sendable () async -> Void) -> Void
    ) async throws {
        guard let (effects, channel, now) = try await channels.change(key, by: .state(content.broadcast)),
            case .send(let request)? = effects.first
        else {
            inFlight.withLock { _ = $0.remove(key) }
            return
        }
        spawn { [self] in
            // Shielded from cancellation, so that the answer is stored.
            await Task(executorPreference: channels.runtime.executor) { [self] in
                await send(content, request, to: channel, at: ChannelLife.slot(of: channel, at: now).epochSeconds)
            }.value
            inFlight.withLock { _ = $0.remove(key) }
        }
    }

    /// Sends a state with its slot in the database's time, in seconds since 1970, as its timestamp: phones ignore a payload
    /// with the one that they have, or an older one.
    private func send(
        _ content: ChannelContent,
        _ request: ChannelRequest,
        to channel: BroadcastChannel,
        at now: Int64
    ) async {
        guard case .broadcast(let broadcast, to: let channelID) = request else { return }
        var generator = channels.runtime.generator()
        let alert = broadcast.stage > channel.stage ? content.alert : nil
        let payload = LiveActivityPayload(
            timestamp: now,
            event: broadcast.isFinal
                ? .end(dismissalDate: now + Self.dismissalDelay)
                : .update(staleDate: now + Self.staleDelay, relevanceScore: Self.relevanceScore, alert: alert),
            contentState: content.contentState
        )
        let answer: ChannelAnswer
        do {
            answer = await channels.client.send(
                try payload.encoded(),
                to: channelID,
                isUrgent: alert != nil || broadcast.isFinal,
                storing: channel.storagePolicy,
                until: now + Self.expiry,
                id: UUID(version7At: channels.runtime.now(), using: &generator)
            )
        } catch {
            channels.log(error)
            answer = .invalid
        }
        await channels.note(answer, to: request, about: channel)
    }
}
