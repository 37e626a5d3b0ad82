import Foundation

/// A validated request for channel management ("Sending channel management requests to APNs").
enum ManagementRequest: Equatable, Sendable {
    case create(Channel.StoragePolicy)
    case read(Channel.ID)
    case delete(Channel.ID)
    case list

    /// Validates path, method, headers and body, in this order; the first error is thrown.
    init(_ request: ReceivedRequest, bundleID: String) throws(RejectionReason) {
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

    /// Returns the storage policy in the description of a new channel.
    private static func storagePolicy(_ body: [UInt8]) throws(RejectionReason) -> Channel.StoragePolicy {
        guard !body.isEmpty else { throw .payloadEmpty }
        // APNs does not report the error in malformed JSON.
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
