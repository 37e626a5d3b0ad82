import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import PushDispatch

/// What the keepers of broadcast channels need.
extension Work {
    private static func id(_ number: UInt8) -> UUID {
        UUID(uuid: (number, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
    }

    func channels() async throws {
        let keys = (UInt8(1)...3).map {
            BroadcastChannel.Key(BroadcastChannel.Owner(.raid, Self.id($0)), in: .simulator)
        }
        for key in keys + keys { try await store.wantChannels([key], storing: .mostRecentMessage) }
        try await observeChannels()
        for (key, answer) in zip(keys, [ChannelAnswer.created("a"), .created("b"), .unknown]) {
            guard case .send(let request)? = try await change(key, by: .due).first else { return }
            // It is claimed, and not due.
            observe("again", try await change(key, by: .due))
            try await observeChannels()
            observe("answered", try await change(key, by: .answer(answer, to: request)))
        }
        try await observeChannels()
        for version in [7, 7] as [Int64] {
            let broadcast = ChannelBroadcast(version: version, stage: 1, isFinal: false)
            let effects = try await change(keys[0], by: .state(broadcast))
            observe("shown", effects)
            for case .send(let request) in effects {
                observe("accepted", try await change(keys[0], by: .answer(.accepted, to: request)))
            }
        }
        for key in keys { observe("ended", try await change(key, by: .end)) }
        try await observeChannels()
        observe("deleted", try await change(keys[0], by: .answer(.accepted, to: .delete("a"))))
        try await observeChannels()
        observe("owner", try await store.channels(of: keys[0].owner).map(text))
        try await store.wantChannels([keys[0]], storing: .noMessage)
        observe("anew", try await store.channels(of: keys[0].owner).map(text))
        observe("deleted", try await change(keys[1], by: .answer(.accepted, to: .delete("b"))))
        try await store.removeChannels(deletedBefore: try await store.clock() + .seconds(1))
        for key in keys { observe("left", try await store.channels(of: key.owner).map(text)) }
        try await keepings()
    }

    private func keepings() async throws {
        func keep(_ holder: UInt8) async throws {
            let keeping = try await store.keepChannels(in: .simulator, by: Self.id(holder), for: .seconds(60))
            observe("keeping", keeping.map { "\($0.requestedAt as Any) \($0.comparison as Any)" } ?? "another's")
        }
        try await keep(1)
        try await keep(2)
        let moment = Timestamp(epochSeconds: 1_780_000_000)
        let comparison = ChannelKeeping.Comparison(at: moment, listed: 3, unknown: 2, lost: 1)
        try await store.note(comparison, in: .simulator)
        try await keep(1)
        try await store.releaseChannels(in: .simulator, by: Self.id(2))
        try await keep(2)
        try await store.releaseChannels(in: .simulator, by: Self.id(1))
        try await keep(2)
        observe("keepings", try await store.channelKeepings().map { "\($0.environment) \($0.comparison as Any)" })
    }

    /// Without the times, which are those of the server's clock.
    private func text(_ channel: BroadcastChannel) -> String {
        "\(channel.key.owner.id) \(channel.storagePolicy) \(channel.state) \(channel.channelID ?? "none") "
            + "\(channel.isHeld) \(channel.attempts) \(channel.version) \(channel.stage) \(channel.broadcastFailures)"
    }

    private func observeChannels() async throws {
        observe("channels", try await store.channels(in: .simulator).map(text))
        observe("due", try await store.dueChannels(in: .simulator, limit: 2).map(text))
        let counts = try await store.channelCounts(in: .simulator)
        observe("counts", BroadcastChannel.State.allCases.map { "\($0) \(counts[$0] ?? 0)" })
    }

    private func change(
        _ key: BroadcastChannel.Key,
        by event: ChannelLife.Event
    ) async throws -> [ChannelLife.Effect] {
        try await store.changeChannel(key) { channel, now in
            var life = ChannelLife(channel)
            let effects = life.handle(event, at: now, randomBits: 0)
            channel = life.channel
            return effects
        } ?? []
    }
}
