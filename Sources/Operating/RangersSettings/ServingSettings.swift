/// How the API is served: over TLS or not, and how patient with clients.
public struct ServingSettings: Hashable, Sendable {
    /// What clients are shown over TLS.
    public struct TLSFiles: Hashable, Sendable {
        /// A PEM file: the server's certificate, and those that lead from it to an authority.
        public let certificate: String
        /// A PEM file with the certificate's key, without a passphrase.
        public let key: String
    }

    /// Nil for plain HTTP.
    public let tls: TLSFiles?
    /// From a request's first byte until all of its headers are there.
    public let headerTimeout: Duration
    /// From the headers until all of the body is there.
    public let bodyTimeout: Duration
    /// From the headers until the answer is made.
    public let requestTimeout: Duration
    /// How long a client may take nothing of its answer.
    public let answerTimeout: Duration
    /// How long a connection may stay without a request.
    public let idleTimeout: Duration
    /// How many connections there may be at once.
    public let connections: Int
    /// How long the API serves on after SIGTERM, unready, so that load balancers notice.
    public let stopDelay: Duration

    static let defaultHeaderTimeout = Duration.seconds(10)
    static let defaultBodyTimeout = Duration.seconds(20)
    static let defaultRequestTimeout = Duration.seconds(30)
    static let defaultAnswerTimeout = Duration.seconds(30)
    static let defaultIdleTimeout = Duration.seconds(75)
    static let defaultConnections = 10_000
    static let defaultStopDelay = Duration.zero
}

extension SettingsReader {
    /// An hour: nobody waits longer, and whoever wants no limit at all should see that there is one.
    private static let longestWait = Duration.seconds(60 * 60)
    /// The most descriptors that Linux gives a process by default (fs.nr_open).
    private static let mostConnections = 1_048_576

    mutating func serving() -> ServingSettings {
        let wait = SettingValue.duration(.milliseconds(100)...Self.longestWait)
        return ServingSettings(
            tls: tlsFiles(),
            headerTimeout: value(.httpHeaderTimeout, default: ServingSettings.defaultHeaderTimeout, as: wait),
            bodyTimeout: value(.httpBodyTimeout, default: ServingSettings.defaultBodyTimeout, as: wait),
            requestTimeout: value(.httpRequestTimeout, default: ServingSettings.defaultRequestTimeout, as: wait),
            answerTimeout: value(.httpAnswerTimeout, default: ServingSettings.defaultAnswerTimeout, as: wait),
            idleTimeout: value(.httpIdleTimeout, default: ServingSettings.defaultIdleTimeout, as: wait),
            connections: value(
                .httpConnections,
                default: ServingSettings.defaultConnections,
                as: SettingValue.number(1...Self.mostConnections)
            ),
            stopDelay: value(
                .httpStopDelay,
                default: ServingSettings.defaultStopDelay,
                as: SettingValue.duration(.zero...Self.longestWait)
            )
        )
    }

    private mutating func tlsFiles() -> ServingSettings.TLSFiles? {
        let certificate = optional(.tlsCertificateFile, as: SettingValue.path)
        let key = optional(.tlsKeyFile, as: SettingValue.path)
        let names = (Setting.tlsCertificateFile.rawValue, Setting.tlsKeyFile.rawValue)
        switch (isGiven(.tlsCertificateFile), isGiven(.tlsKeyFile)) {
        case (true, false): contradiction("\(names.0) is set and \(names.1) is not: TLS takes both, plain HTTP neither")
        case (false, true): contradiction("\(names.1) is set and \(names.0) is not: TLS takes both, plain HTTP neither")
        case (true, true), (false, false): break
        }
        guard let certificate, let key else { return nil }
        return ServingSettings.TLSFiles(certificate: certificate, key: key)
    }
}
