import HTTP2Transport

extension APNsClient {
    /// Which APNs, with which key, and the client's limits.
    public struct Configuration: Sendable {
        /// Which APNs.
        public var environment: APNsEnvironment
        /// Instead of the environment's own host.
        public var host: String?
        /// Instead of the environment's own port.
        public var port: Int?
        /// Instead of the environment's own host for the management of channels.
        public var channelHost: String?
        /// Instead of the environment's own port for the management of channels.
        public var channelPort: Int?
        /// A PEM file with the authorities to trust instead of the system's.
        public var caFile: String?
        /// Signs the provider tokens.
        public var providerKey: ProviderKey
        /// From `send` to the outcome, with another try where APNs refused the provider token.
        public var requestTimeout = Duration.seconds(10)
        /// For TCP, TLS and the first SETTINGS together.
        public var connectTimeout = Duration.seconds(10)
        /// Pushes that the client takes on at once, waiting for a stream or for their answers; who sends more waits until
        /// others have their outcomes.
        public var maxOutstandingPushes = 100_000
        /// Connections at once; more than one only when pushes wait for a stream or for APNs's window.
        public var maxConnections = 4
        /// How long pushes in flight may take to end at a graceful shutdown.
        public var shutdownGrace = Duration.seconds(10)

        /// That environment with that key, and the default limits.
        public init(
            environment: APNsEnvironment,
            host: String? = nil,
            port: Int? = nil,
            caFile: String? = nil,
            providerKey: ProviderKey
        ) {
            self.environment = environment
            self.host = host
            self.port = port
            self.caFile = caFile
            self.providerKey = providerKey
        }
    }
}

extension APNsClient.Configuration {
    /// Room for the names of the 10,000 channels that an app may have, of up to 200 bytes each.
    private static let maxChannelListBytes = 2 * 1024 * 1024

    var transport: HTTP2Client.Configuration {
        transport(to: host ?? environment.host, port ?? environment.port)
    }

    var channelTransport: HTTP2Client.Configuration {
        var transport = transport(to: channelHost ?? environment.channelHost, channelPort ?? environment.channelPort)
        transport.maxBodyBytes = Self.maxChannelListBytes
        return transport
    }

    private func transport(to host: String, _ port: Int) -> HTTP2Client.Configuration {
        var transport = HTTP2Client.Configuration(
            host: host,
            port: port,
            trust: caFile.map { .file(path: $0) } ?? .system
        )
        transport.requestTimeout = requestTimeout
        transport.connectTimeout = connectTimeout
        transport.maxOutstandingRequests = maxOutstandingPushes
        transport.maxConnections = maxConnections
        // What is to be done does not depend on the time, which only waits are counted from.
        transport.endsConnection = { response in
            guard response.status != 200 else { return false }
            // Apple counts renewals of the provider token by connection, and refuses everything on that one.
            return [.reconnect, .pauseRoute].contains(APNsRejection(response, at: 0).reaction)
        }
        return transport
    }
}
