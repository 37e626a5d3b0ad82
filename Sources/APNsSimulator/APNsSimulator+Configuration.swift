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
        /// The app whose Live Activities the phones show.
        public var bundleID: String
        /// The team that the app belongs to: what a provider token's `iss` must be.
        public var teamID: String
        /// What a provider token's `kid` must be.
        public var keyID: String
        /// What provider tokens must be signed with.
        public var providerKey: ProviderKey

        /// The doors at their usual places.
        public init(bundleID: String, teamID: String, keyID: String, providerKey: ProviderKey) {
            self.bundleID = bundleID
            self.teamID = teamID
            self.keyID = keyID
            self.providerKey = providerKey
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
        /// What senders must trust, in PEM; not encoded, since it goes into a file of its own.
        public let certificateAuthorityPEM: String

        private enum CodingKeys: CodingKey {
            case httpHost
            case httpPort
            case apnsHost
            case apnsPort
        }
    }
}
