extension APNsSimulator {
    /// What a simulator stands in for, and where it listens.
    public struct Configuration: Sendable {
        /// Where the page and its API are; on loopback unless told otherwise, since nobody has to say who they are.
        public var httpHost = "127.0.0.1"
        /// The first port to try for the page; when it is taken, the next free one is used.
        ///
        /// 0 takes any.
        public var httpPort = 8080
        /// Where senders reach APNs.
        public var apnsHost = "127.0.0.1"
        /// 0 takes any free port.
        public var apnsPort = 0
        /// Where senders manage channels, on the same host; 0 takes any free port.
        public var channelsPort = 0
        /// How long pushes of priority 5 wait for others, in seconds; 0 when each comes through at once.
        public var groupingSeconds: Int64 = 0
        /// What all chance comes from: identifiers, tokens, and what faults strike.
        ///
        /// Short enough to be typed in again when a run is to be repeated.
        public var seed = UInt64(UInt32.random(in: .min ... .max))
        /// Which APNs it is; tokens and keys of the other one mean nothing to it.
        public var environment = PushEnvironment.sandbox
        /// The app whose Live Activities the phones show.
        public var bundleID: String
        /// Whose provider tokens are good; each must have an identifier of its own.
        ///
        /// More than one shows a sender what comes of mixing keys, teams and environments.
        public var keys: [SenderKey]

        /// What the phones put up with.
        public var limits = PhoneLimits()

        /// The doors at their usual places.
        public init(bundleID: String, keys: [SenderKey]) {
            self.bundleID = bundleID
            self.keys = keys
        }

        /// What the certificate proves: the names by which this machine is reached, and the one it listens on.
        var certificateHosts: [String] {
            let usual = ["localhost", "127.0.0.1", "::1"]
            return usual.contains(apnsHost) || apnsHost == "0.0.0.0" ? usual : usual + [apnsHost]
        }
    }

    /// Where a simulator listens, once it does.
    public struct Listening: Encodable, Sendable {
        /// Where the page and its API are.
        public let httpHost: String
        /// Where the page and its API are.
        public let httpPort: Int
        /// Where senders reach APNs.
        public let apnsHost: String
        /// Where senders reach APNs.
        public let apnsPort: Int
        /// Where senders manage channels, on the same host.
        public let channelsPort: Int
        /// What senders must trust, in PEM; not encoded, since it goes into a file of its own.
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
