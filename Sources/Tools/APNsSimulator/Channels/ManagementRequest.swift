import Foundation

/// A request about an app's channels, checked ("Sending channel management requests to APNs").
enum ManagementRequest: Equatable, Sendable {
    case create(Channel.StoragePolicy)
    case read(Channel.ID)
    case delete(Channel.ID)
    case list

    /// Checks path, method, headers and body, in that order, and stops at the first fault.
    init(_ request: ReceivedRequest, bundleID: String) throws(APNsRefusal) {
        let segments = request.path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count == 5, segments.prefix(3) == ["", "1", "apps"],
            segments[4] == "channels" || segments[4] == "all-channels"
        else { throw .badPath }
        try ReceivedRequest.check(app: segments[3], bundleID: bundleID)
        try request.checkIdentifier()
        switch (segments[4], request.method) {
        case ("channels", "POST"): self = .create(try Self.storagePolicy(request.body))
        case ("channels", "GET"): self = .read(try request.channelID())
        case ("channels", "DELETE"): self = .delete(try request.channelID())
        case ("all-channels", "GET"): self = .list
        default: throw .methodNotAllowed
        }
    }

    /// What the description of a new channel says of its storage.
    private static func storagePolicy(_ body: [UInt8]) throws(APNsRefusal) -> Channel.StoragePolicy {
        guard !body.isEmpty else { throw .payloadEmpty }
        // APNs does not say what is wrong with JSON that is none.
        guard let fields = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] else {
            throw .badRequestPayload
        }
        guard let pushType = fields["push-type"] else { throw .missingPushType }
        guard pushType as? String == "LiveActivity" else { throw .invalidPushType }
        guard fields.count == 2, let number = fields["message-storage-policy"] as? Int,
            let policy = Channel.StoragePolicy(rawValue: number)
        else { throw .badRequestParameters }
        return policy
    }
}
