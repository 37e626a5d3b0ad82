import HTTP2Transport

/// The door behind which channels are made and deleted.
extension APNsEndpoint {
    func manage(_ request: ReceivedRequest, on connection: HTTP2ServerConnection) -> Answer {
        let identifier = request.identifier ?? simulation.makeRequestID()
        let header = HTTP2Header(request.identifierName, identifier, isIndexed: false)
        var strike: FaultBook.Strike?
        do throws(APNsRefusal) {
            try doorkeeper.authenticate(request["authorization"], on: connection, at: simulation.time)
            let wish = try ManagementRequest(request, bundleID: bundleID)
            strike = simulation.strikeManagement(of: bundleID)
            return (try fulfil(wish, unless: strike, header), strike)
        } catch {
            return (HTTP2Response(error, header), strike)
        }
    }

    private func fulfil(
        _ wish: ManagementRequest,
        unless strike: FaultBook.Strike?,
        _ id: HTTP2Header
    ) throws(APNsRefusal) -> HTTP2Response {
        switch strike?.effect {
        case .refused(let refusal): throw refusal
        // Nobody will hear it.
        case .unprocessed: throw .serviceUnavailable
        case nil, .processed: break
        }
        let json = HTTP2Header("content-type", "application/json")
        switch wish {
        case .create(let policy):
            let channelID = try simulation.manageChannels { channels, newID throws(APNsRefusal) in
                try channels.add(newID, storagePolicy: policy)
                return newID
            }
            let header = HTTP2Header("apns-channel-id", channelID.base64, isIndexed: false)
            return HTTP2Response(status: 201, headers: [id, header])
        case .read(let channelID):
            let policy = try simulation.manageChannels { channels, _ throws(APNsRefusal) in
                guard let channel = channels[channelID] else { throw .channelNotRegistered }
                return channel.storagePolicy
            }
            let body = #"{"message-storage-policy":\#(policy.rawValue),"push-type":"LiveActivity"}"#
            return HTTP2Response(status: 200, headers: [id, json], body: Array(body.utf8))
        case .delete(let channelID):
            try simulation.manageChannels { channels, _ throws(APNsRefusal) in try channels.remove(channelID) }
            return HTTP2Response(status: 204, headers: [id])
        case .list:
            let ids = try simulation.manageChannels { channels, _ throws(APNsRefusal) in channels.ids }
            return HTTP2Response(status: 200, headers: [id, json], body: JSON.encode(["channels": ids]))
        }
    }
}
