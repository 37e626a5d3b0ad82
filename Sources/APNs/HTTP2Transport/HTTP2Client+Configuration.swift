extension HTTP2Client {
    /// The server and the limits of a client.
    public struct Configuration: Sendable {
        /// A DNS name or an IP address; the server's certificate must be valid for it.
        public var host: String
        /// The port.
        public var port: Int
        /// The certificate authorities to trust.
        public var trust: TLSTrust
        /// The longest time from accepting a request to its outcome.
        public var requestTimeout = Duration.seconds(10)
        /// The longest time from opening a connection to the server's first SETTINGS.
        ///
        /// It bounds how long an attempt that began while the server was unreachable delays the next one.
        public var connectTimeout = Duration.seconds(5)
        /// The maximum number of requests that wait for a stream or for a response; further callers wait.
        public var maxOutstandingRequests = 100_000
        /// The maximum number of concurrent streams on a connection, even if the server allows more.
        public var maxConcurrentStreams = 1000
        /// The maximum number of connections; more than one is opened when requests wait for longer than `growAfter`.
        public var maxConnections = 4
        /// The time that a request waits for a stream before another connection is opened.
        public var growAfter = Duration.milliseconds(100)
        /// The minimum time between the starts of two connections, and the minimum lifetime of a connection that is
        /// replaced without backoff.
        ///
        /// APNs treats many simultaneous new connections as an attack.
        public var stagger = Duration.seconds(1)
        /// The maximum number of attempts for a request that the server has not processed.
        public var maxAttempts = 3
        /// The time without any bytes from the server after which a PING is sent.
        ///
        /// Apple suggests an hour. A minute, which other senders use as well, detects a dead connection sooner.
        public var pingAfter = Duration.seconds(60)
        /// The time to wait for a response to a PING before the connection is closed.
        public var pingTimeout = Duration.seconds(10)
        /// The size limit of a response's body; a larger one resets its stream.
        ///
        /// Responses of APNs have a few dozen bytes.
        public var maxBodyBytes = 64 * 1024
        /// The time between the starts of two attempts to connect to a server that cannot be reached.
        public var probeInterval = Duration.seconds(1)
        /// The longest backoff after the first connection that the server closed early; it doubles with each further one.
        public var initialBackoff = Duration.milliseconds(500)
        /// The longest backoff after any number of such connections.
        ///
        /// It is the longest delay of pushes after an outage in which the server accepts connections and closes them.
        public var maxBackoff = Duration.seconds(5)

        /// Returns whether a response shows that its connection must no longer be used.
        ///
        /// Called on the client's thread for each response. The next connection waits for the backoff, unless this one
        /// received a good response before and has lived for `stagger`.
        public var endsConnection: @Sendable (HTTP2Response) -> Bool = { _ in false }

        /// Creates a configuration with the default limits.
        public init(host: String, port: Int, trust: TLSTrust = .system) {
            self.host = host
            self.port = port
            self.trust = trust
        }
    }
}

extension HTTP2Client.Configuration {
    /// The size of the flow-control window; responses are small and need no larger one.
    private static let windowBytes = 1024 * 1024

    var connectionLimits: HTTP2ConnectionMachine.Limits {
        .init(maxConcurrentStreams: maxConcurrentStreams, pingAfter: pingAfter, pingTimeout: pingTimeout)
    }

    var sessionSettings: HTTP2Session.Settings {
        .init(windowBytes: Self.windowBytes, maxBodyBytes: maxBodyBytes)
    }

    var poolLimits: HTTP2PoolMachine.Limits {
        .init(
            maxConnections: maxConnections,
            growAfter: growAfter,
            stagger: stagger,
            probeInterval: probeInterval,
            backoff: .init(initial: initialBackoff, max: maxBackoff)
        )
    }

    /// `:authority`, without the default port of https.
    var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? host : "\(host):\(port)"
    }

    /// The first fields of all requests.
    var commonHeaders: HTTP2Headers { [HTTP2Header(":scheme", "https"), HTTP2Header(":authority", authority)] }
}
