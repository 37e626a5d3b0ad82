extension APNsSimulator {
    /// The configuration of a simulator: the emulated environment and app, and the addresses to listen on.
    public struct Configuration: Sendable {
        /// The host of the page and its API: loopback by default, since there is no authentication.
        public var httpHost = "127.0.0.1"
        /// The first port to try for the page; if it is in use, the next free one.
        ///
        /// 0 selects any free port.
        public var httpPort = 8080
        /// The host of the APNs endpoints.
        public var apnsHost = "127.0.0.1"
        /// The port for pushes; 0 selects any free port.
        public var apnsPort = 0
        /// The port for channel management; 0 selects any free port.
        public var channelsPort = 0
        /// The time for which pushes of priority 5 wait for others, in seconds; 0 to deliver each immediately.
        public var groupingSeconds: Int64 = 0
        /// The seed of all randomness: identifiers, tokens and faults.
        ///
        /// 32 bits by default, short enough to type in again for a repeated run.
        public var seed = UInt64(UInt32.random(in: .min ... .max))
        /// The emulated environment; tokens and keys of the other one are unknown.
        public var environment = EmulatedEnvironment.sandbox
        /// The app whose Live Activities the phones show.
        public var bundleID: String
        /// The trusted provider keys, with distinct identifiers.
        ///
        /// Several keys let a sender test mixed keys, teams and environments.
        public var keys: [SenderKey]

        /// The phones' limits.
        public var limits = PhoneLimits()
        /// The maximum number of requests in the log; 10,000 take about 15 MB.
        public var maxLoggedPushes = 10_000

        /// Creates a configuration with the default hosts and ports.
        public init(bundleID: String, keys: [SenderKey]) {
            self.bundleID = bundleID
            self.keys = keys
        }

        /// The names in the certificate: those of this machine, and the configured host.
        var certificateHosts: [String] {
            let usual = ["localhost", "127.0.0.1", "::1"]
            return usual.contains(apnsHost) || apnsHost == "0.0.0.0" ? usual : usual + [apnsHost]
        }
    }

    /// The addresses of a running simulator.
    public struct Listening: Encodable, Sendable {
        /// The host of the page and its API.
        public let httpHost: String
        /// The port of the page and its API.
        public let httpPort: Int
        /// The host of the APNs endpoints.
        public let apnsHost: String
        /// The port for pushes.
        public let apnsPort: Int
        /// The port for channel management.
        public let channelsPort: Int
        /// The certificate authority that senders must trust, in PEM; not encoded, since it is written to a file of its
        /// own.
        public let certificateAuthorityPEM: String

        private enum CodingKeys: CodingKey {
            case httpHost
            case httpPort
            case apnsHost
            case apnsPort
            case channelsPort
        }
    }
}
