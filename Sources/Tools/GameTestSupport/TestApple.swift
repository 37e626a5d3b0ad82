import Foundation
import ServiceRuntime
public import SignInWithApple
import TestSupport

/// Sign in with Apple with a key of its own, for the app `com.example.rangers`.
public struct TestApple: Sendable {
    /// What an app gets from AuthenticationServices, with the nonce that it has chosen.
    public struct Identity: Sendable {
        /// The identity token.
        public let token: String
        /// The nonce.
        public let nonce: String
    }

    /// The clock of the verifier, which only the test advances.
    public let clock = TestClock()
    /// Verifies the tokens.
    public let signIn: AppleSignIn
    private let issuer: AppleIssuer

    /// Creates a key, and a verifier that has it.
    public init() throws {
        issuer = try AppleIssuer(keyID: "ABC")
        let file = FileManager.default.temporaryDirectory.appending(path: "apple-\(UUID().uuidString).json")
        try AppleIssuer.keySet([issuer]).write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        signIn = try AppleSignIn(
            source: .file(path: file.path),
            bundleIDs: ["com.example.rangers"],
            runtime: Runtime(now: { [clock] in clock.now }, randomBits: { 0 }),
            logger: LogRecorder().logger
        )
    }

    /// Returns the identity of a person who signs in now, a second after the last one.
    public func identity(of subject: String = "ada") throws -> Identity {
        clock.advance(by: .seconds(1))
        let nonce = UUID().uuidString
        return Identity(token: try issuer.token(for: subject, nonce: nonce, at: clock.now), nonce: nonce)
    }
}
