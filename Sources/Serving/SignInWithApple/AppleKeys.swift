import Cryptography
import HTTP2Transport
import Logging
import ServiceRuntime

/// A cache of Apple's public keys, which renews them when a token names an unknown key, and once a day.
///
/// Tokens with invented keys cause at most one attempt a minute. If an attempt fails, the last good keys stay in use.
actor AppleKeys {
    /// The minimum time between two attempts while there are keys.
    static let renewalInterval = Duration.seconds(60)
    /// The minimum time between two attempts while there are none.
    static let initialInterval = Duration.seconds(5)
    /// The age from which keys are renewed although all tokens name known ones: Apple may have withdrawn a key.
    static let maxAge = Duration.seconds(24 * 60 * 60)

    private let source: AppleKeySource
    private let trust: TLSTrust
    private let runtime: Runtime
    private let logger: Logger
    private var keys: AppleKeySet?
    private var keysReadAt: ContinuousClock.Instant?
    private var lastAttempt: ContinuousClock.Instant?
    private var renewal: Task<Void, Never>?

    /// Creates a cache.
    /// - Throws: ``AppleKeysError`` for an unusable file; the keys of a server are requested when they are needed.
    init(source: AppleKeySource, trust: TLSTrust, runtime: Runtime, logger: Logger) throws(AppleKeysError) {
        self.source = source
        self.trust = trust
        self.runtime = runtime
        self.logger = logger
        guard case .file(let path) = source else { return }
        keys = try AppleKeySource.readFile(path)
        keysReadAt = runtime.uptime()
    }

    /// Returns the key with an identifier; nil if Apple has none.
    /// - Throws: ``AppleKeysError`` if there are no keys yet.
    func key(_ keyID: String) async throws(AppleKeysError) -> RSAPublicKey? {
        if let key = keys?[keyID], !isOld { return key }
        await renewUnlessRecent()
        guard let keys else { throw AppleKeysError("Apple's keys are not available") }
        return keys[keyID]
    }

    private var isOld: Bool { keysReadAt.map { runtime.uptime() - $0 >= Self.maxAge } ?? true }

    /// Reads the keys, or waits while another caller does.
    private func renewUnlessRecent() async {
        if let renewal { return await renewal.value }
        let interval = keys == nil ? Self.initialInterval : Self.renewalInterval
        if let lastAttempt, runtime.uptime() - lastAttempt < interval { return }
        lastAttempt = runtime.uptime()
        // A task of its own: a caller whose client has gone away must not fail it for the others.
        let renewal = Task { await renew() }
        self.renewal = renewal
        await renewal.value
    }

    private func renew() async {
        defer { renewal = nil }
        do throws(AppleKeysError) {
            keys = try await source.read(trust: trust, logger: logger)
            keysReadAt = runtime.uptime()
        } catch {
            logger.warning(
                "the keys of Sign in with Apple cannot be read",
                metadata: ["reason": "\(error)", "kept": "\(keys != nil)"]
            )
        }
    }
}
