import HTTP2Transport

/// A request for channel management (Apple, "Sending channel management requests to APNs").
///
/// The channel's identifier is in a header field, not in the path.
struct ChannelRequest: APNsMessage {
    enum Operation {
        case create(APNsChannel.StoragePolicy)
        case read(APNsChannel.ID)
        case delete(APNsChannel.ID)
        case list
    }

    let bundleID: BundleID
    let operation: Operation

    func request(_ builder: inout APNsRequestBuilder) -> HTTP2ClientRequest {
        let authorization = HTTP2Header("authorization", builder.credentials.token.authorization)
        let path = "/1/apps/\(bundleID)/channels"
        switch operation {
        case .create(let policy):
            return HTTP2ClientRequest(
                method: "POST",
                path: path,
                headers: [authorization],
                body: Array(#"{"message-storage-policy":\#(policy.rawValue),"push-type":"LiveActivity"}"#.utf8)
            )
        case .read(let id):
            return HTTP2ClientRequest(method: "GET", path: path, headers: [authorization, Self.header(id)])
        case .delete(let id):
            return HTTP2ClientRequest(method: "DELETE", path: path, headers: [authorization, Self.header(id)])
        case .list:
            return HTTP2ClientRequest(
                method: "GET",
                path: "/1/apps/\(bundleID)/all-channels",
                headers: [authorization]
            )
        }
    }

    /// The status of success.
    var successStatus: Int {
        switch operation {
        case .create: 201
        case .read, .list: 200
        case .delete: 204
        }
    }

    private static func header(_ id: APNsChannel.ID) -> HTTP2Header {
        HTTP2Header("apns-channel-id", id.description, isIndexed: false)
    }
}
