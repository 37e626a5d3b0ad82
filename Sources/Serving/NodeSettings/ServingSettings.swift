import RangersSettings

/// The settings of the API's server: TLS, timeouts, connection limit.
public struct ServingSettings: Hashable, Sendable {
    /// The files of the server's TLS identity.
    public struct TLSFiles: Hashable, Sendable {
        /// A PEM file with the server's certificate, followed by the intermediate certificates.
        public let certificate: String
        /// A PEM file with the certificate's private key, without a passphrase.
        public let key: String
    }

    /// The TLS files; nil for plain HTTP.
    public let tls: TLSFiles?
    /// The time from a request's first byte until its headers are complete.
    public let headerTimeout: Duration
    /// The time from the complete headers until the body is complete.
    public let bodyTimeout: Duration
    /// The time from the complete headers until the response is ready.
    public let requestTimeout: Duration
    /// The maximum time in which a client reads nothing of its response.
    public let sendTimeout: Duration
    /// The maximum time for which a connection may be idle.
    public let idleTimeout: Duration
    /// The maximum number of concurrent connections.
    public let maxConnections: Int
    /// The time for which the API keeps serving after SIGTERM while it reports that it is not ready, so that load
    /// balancers stop sending requests to it.
    public let stopDelay: Duration

    static let defaultHeaderTimeout = Duration.seconds(10)
    static let defaultBodyTimeout = Duration.seconds(20)
    static let defaultRequestTimeout = Duration.seconds(30)
    static let defaultSendTimeout = Duration.seconds(30)
    static let defaultIdleTimeout = Duration.seconds(75)
    static let defaultMaxConnections = 10_000
    static let defaultStopDelay = Duration.zero
}

extension SettingsReader {
    /// The longest timeout.
    ///
    /// It is finite so that no setting switches a timeout off.
    private static let maxTimeout = Duration.seconds(60 * 60)
    /// The maximum number of file descriptors of a process by default on Linux (fs.nr_open).
    private static let maxFileDescriptors = 1_048_576

    mutating func serving() -> ServingSettings {
        let timeout = SettingValue.duration(.milliseconds(100)...Self.maxTimeout)
        return ServingSettings(
            tls: tlsFiles(),
            headerTimeout: value(.httpHeaderTimeout, default: ServingSettings.defaultHeaderTimeout, as: timeout),
            bodyTimeout: value(.httpBodyTimeout, default: ServingSettings.defaultBodyTimeout, as: timeout),
            requestTimeout: value(.httpRequestTimeout, default: ServingSettings.defaultRequestTimeout, as: timeout),
            sendTimeout: value(.httpSendTimeout, default: ServingSettings.defaultSendTimeout, as: timeout),
            idleTimeout: value(.httpIdleTimeout, default: ServingSettings.defaultIdleTimeout, as: timeout),
            maxConnections: value(
                .httpConnections,
                default: ServingSettings.defaultMaxConnections,
                as: SettingValue.number(1...Self.maxFileDescriptors)
            ),
            stopDelay: value(
                .httpStopDelay,
                default: ServingSettings.defaultStopDelay,
                as: SettingValue.duration(.zero...Self.maxTimeout)
            )
        )
    }

    private mutating func tlsFiles() -> ServingSettings.TLSFiles? {
        let certificate = optional(.tlsCertificateFile, as: SettingValue.path)
        let key = optional(.tlsKeyFile, as: SettingValue.path)
        let names = (Setting.tlsCertificateFile.rawValue, Setting.tlsKeyFile.rawValue)
        switch (isSet(.tlsCertificateFile), isSet(.tlsKeyFile)) {
        case (true, false): contradiction("\(names.0) is set and \(names.1) is not: TLS needs both, plain HTTP neither")
        case (false, true): contradiction("\(names.1) is set and \(names.0) is not: TLS needs both, plain HTTP neither")
        case (true, true), (false, false): break
        }
        guard let certificate, let key else { return nil }
        return ServingSettings.TLSFiles(certificate: certificate, key: key)
    }
}
