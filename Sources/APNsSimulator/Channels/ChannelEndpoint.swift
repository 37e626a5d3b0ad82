import HTTP2Transport

/// The door behind which channels are made and deleted.
final class ChannelEndpoint: HTTP2RequestHandler {
    private let simulation: Simulation
    private let bundleID: String
    private let doorkeeper: Doorkeeper

    init(simulation: Simulation, doorkeeper: Doorkeeper, bundleID: String) {
        self.simulation = simulation
        self.doorkeeper = doorkeeper
        self.bundleID = bundleID
    }

    func respond(to request: HTTP2Request, on connection: HTTP2ServerConnection) -> HTTP2Response? {
        let headers = request.headers
        let requestID = headers.identifier("apns-request-id") ?? simulation.makeRequestID()
        let id = HTTP2Header("apns-request-id", requestID, isIndexed: false)
        defer { doorkeeper.limitStreams(of: connection, nil) }
        do throws(APNsRefusal) {
            try doorkeeper.authenticate(headers["authorization"], on: connection, at: simulation.time)
            let wish = try ManagementRequest(
                method: request.method,
                path: request.path,
                headers: headers,
                body: request.body,
                bundleID: bundleID
            )
            return try answer(wish, id)
        } catch {
            return HTTP2Response(
                status: error.status,
                headers: [id, HTTP2Header("content-type", "application/json")],
                body: error.body(deadSince: nil)
            )
        }
    }

    func connectionClosed(_ connection: HTTP2ServerConnection) {
        doorkeeper.connectionClosed(connection)
    }

    private func answer(_ wish: ManagementRequest, _ id: HTTP2Header) throws(APNsRefusal) -> HTTP2Response {
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
