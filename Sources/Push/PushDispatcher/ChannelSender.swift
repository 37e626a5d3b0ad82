public import APNsClient

/// The requests to APNs about channels: ``APNsClient``, or a model of APNs.
///
/// No request is repeated, since its outcome may be unknown.
public protocol ChannelSender: Sendable {
    /// Creates a channel of an app.
    func createChannel(
        of bundleID: BundleID,
        storing policy: APNsChannel.StoragePolicy
    ) async throws(APNsChannelError) -> APNsChannel
    /// Deletes a channel of an app.
    func deleteChannel(_ id: APNsChannel.ID, of bundleID: BundleID) async throws(APNsChannelError)
    /// Lists all channels of an app.
    func channels(of bundleID: BundleID) async throws(APNsChannelError) -> [APNsChannel.ID]
    /// Publishes a broadcast to its channel and returns the outcome.
    func send(_ broadcast: APNsBroadcast) async -> APNsOutcome
}

extension APNsClient: ChannelSender {}
