import Encodings
public import HTTP2Transport
public import Logging
public import ServiceRuntime

/// Sign in with Apple: verifies identity tokens with Apple's keys.
public struct AppleSignIn: Sendable {
    private let keys: AppleKeys
    private let bundleIDs: Set<String>
    private let runtime: Runtime

    /// Creates a verifier.
    /// - Parameters:
    ///   - source: the location of Apple's keys.
    ///   - bundleIDs: the bundle identifiers of the apps whose players sign in.
    ///   - trust: the certificate authorities that the certificate of the keys' server may come from.
    ///   - runtime: the clocks.
    ///   - logger: logs failures to read the keys.
    /// - Throws: ``AppleKeysError`` for an unusable file.
    public init(
        source: AppleKeySource,
        bundleIDs: Set<String>,
        trust: TLSTrust = .system,
        runtime: Runtime,
        logger: Logger
    ) throws(AppleKeysError) {
        keys = try AppleKeys(source: source, trust: trust, runtime: runtime, logger: logger)
        self.bundleIDs = bundleIDs
        self.runtime = runtime
    }

    /// Verifies an identity token.
    /// - Parameters:
    ///   - text: the token.
    ///   - nonce: the text that the app has chosen for this sign-in, and whose SHA-256 in hexadecimal it gave to Apple.
    /// - Returns: the account that the token is for.
    /// - Throws: ``IdentityTokenError`` if the token is not accepted; ``AppleKeysError`` if there are no keys yet.
    public func account(ofToken text: String, nonce: String) async throws -> AppleAccount {
        let token = try IdentityToken(text)
        guard let key = try await keys.key(token.keyID) else { throw IdentityTokenError.unknownKey }
        return try token.verify(with: key, for: bundleIDs, nonce: nonce, at: runtime.now())
    }
}
