import Foundation
import HTTP2Transport

extension APNsClient {
    /// Creates a channel of an app.
    ///
    /// An app may have 10,000 channels in each environment. APNs rejects further ones, with the reaction
    /// ``APNsReaction/deleteChannels``. The client does not repeat a request with an unknown outcome, since that could
    /// create two channels.
    public func createChannel(
        of bundleID: BundleID,
        storing policy: APNsChannel.StoragePolicy
    ) async throws(APNsChannelError) -> APNsChannel {
        let response = try await perform(.create(policy), of: bundleID)
        guard let id = response.headers["apns-channel-id"].flatMap(APNsChannel.ID.init) else {
            throw .unreadable(missing: "apns-channel-id")
        }
        return APNsChannel(id: id, storagePolicy: policy)
    }

    /// Reads a channel of an app.
    public func channel(
        _ id: APNsChannel.ID,
        of bundleID: BundleID
    ) async throws(APNsChannelError) -> APNsChannel {
        struct Body: Decodable {
            let policy: Int

            private enum CodingKeys: String, CodingKey {
                case policy = "message-storage-policy"
            }
        }
        let response = try await perform(.read(id), of: bundleID)
        // Any decoding error means that the response lacks the value.
        let body = try? JSONDecoder().decode(Body.self, from: Data(response.body))
        guard let policy = body.flatMap({ APNsChannel.StoragePolicy(rawValue: $0.policy) }) else {
            throw .unreadable(missing: "a message-storage-policy of 0 or 1")
        }
        return APNsChannel(id: id, storagePolicy: policy)
    }

    /// Lists all channels of an app, in the order of the response.
    public func channels(of bundleID: BundleID) async throws(APNsChannelError) -> [APNsChannel.ID] {
        struct Body: Decodable {
            let channels: [String]
        }
        let response = try await perform(.list, of: bundleID)
        // Any decoding error means that the response lacks the value.
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(response.body)) else {
            throw .unreadable(missing: "channels")
        }
        let ids = body.channels.compactMap(APNsChannel.ID.init)
        guard ids.count == body.channels.count else { throw .unreadable(missing: "names in base64") }
        return ids
    }

    /// Deletes a channel of an app permanently; APNs may still deliver its stored broadcast.
    public func deleteChannel(_ id: APNsChannel.ID, of bundleID: BundleID) async throws(APNsChannelError) {
        _ = try await perform(.delete(id), of: bundleID)
    }

    private func perform(
        _ operation: ChannelRequest.Operation,
        of bundleID: BundleID
    ) async throws(APNsChannelError) -> HTTP2Response {
        let request = ChannelRequest(bundleID: bundleID, operation: operation)
        // The array has one result for each request.
        switch await results(of: [request], at: .channels)[0] {
        case .outcome(.response(let response)) where response.status == request.successStatus:
            return response
        case .outcome(.response(let response)):
            throw .rejected(APNsRejection(response, at: now()))
        case .outcome(.neverProcessed(let failure)):
            throw .neverSent(APNsFailure(failure))
        case .outcome(.unknown(let failure)):
            throw .unknown(APNsFailure(failure))
        case .noToken(let error):
            throw .neverSent(.providerToken(error.description))
        }
    }
}
