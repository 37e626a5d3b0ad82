import HTTP2Transport

/// The endpoint for channel management.
extension APNsRequestHandler {
    func manage(_ request: ReceivedRequest, on connection: HTTP2ServerConnection) -> Result {
        let identifier = request.identifier ?? simulator.makeRequestID()
        let header = HTTP2Header(request.identifierName, identifier, isIndexed: false)
        var injection: PushFaultInjector.Injection?
        do throws(RejectionReason) {
            try authenticator.authenticate(request["authorization"], on: connection, at: simulator.time)
            let operation = try ManagementRequest(request, bundleID: bundleID)
            injection = simulator.injectManagementFaults(of: bundleID)
            return (try perform(operation, applying: injection, header), injection)
        } catch {
            return (HTTP2Response(error, header), injection)
        }
    }

    private func perform(
        _ operation: ManagementRequest,
        applying injection: PushFaultInjector.Injection?,
        _ id: HTTP2Header
    ) throws(RejectionReason) -> HTTP2Response {
        switch injection?.processing {
        case .rejected(let rejection): throw rejection
        // The fault replaces this response.
        case .unprocessed: throw .serviceUnavailable
        case nil, .processed: break
        }
        let json = HTTP2Header("content-type", "application/json")
        switch operation {
        case .create(let policy):
            let channelID = try simulator.manageChannels { channels, newID throws(RejectionReason) in
                try channels.add(newID, storagePolicy: policy)
                return newID
            }
            let header = HTTP2Header("apns-channel-id", channelID.base64, isIndexed: false)
            return HTTP2Response(status: 201, headers: [id, header])
        case .read(let channelID):
            let policy = try simulator.manageChannels { channels, _ throws(RejectionReason) in
                guard let channel = channels[channelID] else { throw .channelNotRegistered }
                return channel.storagePolicy
            }
            let body = #"{"message-storage-policy":\#(policy.rawValue),"push-type":"LiveActivity"}"#
            return HTTP2Response(status: 200, headers: [id, json], body: Array(body.utf8))
        case .delete(let channelID):
            try simulator.manageChannels { channels, _ throws(RejectionReason) in try channels.remove(channelID) }
            return HTTP2Response(status: 204, headers: [id])
        case .list:
            let ids = try simulator.manageChannels { channels, _ throws(RejectionReason) in channels.ids }
            return HTTP2Response(status: 200, headers: [id, json], body: SortedJSON.encode(["channels": ids]))
        }
    }
}
