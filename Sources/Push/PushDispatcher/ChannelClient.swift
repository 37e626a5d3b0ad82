import APNsClient
import Encodings
import Foundation
import GameCore
import GameLog
import PushDispatch
import RangersMetrics

/// Sends the requests about the channels of one environment, and translates the answers.
struct ChannelClient: Sendable {
    let client: any ChannelSender
    let bundleID: BundleID
    let metrics: DispatcherMetrics

    /// Creates a channel.
    func create(storing policy: BroadcastChannel.StoragePolicy) async -> ChannelAnswer {
        let policy: APNsChannel.StoragePolicy = policy == .noMessage ? .noMessage : .mostRecentMessage
        return await counting(.create) { () async throws(APNsChannelError) -> ChannelAnswer in
            .created(try await client.createChannel(of: bundleID, storing: policy).id.description)
        }
    }

    /// Deletes a channel.
    func delete(_ id: String) async -> ChannelAnswer {
        await counting(.delete) { () async throws(APNsChannelError) -> ChannelAnswer in
            // The database has only identifiers that came from APNs.
            guard let id = APNsChannel.ID(id) else { return .notRegistered }
            try await client.deleteChannel(id, of: bundleID)
            return .accepted
        }
    }

    /// Lists all channels.
    /// - Returns: the channels; nil if APNs does not list them.
    func list() async -> (channels: [String]?, answer: ChannelAnswer) {
        var channels: [String]?
        let answer = await counting(.list) { () async throws(APNsChannelError) -> ChannelAnswer in
            channels = try await client.channels(of: bundleID).map(\.description)
            return .accepted
        }
        return (channels, answer)
    }

    /// Sends a broadcast.
    /// - Parameters:
    ///   - payload: the payload.
    ///   - channelID: the channel.
    ///   - isUrgent: whether the priority is 10 rather than 5.
    ///   - policy: what APNs stores.
    ///   - expiration: until when APNs may store it, in seconds since 1970; ignored for a channel that stores nothing.
    ///   - id: `apns-request-id`.
    /// - Returns: the answer.
    func send(
        _ payload: [UInt8],
        to channelID: String,
        isUrgent: Bool,
        storing policy: BroadcastChannel.StoragePolicy,
        until expiration: Int64,
        id: UUID
    ) async -> ChannelAnswer {
        let answer: ChannelAnswer
        do throws(APNsBroadcastError) {
            guard let channelID = APNsChannel.ID(channelID) else { return .notRegistered }
            let storesMessage = policy == .mostRecentMessage
            let channel = APNsChannel(id: channelID, storagePolicy: storesMessage ? .mostRecentMessage : .noMessage)
            let broadcast = try APNsBroadcast(
                bundleID: bundleID,
                channel: channel,
                priority: isUrgent ? .high : .low,
                expirationEpochSeconds: storesMessage ? expiration : 0,
                id: id,
                payload: payload
            )
            answer = ChannelAnswer(await client.send(broadcast))
        } catch {
            answer = .invalid
        }
        metrics.channelRequests.add(to: ChannelRequestLabels(.broadcast, answer))
        return answer
    }

    private func counting(
        _ kind: ChannelRequestLabels.Kind,
        _ request: () async throws(APNsChannelError) -> ChannelAnswer
    ) async -> ChannelAnswer {
        let answer: ChannelAnswer
        do throws(APNsChannelError) {
            answer = try await request()
        } catch {
            answer = ChannelAnswer(error)
        }
        metrics.channelRequests.add(to: ChannelRequestLabels(kind, answer))
        return answer
    }
}

extension ChannelAnswer {
    /// Creates the answer of a request that failed.
    init(_ error: APNsChannelError) {
        self =
            switch error {
            case .rejected(let rejection): Self(rejection)
            // It has succeeded, but its result is not known.
            case .unknown, .unreadable: .unknown
            case .neverSent: .neverSent
            }
    }

    /// Creates the answer of a broadcast.
    init(_ outcome: APNsOutcome) {
        self =
            switch outcome {
            case .accepted: .accepted
            case .rejected(let rejection): Self(rejection)
            case .unknown: .unknown
            case .neverSent: .neverSent
            }
    }

    private init(_ rejection: APNsRejection) {
        self =
            switch rejection.reaction {
            case .retry, .renewToken, .reconnect, .pauseSending:
                .unavailable(retryAfter: .seconds(rejection.retryAfterSeconds ?? 0))
            case .deleteChannels: .limitReached
            case .forgetChannel: .notRegistered
            case .stopSending: .refused
            case .dropMessage, .forgetToken: .invalid
            }
    }
}
