import HTTP2Transport

extension APNsClient {
    /// The environment, key and limits of a client.
    public struct Configuration: Sendable {
        /// The environment.
        public var environment: APNsEnvironment
        /// The host; nil for the environment's host.
        public var host: String?
        /// The port; nil for the environment's port.
        public var port: Int?
        /// The host for channel management; nil for the environment's host.
        public var channelHost: String?
        /// The port for channel management; nil for the environment's port.
        public var channelPort: Int?
        /// A PEM file with the certificate authorities to trust; nil for the system's.
        public var caFile: String?
        /// The key that signs provider tokens.
        public var providerKey: ProviderKey
        /// The longest time from `send` to the outcome, including a second attempt after a rejected provider token.
        public var requestTimeout = Duration.seconds(10)
        /// The longest time for TCP, TLS and the first SETTINGS together.
        public var connectTimeout = Duration.seconds(5)
        /// The maximum number of pushes that wait for a stream or for a response; further callers wait.
        public var maxOutstandingPushes = 100_000
        /// The maximum number of connections.
        ///
        /// More than one is opened when pushes wait for a stream or for the flow-control window of APNs.
        public var maxConnections = 4
        /// The time that a graceful shutdown waits for pushes in flight.
        public var shutdownGrace = Duration.seconds(10)

        /// Creates a configuration with the default limits.
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
    /// The size limit of a list of channels: 10,000 channels of an app with IDs of up to 200 bytes.
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
        transport.maxConnections = maxConnections
        // The reaction does not depend on the time, which only affects Retry-After.
        transport.endsConnection = { response in
            guard response.status != 200 else { return false }
            // Apple counts token renewals on each connection, and rejects all further pushes on that connection.
            return [.reconnect, .pauseSending].contains(APNsRejection(response, at: 0).reaction)
        }
        return transport
    }
}
