extension HTTP2Client {
    /// Which server, and the client's limits.
    public struct Configuration: Sendable {
        /// A DNS name or an IP address; the server's certificate must carry it.
        public var host: String
        /// The port.
        public var port: Int
        /// Which authorities may vouch for the server.
        public var trust: TLSTrust
        /// From when a request is taken on to its outcome.
        public var requestTimeout = Duration.seconds(10)
        /// From dialling to the server's first SETTINGS.
        public var connectTimeout = Duration.seconds(10)
        /// Requests that the client takes on at once, waiting for a stream or for their answers; who sends more waits.
        public var maxOutstandingRequests = 100_000
        /// Streams at once on a connection, whatever the server allows.
        public var maxConcurrentStreams = 1000
        /// Connections at once; further ones than the first are opened when requests wait for longer than `growAfter`.
        public var maxConnections = 4
        /// How long a request waits for a stream before another connection is opened.
        public var growAfter = Duration.milliseconds(100)
        /// How far apart further connections are opened, and how long one must have lived to be replaced at once.
        ///
        /// APNs takes many at once for an attack, and each has to show first what it brings.
        public var stagger = Duration.seconds(1)
        /// How often a request is sent when the server says that it has not processed it.
        public var maxAttempts = 3
        /// A PING goes out when nothing was heard for this long.
        ///
        /// Apple suggests an hour; a minute finds out sooner that a peer is gone, and other senders use it too.
        public var pingAfter = Duration.seconds(60)
        /// A server that does not answer a PING for this long is gone.
        public var pingTimeout = Duration.seconds(10)
        /// A longer body of an answer resets its stream; what APNs answers to a push has a few dozen bytes.
        public var maxBodyBytes = 64 * 1024
        /// The longest wait after the first failure to connect; it doubles with each further one.
        public var firstBackoff = Duration.milliseconds(500)
        /// The longest wait after any number of failures.
        public var longestBackoff = Duration.seconds(60)

        /// Whether an answer says that its connection is no good: then no more requests go there.
        ///
        /// Called on the client's thread for each answer. The next connection waits by the backoff, unless this one
        /// has answered well before, and lived for `stagger`.
        public var endsConnection: @Sendable (HTTP2Response) -> Bool = { _ in false }

        /// That server, with the default limits.
        public init(host: String, port: Int, trust: TLSTrust = .system) {
            self.host = host
            self.port = port
            self.trust = trust
        }
    }
}

extension HTTP2Client.Configuration {
    /// Answers are small, and there is no hurry in them.
    private static let windowBytes = 1024 * 1024

    var connectionLimits: HTTP2ConnectionMachine.Limits {
        .init(maxConcurrentStreams: maxConcurrentStreams, pingAfter: pingAfter, pingTimeout: pingTimeout)
    }

    var sessionSettings: HTTP2Session.Settings {
        .init(windowBytes: Self.windowBytes, maxBodyBytes: maxBodyBytes)
    }

    var poolLimits: PoolMachine.Limits {
        .init(
            maxConnections: maxConnections,
            growAfter: growAfter,
            stagger: stagger,
            backoff: .init(first: firstBackoff, longest: longestBackoff)
        )
    }

    /// `:authority`, without the port when it is that of https.
    var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? host : "\(host):\(port)"
    }

    /// What all requests begin with.
    var commonHeaders: HTTP2Headers { [HTTP2Header(":scheme", "https"), HTTP2Header(":authority", authority)] }
}
